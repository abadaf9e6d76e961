package health

import (
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Unknown owners of GPUs, and a probe in an unknown cgroup, are reported once, with the reason.
func TestOwnerFindings(t *testing.T) {
	two := []wire.Card{{UUID: "x", Minor: new(0)}, {UUID: "y", Index: 1, Minor: new(1)}}
	mig := []wire.Card{{UUID: "x", Minor: new(0), MIG: true}, two[1]}
	for name, tc := range map[string]struct {
		job   cluster.Job
		hello wire.Hello
		kind  cluster.Kind // empty: no finding
		text  string
	}{
		"known": {cluster.Job{Minors: map[string][]int{"a": {1}}, Configured: map[string]int{"a": 2}},
			wire.Hello{GPUs: two}, "", ""},
		"in its own": {cluster.Job{Counts: map[string]int{"a": 2}}, wire.Hello{GPUs: two, Job: "1"}, "", ""},
		"none":       {cluster.Job{Minors: map[string][]int{"a": {}}}, wire.Hello{GPUs: mig}, "", ""},
		"MIG": {cluster.Job{Minors: map[string][]int{"a": {0}}}, wire.Hello{GPUs: mig}, cluster.KindOwner,
			"MIG is on"},
		"off by one": {cluster.Job{Minors: map[string][]int{"a": {0}}, Configured: map[string]int{"a": 1}},
			wire.Hello{GPUs: two}, cluster.KindOwner, "differently from the driver"},
		"counted": {cluster.Job{Counts: map[string]int{"a": 1}, Configured: map[string]int{"a": 2}},
			wire.Hello{GPUs: two}, cluster.KindOwner, "SLURM allocated 1, and"},
		"not told": {cluster.Job{}, wire.Hello{GPUs: two}, cluster.KindOwner, "SLURM does not say"},
		"in another": {cluster.Job{Counts: map[string]int{"a": 1}, Configured: map[string]int{"a": 4}},
			wire.Hello{GPUs: two, Job: "9"}, cluster.KindWrongCgroup, "cgroup of job 9, which"},
		"and no less": {cluster.Job{Minors: map[string][]int{"a": {1}}, Configured: map[string]int{"a": 2}},
			wire.Hello{GPUs: two, Job: "9"}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			tc.job.ID, tc.job.Number, tc.job.Nodes = "1", "1", []string{"a"}
			w.Apply(cluster.Event{At: at(0), Discovery: &cluster.Discovery{Answered: at(0),
				Jobs: []cluster.Job{tc.job}}})
			w.hello(tc.hello)
			for sec := 0.0; sec <= 90; sec += 3 {
				w.report(sec, wire.Report{GPUs: []wire.GPU{{}, {Index: 1}}})
			}
			findings, words := w.findings(90)
			var kind cluster.Kind
			for i, f := range findings {
				if f.Kind != cluster.KindOwner && f.Kind != cluster.KindWrongCgroup {
					continue
				}
				if kind != "" || f.Key != "" || !strings.Contains(words[i].Sentence, tc.text) {
					t.Errorf("%+v %q", f, words[i].Sentence)
				}
				kind = f.Kind
			}
			if kind != tc.kind {
				t.Errorf("%q, want %q", kind, tc.kind)
			}
		})
	}
}
