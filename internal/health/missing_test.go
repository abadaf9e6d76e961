package health

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// listedCards are cards with these minor numbers: "x" gives no handle, "m" has MIG on, "m?" may have it on.
func listedCards(list string) []wire.Card {
	var out []wire.Card
	for i, word := range strings.Fields(list) {
		c := wire.Card{Index: i}
		var minor int
		if n, _ := fmt.Sscanf(word, "%d", &minor); n == 1 {
			c.Minor, c.UUID = new(minor), "GPU-"+word
		} else if c.Lost, c.LostID = "GPU is lost", wire.LostFellOff; word != "x" {
			c = wire.Card{Index: i, Minor: new(i), UUID: fmt.Sprint("GPU-", i), MIG: word == "m",
				MIGUnknown: word == "m?"}
		}
		out = append(out, c)
	}
	return out
}

// A GPU that SLURM allocated and the driver does not list is found while all others are well.
func TestMissingGPU(t *testing.T) {
	const eight = "0 1 2 3 4 5 6 7"
	all := []int{0, 1, 2, 3, 4, 5, 6, 7}
	for _, tc := range []struct {
		name   string
		cgroup string // the job of the probe's cgroup
		minors []int
		list   string
		want   string // kind, severity and sentence; "" for nothing
	}{
		{"all there", "16", all, eight, ""},
		{"one of eight", "16", all, "0 1 2 3 4 6 7",
			"gpu_missing 3: GPU5 missing: SLURM allocated it to this job, but the driver does not list it."},
		{"two of eight", "", all, "0 1 3 4 6 7",
			"gpu_missing 3: GPUs 2, 5 missing: SLURM allocated them to this job, but the driver does not list them."},
		{"the only one", "16", []int{0}, "",
			"gpu_missing 3: GPU0 missing: SLURM allocated it to this job, but the driver does not list it."},
		{"more than there are, numbered otherwise", "", []int{0, 3}, "1 2 3",
			"gpu_missing 3: 1 of 2 GPUs missing: SLURM allocated 2 to this job, but the driver does not list them all."},
		{"the only one, numbered otherwise", "", []int{5}, "1 2 3",
			"gpu_missing 3: GPU missing: SLURM allocated one to this job, but the driver does not list it."},
		{"beyond the end of a short list", "", []int{4, 5, 7}, "4 5 6",
			"gpu_missing 3: 1 of 3 GPUs missing: SLURM allocated 3 to this job, but the driver does not list them all."},
		{"in its cgroup, numbered otherwise", "16", []int{0, 1}, "5",
			"gpu_missing 3: 1 of 2 GPUs missing: SLURM allocated 2 to this job, but the driver does not list them all."},
		{"beyond the end of the list", "", []int{6, 8}, eight,
			"gpu_missing 3: GPU8 missing: SLURM allocated it to this job, but the driver does not list it."},
		{"adopted into the other job", "17", []int{4, 5, 6, 7}, "0 1 2 3",
			"gpu_hidden 3: The ssh session is in the cgroup of job 17, which hides this job's GPUs 4-7."},
		{"adopted into a job without GPUs", "17", []int{4}, "",
			"gpu_hidden 3: The ssh session is in the cgroup of job 17, which hides this job's GPU4."},
		{"adopted there, where nothing is hidden", "17", []int{4, 5}, eight, ""},
		{"adopted into a job that shares a GPU", "17", []int{4, 5, 6, 7}, "4",
			"other_cgroup 2: The ssh session is in the cgroup of job 17, which hides GPUs of the node."},
		{"File=/dev/nvidia[1-3]", "", []int{0}, "1 2 3",
			"gpu_missing 2: SLURM allocated GPU0 to this job; the driver lists 1-3."},
		{"the same in the job's cgroup", "16", []int{0}, "1", ""},
		{"a hole, or another numbering", "", []int{2}, "0 1 3 4 5 6 7",
			"gpu_missing 2: SLURM allocated GPU2 to this job; the driver lists 0, 1, 3-7."},
		{"MIG instances", "", []int{5}, "m 1", ""},
		{"perhaps MIG instances", "", []int{5}, "m? 1", ""},
		{"not known which", "", nil, "0", ""},
		{"no GPUs", "", []int{}, "0", ""},
		{"lost ones that have their numbers", "", all, "0 x 2 3 x 5 6 7", ""},
		{"lost ones whose numbers are unknown", "16", all, "0 x x 3 5 6 7",
			"gpu_missing 3: GPUs 1, 2, 4 missing: SLURM allocated them to this job, but the driver does not list " +
				"them. 2 GPUs with unknown numbers are not accessible: GPU is lost."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := world{store.New(0, Rules(Defaults()))}
			job := cluster.Job{ID: "2_1", Number: "16", Nodes: []string{"a"}}
			other := cluster.Job{ID: "9", Number: "9", Nodes: []string{"a"}, Minors: map[string][]int{"a": {}}}
			if tc.minors != nil {
				job.Minors = map[string][]int{"a": tc.minors}
			}
			w.Apply(cluster.Event{At: at(0), Discovery: &cluster.Discovery{Answered: at(0),
				Jobs: []cluster.Job{other, job}}})
			w.Apply(cluster.Event{At: at(0), Node: "a", Try: &cluster.Try{Interval: 3e9}})
			w.hello(wire.Hello{Job: tc.cgroup, GPUs: listedCards(tc.list)})
			w.report(1, wire.Report{})
			if f := w.Snapshot(at(1)).Jobs[0].Findings; len(f) > 0 {
				t.Errorf("a job without GPUs is told %+v", f)
			}
			expectMissing(t, w, 1, tc.want)
			w.hello(wire.Hello{Fault: "driver not loaded"})
			w.report(4, wire.Report{})
			for _, f := range w.Snapshot(at(4)).Jobs[1].Findings {
				if f.Kind == cluster.KindMissing && f.Holds() || f.Kind == cluster.KindHidden && f.Holds() {
					t.Errorf("without a driver: %+v", f)
				}
			}
		})
	}
}

