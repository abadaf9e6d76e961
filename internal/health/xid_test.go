package health

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// xidAt is a report of GPU 0 with an Xid that the probe got a second ago.
func xidAt(sec float64, code uint64) wire.Report {
	return wire.Report{Xids: []wire.Xid{{Code: code, MonoMS: int64(sec * 1000)}}, GPUs: []wire.GPU{{}}}
}

// An Xid is told from its own time on, for an hour, with what followed from it, and then as cleared.
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
	const want = "Xid 79: the GPU has fallen off the bus, 72s ago; then Xid 45, 154. Mostly a fault of the hardware. " +
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
		codes    []int // a second apart
		sentence string
		hint     string
	}{
		{[]int{999}, "Xid 999: see NVIDIA's Xid catalog, 10s ago.", "report it to your admins"},
		{[]int{38}, "Xid 38: driver firmware error, 10s ago. Mostly a fault of the driver or its firmware. NVIDIA: " +
			"no action.", watch},
		{[]int{167}, "Xid 167: fatal PCIe timeout, 10s ago. Mostly a fault of the hardware.", needsBoot},
		{[]int{31, 31, 31}, "Xid 31: GPU memory page fault: illegal address in a kernel, 8s ago, 3 times since " +
			"18:00:00. Mostly an error of the program. NVIDIA: restart the program.", debug},
		{[]int{13, 79, 45}, "Xid 79: the GPU has fallen off the bus, 9s ago; then Xid 45. Mostly a fault of the " +
			"hardware. NVIDIA: restart the node.", needsBoot},
		{[]int{45, 94}, "Xid 94: contained memory error: only one program was hit, 9s ago. Mostly a fault of the " +
			"hardware. NVIDIA: restart the program.", "restart the program; other programs and GPUs are not affected"},
	} {
		s := had(tc.codes...)
		s.Node.Arrived = t0.Add(10 * time.Second)
		if words := sayOf(cluster.KindXid, s); words.Sentence != tc.sentence || words.Hint != tc.hint {
			t.Errorf("%v: %q → %q, want %q → %q", tc.codes, words.Sentence, words.Hint, tc.sentence, tc.hint)
		}
	}
}

// Within a minute it is a consequence, after that it is a cause of its own.
func TestXidsApart(t *testing.T) {
	for _, tc := range []struct {
		apart  time.Duration
		causes int
	}{{60 * time.Second, 1}, {61 * time.Second, 2}} {
		n := &cluster.Node{Xids: []cluster.Xid{{At: t0.Add(tc.apart), Code: 43, Key: "y"},
			{At: t0, Code: 31, Key: "x"}}}
		if got := causes(n); len(got) != tc.causes || got[0].Code != 31 {
			t.Errorf("%v apart: %+v", tc.apart, got)
		}
	}
}

// meanings are the codes that have a meaning in NVIDIA's catalog. Those from 162 on have no action there.
var meanings = []uint64{
	8, 11, 13, 25, 31, 32, 37, 38, 39, 40, 41, 43, 44, 45, 46, 48, 54, 60, 62, 63, 64, 66, 67, 68, 69, 70, 71, 72, 74,
	75, 76, 77, 78, 79, 80, 82, 83,
	84, 85, 86, 88, 89, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 109, 110, 119, 120, 121,
	126, 127, 128, 129, 130, 131,
	132, 133, 134, 135, 136, 137, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155,
	156, 157, 158, 159, 160, 161,
	162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172,
}

func TestXidCatalog(t *testing.T) {
	if codes := slices.Sorted(maps.Keys(xids)); len(meanings) != 109 || !slices.Equal(codes, meanings) {
		t.Errorf("%d codes: %v", len(codes), codes)
	}
	for code, x := range xids {
		first, _, _ := strings.Cut(x.name, " ")
		if x.name == "" || x.whose == "" || x.hint == "" && !x.follows || strings.ToUpper(first[:1]) == first[:1] &&
			strings.ToUpper(first) != first && first != "NVLink" {
			t.Errorf("%d: %+v", code, x)
		}
		if (x.action == noAction) != (code >= 162) {
			t.Errorf("%d: NVIDIA's action is %q", code, x.action)
		}
	}
}

// What NVIDIA says to ignore is at most a note, and what it says to reset or restart is worth a look.
func TestXidActions(t *testing.T) {
	of := map[action][]uint64{
		ignore: {37, 38, 43, 44, 63, 66, 67, 92, 93, 106, 107, 121, 137, 141, 152, 153, 157, 160, 161},
		restartApp: {8, 11, 13, 25, 31, 32, 39, 40, 41, 60, 68, 69, 70, 71, 72, 75, 76, 77, 80, 82, 83, 84, 85, 86, 88,
			89, 94, 96, 97, 98, 99, 100, 101,
			102, 103, 104, 105, 126, 127, 128, 129, 130, 131, 132, 133, 134, 135, 139},
		resetGPU: {46, 62, 64, 95, 109, 110, 119, 120, 136, 140, 143, 155, 156, 158},
	}
	severities := map[action][]cluster.Severity{ignore: {cluster.Note}, restartApp: {cluster.Warning},
		resetGPU: {cluster.Warning, cluster.Critical}}
	for what, codes := range of {
		for _, code := range codes {
			if x := xids[code]; x.action != what || !slices.Contains(severities[what], x.severity) && code != 43 {
				t.Errorf("%d: NVIDIA's action is %q, severity %v", code, x.action, x.severity)
			}
		}
	}
	for code, x := range xids {
		if codes, listed := of[x.action]; listed && !slices.Contains(codes, code) {
			t.Errorf("%d: NVIDIA's action is not %q", code, x.action)
		}
	}
}

// What the driver advises stands above our own advice.
func TestTheDriversAdvice(t *testing.T) {
	w := newWorld()
	w.sample(1, wire.GPU{Values: metric.Make(m{metric.ECCUncorrected: 1, metric.RecoveryAction: 1})})
	f, words := w.findings(1)
	if len(f) != 2 || f[0].Kind != cluster.KindRecovery || words[0].Flag != "RESET" ||
		words[0].Sentence != "The driver asks to reset this GPU." {
		t.Fatalf("%+v %+v", f, words)
	}
	if want := "the driver asks to reset this GPU: report it to your admins"; words[1].Hint != want {
		t.Errorf("hint %q, want %q", words[1].Hint, want)
	}
	w = newWorld()
	w.sample(1, wire.GPU{Values: metric.Make(m{metric.RecoveryAction: 9})})
	if _, words := w.findings(1); words[0].Flag != "ACTION:9" ||
		words[0].Sentence != "The driver asks to take recovery action 9." {
		t.Errorf("%+v", words)
	}
}
