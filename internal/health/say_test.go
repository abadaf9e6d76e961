package health

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

var t0 = time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC)

func at(sec float64) time.Time { return t0.Add(time.Duration(sec * float64(time.Second))) }

// world is a Store with these rules and one job on the node "a", which has one GPU. Its times are seconds after t0.
type world struct{ *cluster.Store }

func newWorld(minors ...int) world {
	w := world{cluster.NewStore(3*time.Second, Holding)}
	job := cluster.Job{ID: "1", Nodes: []string{"a"}}
	if minors != nil {
		job.Minors = map[string][]int{"a": minors}
	}
	w.Apply(cluster.Event{At: at(0), Discovery: &cluster.Discovery{Answered: at(0), Jobs: []cluster.Job{job}}})
	w.Apply(cluster.Event{At: at(0), Node: "a", Try: &cluster.Try{Interval: 3 * time.Second}})
	w.hello(wire.Hello{Driver: "550.54", GPUs: []wire.Card{{UUID: "x", Minor: new(0), Values: metric.Make(map[metric.ID]float64{metric.SMClockMax: 1980})}}})
	return w
}

func (w world) hello(h wire.Hello) { w.Apply(cluster.Event{At: at(0), Node: "a", Hello: &h}) }

func (w world) report(sec float64, r wire.Report) {
	r.MonoMS = 1000 + int64(sec*1000)
	w.Apply(cluster.Event{At: at(sec), Node: "a", Report: &r})
}

func (w world) sample(sec float64, g wire.GPU) { w.report(sec, wire.Report{GPUs: []wire.GPU{g}}) }

// findings are those of the job at a time, with their words.
func (w world) findings(sec float64) ([]cluster.Finding, []Words) {
	s := w.Snapshot(at(sec))
	var words []Words
	for i := range s.Jobs[0].Findings {
		words = append(words, Say(s, &s.Jobs[0].Findings[i]))
	}
	return s.Jobs[0].Findings, words
}

func TestGPUFindings(t *testing.T) {
	hot := wire.GPU{Values: metric.Make(map[metric.ID]float64{metric.Temperature: 87, metric.SMClock: 1215, metric.Throttle: wire.ThrottleHWThermal | wire.ThrottleHWSlowdown})}
	for name, tc := range map[string]struct {
		gpu      wire.GPU
		want     string // severity, where, kind, letter, flag, long
		sentence string
		over     string
	}{
		"well":      {wire.GPU{Values: metric.Make(map[metric.ID]float64{metric.Util: 97, metric.ECCUncorrected: 0, metric.Throttle: wire.ThrottleSWPowerCap | wire.ThrottleGPUIdle})}, "", "", ""},
		"no number": {wire.GPU{}, "", "", ""},
		"hot":       {hot, `2 a/0 thermal T "!THERM" "slowed by heat, 87°C"`, "Slowed by heat: 87°C, SM clock 1215 of 1980 MHz.", "Slowed by heat, over for 12s."},
		"brake":     {wire.GPU{Values: metric.Make(map[metric.ID]float64{metric.Throttle: wire.ThrottleHWPowerBrake | wire.ThrottleHWSlowdown})}, `2 a/0 power_brake P "!PWR" "power brake"`, "The power supply pulls the brake.", "Power brake, over for 12s."},
		"slow":      {wire.GPU{Values: metric.Make(map[metric.ID]float64{metric.SMClock: 990, metric.Throttle: wire.ThrottleHWSlowdown})}, `2 a/0 hw_slowdown T "!SLOW" "slowed by the hardware"`, "Slowed by the hardware for a reason that the driver does not name, SM clock 990 of 1980 MHz.", "Slowed by the hardware, over for 12s."},
		"ecc":       {wire.GPU{Values: metric.Make(map[metric.ID]float64{metric.ECCUncorrected: 2})}, `2 a/0 ecc E "ECC:2" "ECC 2 uncorrected"`, "2 uncorrected memory errors since the driver was loaded.", "Memory errors, over for 12s."},
		"one error": {wire.GPU{Values: metric.Make(map[metric.ID]float64{metric.ECCUncorrected: 1})}, `2 a/0 ecc E "ECC:1" "ECC 1 uncorrected"`, "1 uncorrected memory error since the driver was loaded.", "Memory errors, over for 12s."},
		"lost":      {wire.GPU{Lost: "GPU is lost"}, `3 a/0 gpu_lost X "LOST" "lost"`, "NVML says of it: GPU is lost.", "Lost, over for 12s."},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			w.sample(1, tc.gpu)
			w.sample(4, tc.gpu)
			check := func(sec float64, since float64, sentence string) (words Words) {
				findings, said := w.findings(sec)
				got := ""
				for i, f := range findings {
					words = said[i]
					got = fmt.Sprintf("%d %s/%d %s %c %q %q", f.Severity, f.Node, f.GPU, f.Kind, words.Letter, words.Flag, words.Long)
					if words.Sentence != sentence || !f.Since.Equal(at(since)) {
						t.Errorf("%q since %v, want %q since %v", words.Sentence, f.Since, sentence, at(since))
					}
				}
				if f := findings; len(f) > 1 || len(f) == 1 && f[0].Holds() && got != tc.want || len(f) == 0 && tc.want != "" {
					t.Errorf("%d findings, %s, want %s", len(f), got, tc.want)
				}
				return words
			}
			if words := check(4, 1, tc.sentence); (words.Hint == "") != (tc.want == "") {
				t.Errorf("hint %q", words.Hint)
			}
			w.sample(7, wire.GPU{Values: metric.Make(map[metric.ID]float64{metric.Temperature: 50, metric.SMClock: 1980})})
			if words := check(16, 1, tc.over); words.Flag != "" || words.Hint != "" {
				t.Errorf("what is over has the flag %q and the hint %q", words.Flag, words.Hint)
			}
		})
	}
}

