package cluster

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// sample sends a report of one GPU.
func (w world) sample(sec float64, node string, g wire.GPU) {
	w.Apply(Event{At: at(sec), Node: node, Report: &wire.Report{MonoMS: 1000 + int64(sec*1000), GPUs: []wire.GPU{g}}})
}

// summary is a line for each finding of the first job: severity, where, kind, flag, long.
func summary(s *Snapshot) string {
	var b strings.Builder
	for _, f := range s.Jobs[0].Findings {
		fmt.Fprintf(&b, "%d %s/%d %s %q %q\n", f.Severity, f.Node, f.GPU, f.Kind, f.Flag, f.Long)
	}
	return b.String()
}

func oneNode(minors ...int) world {
	w := newWorld()
	job := Job{ID: "1", Nodes: []string{"a"}}
	if minors != nil {
		job.Minors = map[string][]int{"a": minors}
	}
	w.jobs(0, job)
	w.try(0, "a")
	w.hello(0, "a", 1)
	return w
}

func TestGPUFindings(t *testing.T) {
	hot := wire.GPU{TempC: new(87), SMMHz: new(1215), Throttle: new(uint64(wire.ThrottleHWThermal | wire.ThrottleHWSlowdown))}
	for name, tc := range map[string]struct {
		gpu      wire.GPU
		want     string
		sentence string
	}{
		"well":      {wire.GPU{UtilPercent: new(97), ECCUncorrected: new(uint64(0)), Throttle: new(uint64(wire.ThrottleSWPowerCap | wire.ThrottleGPUIdle))}, "", ""},
		"no number": {wire.GPU{}, "", ""},
		"hot":       {hot, `2 a/0 thermal "!THERM" "GPU0 slowed by heat, 87°C"`, "Slowed by heat: 87°C, SM clock 1215 of 1980 MHz."},
		"brake":     {wire.GPU{Throttle: new(uint64(wire.ThrottleHWPowerBrake | wire.ThrottleHWSlowdown))}, `2 a/0 power_brake "!PWR" "GPU0 power brake"`, "The power supply pulls the brake."},
		"ecc":       {wire.GPU{ECCUncorrected: new(uint64(2))}, `2 a/0 ecc "ECC:2" "GPU0 ECC 2 uncorrected"`, "2 uncorrected memory errors since the driver was loaded."},
		"lost":      {wire.GPU{Lost: "GPU is lost"}, `3 a/0 gpu_lost "LOST" "GPU0 lost"`, "NVML says of it: GPU is lost."},
	} {
		t.Run(name, func(t *testing.T) {
			w := oneNode()
			w.sample(1, "a", tc.gpu)
			w.sample(4, "a", tc.gpu)
			snap := w.Snapshot(at(4))
			if got := strings.TrimSpace(summary(snap)); got != tc.want {
				t.Errorf("findings %s, want %s", got, tc.want)
			}
			for _, f := range snap.Jobs[0].Findings {
				if f.Sentence != tc.sentence {
					t.Errorf("sentence %q, want %q", f.Sentence, tc.sentence)
				}
				if !f.Since.Equal(at(1)) {
					t.Errorf("since %v, want the first sample", f.Since)
				}
			}
		})
	}
}

func TestShortSlowdownsAreNoFindings(t *testing.T) {
	for name, tc := range map[string]struct {
		bits  uint64
		after float64 // seconds until it is one
	}{
		"software thermal": {wire.ThrottleSWThermal, 30},
		"hardware":         {wire.ThrottleHWSlowdown, 3},
	} {
		t.Run(name, func(t *testing.T) {
			w := oneNode()
			for sec := 1.0; sec <= 61; sec += 3 {
				w.sample(sec, "a", wire.GPU{Throttle: new(tc.bits)})
				if got, want := len(w.Snapshot(at(sec)).Jobs[0].Findings) > 0, sec-1 >= tc.after; got != want {
					t.Fatalf("%g s after it began: a finding is %v, want %v", sec-1, got, want)
				}
			}
			w.sample(64, "a", wire.GPU{Throttle: new(uint64(0))})
			w.sample(67, "a", wire.GPU{Throttle: new(tc.bits)})
			if f := w.Snapshot(at(67)).Jobs[0].Findings; len(f) > 0 {
				t.Errorf("a new slowdown counts from the old one's beginning: %+v", f)
			}
		})
	}
}

// The same Snapshot has the same findings in the same order, each time.
func TestFindingsKeepTheirOrder(t *testing.T) {
	w := oneNode()
	for sec := 1.0; sec < 60; sec += 3 {
		w.sample(sec, "a", wire.GPU{ECCUncorrected: new(uint64(1)), Throttle: new(uint64(wire.ThrottleSWThermal | wire.ThrottleHWSlowdown))})
	}
	first := summary(w.Snapshot(at(60)))
	if strings.Count(first, "\n") != 3 {
		t.Fatalf("findings %s, want three", first)
	}
	for range 50 {
		if again := summary(w.Snapshot(at(60))); again != first {
			t.Fatalf("findings %s, then %s", first, again)
		}
	}
}

