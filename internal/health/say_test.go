package health

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/health/signs"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

var t0 = time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC)

func at(sec float64) time.Time { return t0.Add(time.Duration(sec * float64(time.Second))) }

// world is a Store with these rules and one job on the node "a", which has one GPU. Its times are seconds after t0.
type world struct{ *store.Store }

func newWorld(minors ...int) world {
	w := world{store.New(3*time.Second, Rules(Defaults()))}
	job := cluster.Job{ID: "1", Nodes: []string{"a"}}
	if minors != nil {
		job.Minors, job.Configured = map[string][]int{"a": minors}, map[string]int{"a": len(minors)}
	}
	w.Apply(cluster.Event{At: at(0), Discovery: &cluster.Discovery{Answered: at(0), Jobs: []cluster.Job{job}}})
	w.Apply(cluster.Event{At: at(0), Node: "a", Try: &cluster.Try{Interval: 3 * time.Second}})
	w.hello(wire.Hello{Driver: "550.54",
		GPUs: []wire.Card{{UUID: "x", Minor: new(0),
			Values: metric.Make(map[metric.ID]float64{metric.SMClockMax: 1980})}}})
	return w
}

func (w world) hello(h wire.Hello) { w.Apply(cluster.Event{At: at(0), Node: "a", Hello: &h}) }

func (w world) report(sec float64, r wire.Report) {
	r.MonoMS = 1000 + int64(sec*1000)
	w.Apply(cluster.Event{At: at(sec), Node: "a", Report: &r})
}

func (w world) sample(sec float64, g wire.GPU) { w.report(sec, wire.Report{GPUs: []wire.GPU{g}}) }

// findings are the findings of the job at a time, with their words.
func (w world) findings(sec float64) ([]cluster.Finding, []say.Words) {
	s := w.Snapshot(at(sec))
	var words []say.Words
	for i := range s.Jobs[0].Findings {
		words = append(words, say.Finding(s, &s.Jobs[0].Findings[i]))
	}
	return s.Jobs[0].Findings, words
}

func TestGPUFindings(t *testing.T) {
	hot := wire.GPU{Values: metric.Make(map[metric.ID]float64{metric.Temperature: 87, metric.SMClock: 1215,
		metric.Throttle: wire.ThrottleHWThermal | wire.ThrottleHWSlowdown})}
	for name, tc := range map[string]struct {
		gpu      wire.GPU
		want     string // severity, where, kind, letter, flag, long
		sentence string
		over     string
	}{
		"well": {wire.GPU{Values: metric.Make(map[metric.ID]float64{metric.Util: 97, metric.ECCUncorrected: 0,
			metric.Throttle: wire.ThrottleSWPowerCap | wire.ThrottleGPUIdle})}, "", "", ""},
		"no number": {wire.GPU{}, "", "", ""},
		"hot": {hot, `2 a/0 thermal T "!THERMAL" "thermal throttling, 87°C"`,
			"Thermal throttling: 87°C, SM clock 1215 of 1980 MHz.", "Thermal throttling, cleared 12s ago."},
		"brake": {wire.GPU{Values: metric.Make(map[metric.ID]float64{metric.Throttle: wire.ThrottleHWPowerBrake | wire.ThrottleHWSlowdown})}, `2 a/0 power_brake P "!POWER" "power brake"`, "Power brake by the hardware.", "Power brake, cleared 12s ago."},
		"slow": {wire.GPU{Values: metric.Make(map[metric.ID]float64{metric.SMClock: 990,
			metric.Throttle: wire.ThrottleHWSlowdown})}, `2 a/0 hw_slowdown T "!SLOW" "hardware slowdown"`,
			"Hardware slowdown, reason not reported by the driver: SM clock 990 of 1980 MHz.",
			"Hardware slowdown, cleared 12s ago."},
		"ecc": {wire.GPU{Values: metric.Make(map[metric.ID]float64{metric.ECCUncorrected: 2})},
			`2 a/0 ecc E "ECC:2" "2 ECC errors"`, "2 uncorrectable ECC errors since driver load.",
			"ECC errors, cleared 12s ago."},
		"one error": {wire.GPU{Values: metric.Make(map[metric.ID]float64{metric.ECCUncorrected: 1})},
			`2 a/0 ecc E "ECC:1" "1 ECC error"`, "1 uncorrectable ECC error since driver load.",
			"ECC errors, cleared 12s ago."},
		"lost": {wire.GPU{Lost: "GPU is lost", LostID: wire.LostFellOff}, `3 a/0 gpu_lost X "LOST" "lost"`,
			`GPU lost (NVML: "GPU is lost").`, "GPU lost, cleared 12s ago."},
		"unusable": {wire.GPU{Lost: "Insufficient External Power", LostID: wire.LostPower},
			`3 a/0 gpu_unusable X "UNUSABLE" "unusable: Insufficient External Power"`,
			"GPU unusable, the driver cannot access it: Insufficient External Power.", "GPU unusable, cleared 12s ago."},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			w.sample(1, tc.gpu)
			w.sample(4, tc.gpu)
			check := func(sec float64, since float64, sentence string) (words say.Words) {
				findings, said := w.findings(sec)
				got := ""
				for i, f := range findings {
					words = said[i]
					got = fmt.Sprintf("%d %s/%d %s %c %q %q", f.Severity, f.Node, f.GPU, f.Kind, words.Letter,
						words.Flag, words.Long)
					if words.Sentence != sentence || !f.Since.Equal(at(since)) {
						t.Errorf("%q since %v, want %q since %v", words.Sentence, f.Since, sentence, at(since))
					}
				}
				if f := findings; len(f) > 1 || len(f) == 1 && f[0].Holds() && got != tc.want || len(f) == 0 &&
					tc.want != "" {
					t.Errorf("%d findings, %s, want %s", len(f), got, tc.want)
				}
				return words
			}
			if words := check(4, 1, tc.sentence); (words.Hint == "") != (tc.want == "") {
				t.Errorf("hint %q", words.Hint)
			}
			w.sample(7, wire.GPU{Values: metric.Make(map[metric.ID]float64{metric.Temperature: 50,
				metric.SMClock: 1980})})
			if words := check(16, 1, tc.over); words.Flag != "" || words.Hint != "" {
				t.Errorf("what is over has the flag %q and the hint %q", words.Flag, words.Hint)
			}
		})
	}
}