// Slowdowns that are the driver at its work, or one odd sample, are not told.
func TestShortSlowdownsAreNoFindings(t *testing.T) {
	for name, tc := range map[string]struct {
		bits  uint64
		after float64 // seconds until it is one
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

// The same Snapshot has the same findings in the same order, each time.
func TestFindingsKeepTheirOrder(t *testing.T) {
	w := newWorld()
	for sec := 1.0; sec < 60; sec += 3 {
		w.sample(sec, wire.GPU{Values: metric.Make(map[metric.ID]float64{metric.ECCUncorrected: 1, metric.Throttle: wire.ThrottleSWThermal | wire.ThrottleHWSlowdown})})
	}
	for range 50 {
		f, _ := w.findings(60)
		if len(f) != 3 || f[0].Kind != cluster.KindECC || f[1].Kind != cluster.KindThermal || f[2].Kind != cluster.KindSlowdown {
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
		"no library":       {nil, wire.Hello{Fault: "libnvidia-ml.so.1 not found", FaultID: wire.FaultNoLibrary}, cluster.KindNoDriver, "library is not on this node"},
		"mismatch":         {nil, wire.Hello{Fault: "x", FaultID: wire.FaultMismatch}, cluster.KindNoDriver, "different versions"},
		"no driver":        {nil, wire.Hello{Fault: "x", FaultID: wire.FaultNoDriver}, cluster.KindNoDriver, "does not answer"},
		"no cgo":           {nil, wire.Hello{Fault: "x", FaultID: wire.FaultNoNVML}, cluster.KindNoDriver, "without cgo"},
		"another":          {nil, wire.Hello{Fault: "x", FaultID: "y"}, cluster.KindNoDriver, "cannot be used: x."},
		"job without GPUs": {[]int{}, wire.Hello{Fault: "x", FaultID: wire.FaultNoLibrary}, "", ""},
		"old driver":       {nil, wire.Hello{Driver: "450.1", Missing: []string{"nvmlX"}}, cluster.KindOldDriver, "Driver 450.1 lacks 1"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(tc.minors...)
			w.hello(tc.hello)
			w.report(1, wire.Report{})
			f, words := w.findings(1)
			switch {
			case tc.want == "" && len(f) > 0:
				t.Errorf("findings %+v", f)
			case tc.want != "" && (len(f) != 1 || f[0].Kind != tc.want || !strings.Contains(words[0].Sentence, tc.says)):
				t.Errorf("findings %+v %+v, want %s with %q", f, words, tc.want, tc.says)
			}
		})
	}
}

func TestNodeWords(t *testing.T) {
	adopt := &reach.Failure{
		Class: reach.ClassAdopt, Short: "login refused", Detail: "pam_slurm_adopt", Meaning: "the node refuses the login",
		Words: "Access denied by pam_slurm_adopt: you have no active jobs on this node\nConnection closed", Hints: []string{"is the job still running there?", "x"},
	}
	other := &reach.Failure{Class: reach.ClassOther, Short: "it broke", Words: "it broke"}
	refused := `The node refuses the login. It said: "Access denied by pam_slurm_adopt: you have no active jobs on this node".`
	for name, tc := range map[string]struct {
		kind  cluster.Kind
		class reach.Class
		node  *cluster.Node
		want  string // group, long, short, sentence, hint
	}{
		"refused":         {cluster.KindFailed, reach.ClassAdopt, &cluster.Node{Failure: adopt}, "nodes refused|login refused (pam_slurm_adopt)|login refused (pam_slurm_adopt)|" + refused + "|is the job still running there?"},
		"of no group":     {cluster.KindFailed, reach.ClassOther, &cluster.Node{Failure: other}, "nodes failed|it broke|it broke|It broke. It said: \"it broke\".|"},
		"lost":            {cluster.KindStale, reach.ClassOther, &cluster.Node{Failure: other}, "nodes failed|it broke|it broke|It broke. It said: \"it broke\".|"},
		"silent":          {cluster.KindStale, reach.ClassSilent, &cluster.Node{}, "nodes silent|silent|silent|No report for more than 3 polls; the connection still looks open.|wait up to 30s: the connection is being checked"},
		"driver hangs":    {cluster.KindFailed, reach.ClassDriverHangs, nil, "drivers hung||||"},
		"login hangs":     {cluster.KindFailed, reach.ClassLoginHangs, nil, "logins hung||||"},
		"no probe":        {cluster.KindFailed, reach.ClassProbeLate, nil, "probes not started||||"},
		"waiting":         {cluster.KindConnecting, "", &cluster.Node{}, "connecting|connecting: waiting for its turn|waiting for its turn|Connecting: waiting for its turn.|"},
		"connecting":      {cluster.KindConnecting, "", &cluster.Node{Steps: []reach.Step{{Stage: "name"}, {Stage: "TCP"}}}, "connecting|connecting: dialing|dialing|Connecting: dialing.|"},
		"an unknown step": {cluster.KindConnecting, "", &cluster.Node{Steps: []reach.Step{{Stage: "beam"}}}, "connecting|connecting: beam|beam|Connecting: beam.|"},
		"collector":       {cluster.KindFault, "", &cluster.Node{Faults: []wire.Fault{{Collector: "host", Error: "no /proc"}, {Collector: "x"}}}, "collectors failing|host cannot be read|host fails|The probe cannot read host: no /proc.|"},
		"gone":            {cluster.KindFailed, reach.ClassAdopt, nil, "nodes refused||||"},
	} {
		s := &cluster.Snapshot{At: t0, Nodes: map[string]*cluster.Node{"a": tc.node}}
		w := Say(s, &cluster.Finding{Kind: tc.kind, Class: tc.class, Node: "a", GPU: -1})
		if got := strings.Join([]string{w.Group[1], w.Long, w.Short, w.Sentence, w.Hint}, "|"); got != tc.want {
			t.Errorf("%s: %s\nwant %s", name, got, tc.want)
		}
		over := Say(s, &cluster.Finding{Kind: tc.kind, Class: tc.class, Node: "a", GPU: -1, Over: at(-12)})
		if !strings.HasSuffix(over.Sentence, ", over for 12s.") || strings.HasPrefix(over.Sentence, ",") || over.Short == "" {
			t.Errorf("%s: when it is over: %+v", name, over)
		}
	}
}

// A GPU that was lost before the probe began has no number to be called by.
func TestUnplacedGPU(t *testing.T) {
	w := newWorld()
	w.hello(wire.Hello{GPUs: []wire.Card{{Index: 4, Lost: "GPU is lost"}}})
	w.report(1, wire.Report{})
	if _, words := w.findings(1); len(words) != 1 || words[0].Sentence != "A GPU whose number is not known (index 4 for NVML) is lost: GPU is lost." {
		t.Errorf("%+v", words)
	}
}

// Every kind that a rule can find has words, and every word is of such a kind.
func TestEveryKindHasWords(t *testing.T) {
	found := map[cluster.Kind]bool{}
	for _, r := range rules {
		found[r.kind] = true
		if w := wordings[r.kind]; w.say == nil || w.Group[0] == "" {
			t.Errorf("%s has no words", r.kind)
		}
	}
	for kind := range wordings {
		if !found[kind] {
			t.Errorf("there are words for %s, which no rule finds", kind)
		}
	}
}
