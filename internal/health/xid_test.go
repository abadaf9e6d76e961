package health

import (
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/signs"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// xidAt is a report of GPU 0 with an Xid that the probe got a second earlier.
func xidAt(sec float64, code uint64) wire.Report {
	return wire.Report{Xids: []wire.Xid{{Code: code, MonoMS: int64(sec * 1000)}}, GPUs: []wire.GPU{{}}}
}

// An Xid is reported from its own time on, for an hour, with its consequences, and then as cleared.
func TestXidOverTime(t *testing.T) {
	w := newWorld(0)
	w.report(1, wire.Report{})
	w.report(60, xidAt(60, 79))
	w.report(63, xidAt(63, 45))
	w.report(66, xidAt(66, 154))
	for sec := 69.0; sec < 132; sec += 3 {
		w.report(sec, wire.Report{GPUs: []wire.GPU{{}}})
	}
	f, words := w.findings(131)
	if len(f) != 1 || f[0].Kind != cluster.KindXid || f[0].Severity != cluster.Critical || f[0].GPU != 0 ||
		!f[0].Since.Equal(at(59)) || f[0].Before {
		t.Fatalf("%+v", f)
	}
	const want = "Xid 79: the GPU has fallen off the bus, 72s ago; then Xid 45, 154. Usually a fault of the hardware. " +
		"NVIDIA: restart the node."
	if words[0].Sentence != want || words[0].Flag != "XID:79" || words[0].Letter != 'X' || words[0].Hint == "" {
		t.Errorf("%+v, want %q", words[0], want)
	}
	for sec := 132.0; sec < 59+3605; sec += 3 {
		w.report(sec, wire.Report{GPUs: []wire.GPU{{}}})
	}
	if f, words := w.findings(59 + 3605); len(f) != 1 || f[0].Holds() || !strings.HasPrefix(words[0].Sentence,
		"Xid, cleared ") {
		t.Errorf("after an hour: %+v %+v", f, words)
	}
}

func TestXidSentences(t *testing.T) {
	for _, tc := range []struct {
		codes    []int // one per second
		sentence string
		hint     string
	}{
		{[]int{999}, "Xid 999: newer than the Xids that nvnodetop knows, up to 176 (driver 595.45.04, March 2026), " +
			"10s ago.", "see NVIDIA's Xid catalog; report it to your admins"},
		{[]int{42}, "Xid 42: see NVIDIA's Xid catalog, 10s ago.", "report it to your admins"},
		{[]int{38}, "Xid 38: driver firmware error, 10s ago. Usually a fault of the driver or its firmware. NVIDIA: " +
			"no action.", signs.XidOf(38).Hint},
		{[]int{167}, "Xid 167: fatal PCIe timeout, 10s ago. Usually a fault of the hardware.", signs.XidOf(167).Hint},
		{[]int{31, 31, 31}, "Xid 31: GPU memory page fault: illegal address in a kernel, 8s ago, 3 times since " +
			"18:00:00. Usually an error of the program. NVIDIA: restart the program.", signs.XidOf(31).Hint},
		{[]int{13, 79, 45}, "Xid 79: the GPU has fallen off the bus, 9s ago; then Xid 45. Usually a fault of the " +
			"hardware. NVIDIA: restart the node.", signs.XidOf(79).Hint},
		{[]int{45, 94}, "Xid 94: contained memory error: only one program was hit, 9s ago. Usually a fault of the " +
			"hardware. NVIDIA: restart the program.", "restart the program; other programs and GPUs are not affected"},
	} {
		s := had(tc.codes...)
		s.Node.Arrived = t0.Add(10 * time.Second)
		if words := sayOf(cluster.KindXid, s); words.Sentence != tc.sentence || words.Hint != tc.hint {
			t.Errorf("%v: %q → %q, want %q → %q", tc.codes, words.Sentence, words.Hint, tc.sentence, tc.hint)
		}
	}
}

// The driver's advice stands above our own.
func TestTheDriversAdvice(t *testing.T) {
	w := newWorld()
	w.sample(1, wire.GPU{Values: metric.Make(m{metric.ECCUncorrected: 1, metric.RecoveryAction: 1})})
	f, words := w.findings(1)
	if len(f) != 2 || f[0].Kind != cluster.KindRecovery || words[0].Flag != "RESET" ||
		words[0].Sentence != "Recovery needed: the driver asks to reset this GPU." {
		t.Fatalf("%+v %+v", f, words)
	}
	if want := "the driver asks to reset this GPU: report it to your admins"; words[1].Hint != want {
		t.Errorf("hint %q, want %q", words[1].Hint, want)
	}
	w = newWorld()
	w.sample(1, wire.GPU{Values: metric.Make(m{metric.RecoveryAction: 9})})
	if _, words := w.findings(1); words[0].Flag != "ACTION:9" ||
		words[0].Sentence != "Recovery needed: the driver asks to take recovery action 9." {
		t.Errorf("%+v", words)
	}
}

// An Xid that is newer than the catalog is critical if the driver asks for anything.
func TestNewXid(t *testing.T) {
	for name, tc := range map[string]struct {
		code   int
		action float64
		want   cluster.Severity
	}{
		"new":                  {999, 0, cluster.Warning},
		"new, drain":           {999, signs.RecoverDrain, cluster.Critical},
		"the first new one":    {signs.NewestXid + 1, 9, cluster.Critical},
		"the newest, reset":    {signs.NewestXid, signs.RecoverReset, cluster.Warning},
		"new, reset":           {999, signs.RecoverReset, cluster.Critical},
		"unknown, reset":       {42, signs.RecoverReset, cluster.Warning},
		"link to the CPU":      {173, 0, cluster.Critical},
		"to be ignored":        {108, 0, cluster.Note},
		"a program, and reset": {31, signs.RecoverReset, cluster.Warning},
	} {
		g := cluster.GPU{GPU: &wire.GPU{}, Card: &wire.Card{}, Key: "x"}
		g.Values = metric.Make(map[metric.ID]float64{metric.RecoveryAction: tc.action})
		n := &cluster.Node{GPUs: []cluster.GPU{g}, Xids: []cluster.Xid{{At: t0, Code: uint64(tc.code), Key: "x"}}}
		s := ruleSubject{Subject: cluster.Subject{Node: n, GPU: &n.GPUs[0]}}
		for _, severity := range []cluster.Severity{cluster.Note, cluster.Warning, cluster.Critical} {
			if got := hasXid(severity)(s); got != (severity == tc.want) {
				t.Errorf("%s: %v: %t", name, severity, got)
			}
		}
	}
}