// A hanging call began before anybody could know.
func TestHang(t *testing.T) {
	w := newWorld()
	w.sample(78, wire.GPU{HangsMS: 9000})
	if f, _ := w.findings(78); len(f) > 0 {
		t.Errorf("a call of 9 s is told: %+v", f)
	}
	hung := wire.GPU{HangsMS: 40_000, Call: "power",
		Values: metric.Make(map[metric.ID]float64{metric.ECCUncorrected: 1})}
	w.sample(81, hung)
	f, words := w.findings(81)
	if len(f) != 1 || f[0].Kind != cluster.KindHang || f[0].Severity != cluster.Critical || !f[0].Since.Equal(at(41)) ||
		f[0].GPU != 0 {
		t.Fatalf("%+v", f)
	}
	const want = "GPU hung: a driver call (power) has not returned for 40s."
	if words[0].Sentence != want || words[0].Letter != 'X' {
		t.Errorf("%+v", words[0])
	}
	if seen := w.Snapshot(at(81)).Jobs[0].GPUsSeen; seen != 0 {
		t.Errorf("%d GPUs report", seen)
	}
	w.sample(84, wire.GPU{})
	if f, _ := w.findings(84); len(f) != 1 || f[0].Holds() {
		t.Errorf("when the call has returned: %+v", f)
	}
	w = newWorld()
	w.sample(81, hung)
	if f, _ := w.findings(81); len(f) == 0 || f[0].Before || !f[0].Since.Equal(at(41)) {
		t.Errorf("in the first report: %+v", f)
	}
}

// A driver that is slower than the pace is one finding with one age, while the node reports on.
func TestSlowDriver(t *testing.T) {
	w := newWorld(0)
	old := wire.Report{TookMS: 2000, GPUs: []wire.GPU{{AgeMS: 4000}}}
	for sec := 1.0; sec < 600; sec += 14 {
		w.report(sec, wire.Report{TookMS: 14_000})
	}
	f, words := w.findings(595)
	if len(f) != 1 || f[0].Kind != cluster.KindSlow || f[0].Severity != cluster.Warning || !f[0].Since.Equal(at(1)) ||
		f[0].Times != 1 {
		t.Fatalf("%+v", f)
	}
	if want := "The driver takes 14s to answer but is polled every 3s."; words[0].Sentence != want ||
		words[0].Hint == "" {
		t.Errorf("%+v, want %q", words[0], want)
	}
	w = newWorld()
	w.report(1, old)
	w.report(4, old)
	if f, words := w.findings(4); len(f) != 1 ||
		words[0].Sentence != "The driver cannot keep up: it is polled every 3s." {
		t.Errorf("numbers that are repeated: %+v %+v", f, words)
	}
}