func TestOthersGPUsAreNotTheJobsTrouble(t *testing.T) {
	w := oneNode(3)
	w.sample(1, "a", wire.GPU{Lost: "GPU is lost"}) // minor 0
	if f := w.Snapshot(at(1)).Jobs[0].Findings; len(f) > 0 {
		t.Errorf("findings %+v", f)
	}
}

func TestDriverFindings(t *testing.T) {
	for name, tc := range map[string]struct {
		minors []int
		hello  wire.Hello
		want   Kind
		says   string
	}{
		"no library":       {nil, wire.Hello{Fault: "libnvidia-ml.so.1 not found", FaultID: wire.FaultNoLibrary}, KindNoDriver, "library is not on this node"},
		"mismatch":         {nil, wire.Hello{Fault: "x", FaultID: wire.FaultMismatch}, KindNoDriver, "different versions"},
		"no driver":        {nil, wire.Hello{Fault: "x", FaultID: wire.FaultNoDriver}, KindNoDriver, "does not answer"},
		"no cgo":           {nil, wire.Hello{Fault: "x", FaultID: wire.FaultNoNVML}, KindNoDriver, "without cgo"},
		"job without GPUs": {[]int{}, wire.Hello{Fault: "x", FaultID: wire.FaultNoLibrary}, "", ""},
		"old driver":       {nil, wire.Hello{Driver: "450.1", Missing: []string{"nvmlX"}}, KindOldDriver, "Driver 450.1 lacks 1"},
	} {
		t.Run(name, func(t *testing.T) {
			w := oneNode(tc.minors...)
			if tc.minors != nil {
				w.jobs(0, Job{ID: "1", Nodes: []string{"a"}, Minors: map[string][]int{"a": tc.minors}})
			}
			w.Apply(Event{At: at(0), Node: "a", Hello: &tc.hello})
			w.Apply(Event{At: at(1), Node: "a", Report: &wire.Report{MonoMS: 1}})
			f := w.Snapshot(at(1)).Jobs[0].Findings
			switch {
			case tc.want == "" && len(f) > 0:
				t.Errorf("findings %+v", f)
			case tc.want != "" && (len(f) != 1 || f[0].Kind != tc.want || !strings.Contains(f[0].Sentence, tc.says)):
				t.Errorf("findings %+v, want %s with %q", f, tc.want, tc.says)
			}
		})
	}
}

func TestOrder(t *testing.T) {
	w := newWorld()
	w.jobs(0, Job{ID: "1", Nodes: []string{"a", "b", "c", "d", "e"}})
	for _, n := range []string{"a", "b"} {
		w.try(0, n)
		w.hello(0, n, 1)
	}
	w.sample(1, "a", wire.GPU{ECCUncorrected: new(uint64(1))})
	w.sample(2, "b", wire.GPU{ECCUncorrected: new(uint64(1))})
	w.try(0, "c")
	w.try(0, "d")
	w.down(3, "d", reach.ClassAdopt)
	w.try(0, "e")
	w.down(2, "e", reach.ClassRefused)
	snap := w.Snapshot(at(4))
	var order []string
	for _, f := range snap.Jobs[0].Findings {
		order = append(order, f.Node)
	}
	if got := strings.Join(order, " "); got != "d e b a c" {
		t.Errorf("order %s, want worst first, then newest first", got)
	}
}

func TestFailureInWords(t *testing.T) {
	w := newWorld()
	w.jobs(0, Job{ID: "1", Nodes: []string{"a"}})
	w.try(0, "a")
	w.Apply(Event{At: at(1), Node: "a", Down: &Down{Failure: reach.Failure{
		Class: reach.ClassAdopt, Summary: "login refused (pam_slurm_adopt)", Meaning: "the node refuses the login",
		Words: "Access denied by pam_slurm_adopt: you have no active jobs on this node\nConnection closed", Hints: []string{"is the job still running there?"},
	}}})
	f := w.Snapshot(at(2)).Jobs[0].Findings[0]
	want := `The node refuses the login. It said: "Access denied by pam_slurm_adopt: you have no active jobs on this node".`
	if f.Sentence != want || f.Hint != "is the job still running there?" || f.Long != "login refused (pam_slurm_adopt)" {
		t.Errorf("got %+v", f)
	}
}

func BenchmarkSnapshot64x8(b *testing.B) {
	w := newWorld()
	job := Job{ID: "1"}
	for i := range 64 {
		name := fmt.Sprintf("n%02d", i)
		job.Nodes = append(job.Nodes, name)
		w.try(0, name)
		w.hello(0, name, 8)
		w.report(1, name, 97, 97, 97, 97, 97, 97, 97, 97)
	}
	w.jobs(0, job)
	for b.Loop() {
		w.Snapshot(t0.Add(2 * time.Second))
	}
}
