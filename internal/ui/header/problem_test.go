package header

import (
	"strconv"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// A cleared error without room for its line does not count as an omitted error.
func TestLeft(t *testing.T) {
	findings := []cluster.Finding{
		{Severity: cluster.Critical, Over: time.Unix(1, 0)}, {Severity: cluster.Critical}, {Severity: cluster.Warning},
		{Severity: cluster.Warning}, {},
	}
	for n, want := range map[int]string{2: "+2 more (1 error, 1 cleared): press 7",
		5: "+5 more (1 error, 2 warnings, 1 note, 1 cleared): press 7"} {
		if got := countHidden(findings[:n]); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// problemSceneOf is a wide scene of a job of two nodes with these findings.
func problemSceneOf(findings ...cluster.Finding) *part.Frame {
	s := &part.Scene{Snap: &cluster.Snapshot{At: time.Unix(1000, 0), Nodes: map[string]*cluster.Node{}},
		Size:   part.Size{W: 200, H: 50},
		Memory: &part.Memory{}}
	job := cluster.JobView{Job: cluster.Job{ID: "1", Nodes: []string{"gpu-n01", "gpu-n02"}}, Findings: findings}
	for _, name := range job.Nodes {
		n := &cluster.Node{Name: name, State: cluster.NodeReporting}
		for i := range 2 {
			n.GPUs = append(n.GPUs, cluster.GPU{GPU: &wire.GPU{}, Number: i, Key: strconv.Itoa(i)})
		}
		s.Snap.Nodes[name] = n
	}
	s.Snap.Jobs = []cluster.JobView{job}
	s.SetJob(0)
	return &part.Frame{Scene: s}
}

// The same problem on several GPUs of a node is one sentence.
func TestAlike(t *testing.T) {
	of := func(kind cluster.Kind, gpu int) cluster.Finding {
		return cluster.Finding{Kind: kind, Severity: cluster.Warning, Node: "gpu-n01", GPU: gpu, Key: strconv.Itoa(gpu),
			Since: time.Unix(900-int64(gpu), 0)}
	}
	f := problemSceneOf(of(cluster.KindThermal, 1), of(cluster.KindECC, 1), of(cluster.KindThermal, 0))
	for i, celsius := range []float64{87, 88} {
		f.NodeOf("gpu-n01").GPUs[i].Values.Set(metric.Temperature, celsius)
	}
	all := GroupAlike(f.Job.Findings)
	if len(all) != 2 {
		t.Fatalf("%d sentences", len(all))
	}
	finding, words := all[0].Say(f)
	if words.Sentence != "2 GPUs throttled: GPU0 87°C, GPU1 88°C." || finding.GPU >= 0 || words.Hint == "" ||
		!finding.Since.Equal(time.Unix(899, 0)) {
		t.Errorf("%q, since %v, → %q", words.Sentence, finding.Since, words.Hint)
	}
	if finding, _ := all[1].Say(f); finding.GPU != 1 {
		t.Errorf("the other is of GPU %d", finding.GPU)
	}
}

// A narrow column has a shorter wording, never half a word.
func TestTroubleInNarrowColumns(t *testing.T) {
	lag := cluster.Finding{Kind: cluster.KindLag, Severity: cluster.Warning, Since: time.Unix(900, 0), Node: "gpu-n01",
		GPU: 1, Key: "1"}
	hot := cluster.Finding{Kind: cluster.KindThermal, Severity: cluster.Warning, Since: time.Unix(900, 0),
		Node: "gpu-n01", GPU: 0, Key: "0"}
	refused := cluster.Finding{Kind: cluster.KindFailed, Class: reach.ClassAdopt, Severity: cluster.Critical,
		Since: time.Unix(900, 0), Node: "gpu-n02", GPU: -1}
	f := problemSceneOf(refused, lag, hot)
	f.NodeOf("gpu-n02").Failure = &reach.Failure{Class: reach.ClassAdopt, Short: "login refused",
		Detail: "pam_slurm_adopt"}
	for node, want := range map[string]map[int]string{"gpu-n01": {14: "GPU1 lags +1", 8: "lags +1"},
		"gpu-n02": {15: "login refused", 13: "login refused"}} {
		for w, text := range want {
			if got := WorstProblem(f, f.NodeOf(node), w); got != text {
				t.Errorf("%s in %d columns: %q, want %q", node, w, got, text)
			}
		}
	}
}