// A number that one GPU does not report is a warning about this GPU; a number that the node does not report is a note.
func TestFaults(t *testing.T) {
	w := newWorld()
	r := wire.Report{GPUs: []wire.GPU{{}}, Faults: []wire.Fault{
		{Collector: "utilization", Error: "Unknown Error", GPUs: []int{0}},
		{Collector: "memory", Error: "no /proc/meminfo"}, {Collector: "power", Error: "Unknown Error",
			GPUs: []int{0, 1}},
	}}
	w.report(1, r)
	if f, _ := w.findings(1); len(f) != 1 || f[0].GPU >= 0 {
		t.Errorf("after one report: %+v", f)
	}
	w.report(4, r)
	f, words := w.findings(4)
	got := ""
	for i := range f {
		got += fmt.Sprintf("%d %d %s / %s\n", f[i].Severity, f[i].GPU, words[i].Many, words[i].Sentence)
	}
	const want = "2 0 GPUs missing metrics / Utilization, power unavailable: Unknown Error.\n0 -1 nodes missing " +
		"metrics / Memory unavailable: no /proc/meminfo.\n"
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// Slowdowns by the driver's own work, or in one odd sample, are not reported.
func TestShortSlowdownsAreNoFindings(t *testing.T) {
	for name, tc := range map[string]struct {
		bits  uint64
		after float64 // seconds until the slowdown is a finding
	}{
		"software thermal": {wire.ThrottleSWThermal, 30},
		"hardware":         {wire.ThrottleHWSlowdown, 3},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			for sec := 1.0; sec <= 61; sec += 3 {
				w.sample(sec, wire.GPU{Values: metric.Make(map[metric.ID]float64{metric.Throttle: float64(tc.bits)})})
				if f, _ := w.findings(sec); len(f) > 0 != (sec-1 >= tc.after) {
					t.Fatalf("%g s after it began: %+v, want it after %g s", sec-1, f, tc.after)
				}
			}
			w.sample(64, wire.GPU{Values: metric.Make(map[metric.ID]float64{metric.Throttle: 0})})
			w.sample(121.1, wire.GPU{})
			w.sample(124, wire.GPU{Values: metric.Make(map[metric.ID]float64{metric.Throttle: float64(tc.bits)})})
			for _, f := range w.Snapshot(at(124)).Jobs[0].Findings {
				if f.GPU >= 0 {
					t.Errorf("a new slowdown counts from the old one's beginning: %+v", f)
				}
			}
		})
	}
}

// The same Snapshot always has the same findings in the same order.
func TestFindingsKeepTheirOrder(t *testing.T) {
	w := newWorld()
	for sec := 1.0; sec < 60; sec += 3 {
		w.sample(sec, wire.GPU{Values: metric.Make(map[metric.ID]float64{metric.ECCUncorrected: 1,
			metric.Throttle: wire.ThrottleSWThermal | wire.ThrottleHWSlowdown})})
	}
	for range 50 {
		f, _ := w.findings(60)
		if len(f) != 3 || f[0].Kind != cluster.KindECC || f[1].Kind != cluster.KindThermal ||
			f[2].Kind != cluster.KindSlowdown {
			t.Fatalf("findings %+v", f)
		}
	}
}

func TestDriverFindings(t *testing.T) {
	for name, tc := range map[string]struct {
		minors []int
		hello  wire.Hello
		want   cluster.Kind
		says   string
	}{
		"no library": {nil, wire.Hello{Fault: "libnvidia-ml.so.1 not found", FaultID: wire.FaultNoLibrary},
			cluster.KindNoDriver, "library not found"},
		"mismatch": {nil, wire.Hello{Fault: "x", FaultID: wire.FaultMismatch}, cluster.KindNoDriver,
			"version mismatch: x."},
		"no driver": {nil, wire.Hello{Fault: "x", FaultID: wire.FaultNoDriver}, cluster.KindNoDriver,
			"driver not responding: x."},
		"no cgo":           {nil, wire.Hello{Fault: "x", FaultID: wire.FaultNoNVML}, cluster.KindNoDriver, "no cgo"},
		"another":          {nil, wire.Hello{Fault: "x", FaultID: "y"}, cluster.KindNoDriver, "not usable: x."},
		"job without GPUs": {[]int{}, wire.Hello{Fault: "x", FaultID: wire.FaultNoLibrary}, "", ""},
		"old driver": {nil, wire.Hello{Driver: "450.1", Missing: []string{"nvmlX"}}, cluster.KindOldDriver,
			"Driver 450.1 does not support 1 NVML call; its column is empty."},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(tc.minors...)
			w.hello(tc.hello)
			w.report(1, wire.Report{})
			f, words := w.findings(1)
			switch {
			case tc.want == "" && len(f) > 0:
				t.Errorf("findings %+v", f)
			case tc.want != "" && (len(f) != 1 || f[0].Kind != tc.want ||
				!strings.Contains(words[0].Sentence, tc.says)):
				t.Errorf("findings %+v %+v, want %s with %q", f, words, tc.want, tc.says)
			}
		})
	}
}