// In the cgroup of an unknown job, which may hide GPUs, no GPU is called missing, and no finding is worse than a note.
func TestMissingInAnUnknownJob(t *testing.T) {
	for name, tc := range map[string]struct {
		minors []int
		list   string
		want   bool // there is a note
	}{
		"all there":                     {[]int{4, 5}, "4 5", false},
		"adopted into the other job":    {[]int{4, 5, 6, 7}, "0 1 2 3", true},
		"into a job without GPUs":       {[]int{4}, "", true},
		"one of its own may be missing": {[]int{0, 1, 2, 3}, "0 1 3", true},
		"one of all may be missing":     {[]int{0, 1, 2, 3, 4, 5, 6, 7}, "0 1 2 3 4 6 7", true},
		"no GPUs":                       {[]int{}, "", false},
	} {
		w := world{store.New(0, Rules(Defaults()))}
		job := cluster.Job{ID: "2_1", Number: "16", Nodes: []string{"a"}, Minors: map[string][]int{"a": tc.minors}}
		w.Apply(cluster.Event{At: at(0), Discovery: &cluster.Discovery{Answered: at(0), Jobs: []cluster.Job{job}}})
		w.Apply(cluster.Event{At: at(0), Node: "a", Try: &cluster.Try{Interval: 3e9}})
		w.hello(wire.Hello{SLUID: "sEKNKTV3WPV500", GPUs: listedCards(tc.list)})
		for sec := 1.0; sec < 120; sec += 3 {
			w.report(sec, wire.Report{})
		}
		s, told := w.Snapshot(at(120)), false
		for i := range s.Jobs[0].Findings {
			f := &s.Jobs[0].Findings[i]
			words := say.Finding(s, f)
			told = told || f.Kind == cluster.KindOwner && strings.Contains(words.Sentence, "SLUID sEKNKTV3WPV500") &&
				strings.Contains(words.Hint, "--jobid=16 ")
			if f.Severity > cluster.Note {
				t.Errorf("%s: severity %d: %s", name, f.Severity, words.Sentence)
			}
		}
		if told != tc.want {
			t.Errorf("%s: told %v, of %+v", name, told, s.Jobs[0].Findings)
		}
	}
}

// expectMissing compares the findings of job 1, without those of lost GPUs, with want.
func expectMissing(t *testing.T, w world, sec float64, want string) {
	t.Helper()
	s, got := w.Snapshot(at(sec)), ""
	for i := range s.Jobs[1].Findings {
		if f := &s.Jobs[1].Findings[i]; f.Kind != cluster.KindLost {
			words := say.Finding(s, f)
			got += fmt.Sprintf("%s %d: %s", f.Kind, f.Severity, words.Sentence)
			if f.GPU != -1 || f.Job != "2_1" || words.Hint == "" || words.Long == "" || words.Short == "" {
				t.Errorf("%+v %+v", f, words)
			}
		}
	}
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// A GPU that is listed again is no longer missing.
func TestAMissingGPUComesBack(t *testing.T) {
	w := newWorld(0, 1)
	w.report(1, wire.Report{})
	f, _ := w.findings(1)
	if len(f) != 1 || f[0].Kind != cluster.KindMissing || !f[0].Holds() {
		t.Fatalf("%+v", f)
	}
	w.hello(wire.Hello{GPUs: listedCards("0 1")})
	w.report(4, wire.Report{})
	if f, words := w.findings(4); len(f) != 1 || f[0].Holds() || words[0].Sentence != "GPU missing, cleared 3s ago." {
		t.Errorf("%+v %+v", f, words)
	}
}