func TestNodeWords(t *testing.T) {
	adopt := &reach.Failure{
		Class: reach.ClassAdopt, Short: "login refused", Detail: "pam_slurm_adopt",
		Meaning: "the node refuses the login",
		Words:   "Access denied by pam_slurm_adopt: you have no active jobs on this node\nConnection closed",
		Hints:   []string{"is the job still running there?", "x"},
	}
	other := &reach.Failure{Class: reach.ClassOther, Short: "it broke", Words: "it broke"}
	refused := `Login refused: "you have no active jobs on this node" (pam_slurm_adopt).`
	for name, tc := range map[string]struct {
		kind  cluster.Kind
		class reach.Class
		node  *cluster.Node
		want  string // group, long, short, sentence, hint
	}{
		"refused": {cluster.KindFailed, reach.ClassAdopt, &cluster.Node{Failure: adopt},
			"logins refused|login refused (pam_slurm_adopt)|login refused (pam_slurm_adopt)|" + refused +
				"|is the job still running there?"},
		"of no group": {cluster.KindFailed, reach.ClassOther, &cluster.Node{Failure: other},
			"nodes failed|it broke|it broke|It broke.|"},
		"lost": {cluster.KindStale, reach.ClassOther, &cluster.Node{Failure: other},
			"nodes failed|it broke|it broke|It broke.|"},
		"silent": {cluster.KindStale, reach.ClassSilent, &cluster.Node{Age: 12 * time.Second},
			"nodes not responding|not responding|not responding|No report for 12s; the connection is still " +
				"open.|wait up to 30s: the connection is being checked"},
		"driver hangs": {cluster.KindFailed, reach.ClassDriverHangs, nil, "drivers hung||||"},
		"login hangs":  {cluster.KindFailed, reach.ClassLoginHangs, nil, "logins hung||||"},
		"replaced":     {cluster.KindFailed, reach.ClassReplaced, nil, "drivers replaced||||"},
		"no probe":     {cluster.KindFailed, reach.ClassProbeLate, nil, "probes not started||||"},
		"waiting": {cluster.KindConnecting, "", &cluster.Node{},
			"nodes connecting|connecting: queued|queued|Connecting: queued.|"},
		"connecting": {cluster.KindConnecting, "",
			&cluster.Node{Steps: []reach.Step{{Stage: "name"}, {Stage: "TCP"}}},
			"nodes connecting|connecting: connecting to port 22|connecting to port 22|Connecting: connecting to port " +
				"22.|"},
		"an unknown step": {cluster.KindConnecting, "", &cluster.Node{Steps: []reach.Step{{Stage: "beam"}}},
			"nodes connecting|connecting: beam|beam|Connecting: beam.|"},
		"collector": {cluster.KindFault, "",
			&cluster.Node{Faults: []wire.Fault{{Collector: "host", Error: "no /proc"},
				{Collector: "x", GPUs: []int{0}}}},
			"nodes missing metrics|host unavailable|no host|Host unavailable: no /proc.|"},
		"gone": {cluster.KindFailed, reach.ClassAdopt, nil, "logins refused||||"},
	} {
		s := &cluster.Snapshot{At: t0, Nodes: map[string]*cluster.Node{"a": tc.node}}
		w := say.Finding(s, &cluster.Finding{Kind: tc.kind, Class: tc.class, Node: "a", GPU: -1})
		if got := strings.Join([]string{w.Many, w.Long, w.Short, w.Sentence, w.Hint}, "|"); got != tc.want {
			t.Errorf("%s: %s\nwant %s", name, got, tc.want)
		}
		over := say.Finding(s, &cluster.Finding{Kind: tc.kind, Class: tc.class, Node: "a", GPU: -1, Over: at(-12)})
		if !strings.HasSuffix(over.Sentence, ", cleared 12s ago.") || strings.HasPrefix(over.Sentence, ",") ||
			over.Short == "" {
			t.Errorf("%s: when it is over: %+v", name, over)
		}
	}
}

// A GPU that was lost before the probe began, and has no distinguishing feature, is named by its known facts.
func TestUnplacedGPU(t *testing.T) {
	for want, card := range map[string]wire.Card{
		"NVML index 0": {}, "GPU-x": {UUID: "GPU-x"}, "00000000:1B:00.0": {UUID: "GPU-x", PCIBus: "00000000:1B:00.0"},
	} {
		w := newWorld()
		card.Lost, card.LostID = "GPU is lost", wire.LostFellOff
		w.hello(wire.Hello{Job: "7", GPUs: []wire.Card{card}})
		w.report(1, wire.Report{})
		if f, words := w.findings(1); len(words) != 1 || f[0].GPU != -1 ||
			words[0].Sentence != "GPU with unknown number ("+want+") lost: GPU is lost." {
			t.Errorf("%+v %+v", f, words)
		}
	}
}

// A duration below a second, or between two whole seconds, is not rounded to whole seconds.
func TestSlowDriverOfAFastPace(t *testing.T) {
	for _, tc := range []struct {
		interval time.Duration
		report   wire.Report
		want     string
	}{
		{250 * time.Millisecond, wire.Report{GPUs: []wire.GPU{{AgeMS: 4000}}},
			"The driver cannot keep up: it is polled every 0.25s."},
		{1500 * time.Millisecond, wire.Report{TookMS: 1840},
			"The driver takes 1.8s to answer but is polled every 1.5s."},
		{9 * time.Second, wire.Report{TookMS: 9980}, "The driver takes 10s to answer but is polled every 9s."},
		{10 * time.Second, wire.Report{TookMS: 11_500}, "The driver takes 11s to answer but is polled every 10s."},
	} {
		w := newWorld()
		w.Apply(cluster.Event{At: at(0), Node: "a", Try: &cluster.Try{Interval: tc.interval}})
		w.report(1, tc.report)
		w.report(1.25, tc.report)
		if f, words := w.findings(1.25); len(f) != 1 || words[0].Sentence != tc.want {
			t.Errorf("every %v: %+v %+v, want %q", tc.interval, f, words, tc.want)
		}
	}
}

// A call can hang for days.
func TestALongHang(t *testing.T) {
	w := newWorld()
	w.sample(1, wire.GPU{HangsMS: (72 * time.Hour).Milliseconds()})
	if f, words := w.findings(1); len(f) != 1 || !strings.Contains(words[0].Sentence, " 72h.") ||
		!f[0].Since.Equal(at(1).Add(-72*time.Hour)) {
		t.Errorf("%+v %+v", f, words)
	}
}

// The file system that is nearly full is named, not another with a smaller share of free space.
func TestTheFullDiskIsNamed(t *testing.T) {
	for want, numbers := range map[string]m{
		"/tmp has 0.9 of 20.0 GiB left.": {metric.TmpFree: 0.9 * signs.GiB, metric.TmpTotal: 20 * signs.GiB,
			metric.DiskFree: 80 * signs.GiB, metric.DiskTotal: 4000 * signs.GiB},
		"The local disk has 0.9 of 20.0 GiB left.": {metric.TmpFree: 0.1 * signs.GiB, metric.TmpTotal: signs.GiB * 4,
			metric.DiskFree: 0.9 * signs.GiB, metric.DiskTotal: 20 * signs.GiB},
	} {
		w := newWorld()
		w.report(1, wire.Report{Host: wire.Host{Values: metric.Make(numbers)}})
		if f, words := w.findings(1); len(f) != 1 || f[0].Kind != cluster.KindDisk || words[0].Sentence != want {
			t.Errorf("%+v %+v, want %q", f, words, want)
		}
	}
}

// In a job of two nodes, a node has one other node, in the singular.
func TestClockOfTwo(t *testing.T) {
	s := clock(7*time.Second, cluster.Common{Clocks: 2})
	s.Job.Nodes = []string{"a", "b"}
	if w := sayOf(cluster.KindClockSkew,
		s); w.Sentence != "The clock of this node is 7s ahead of that of the job's other node." {
		t.Error(w.Sentence)
	}
}
