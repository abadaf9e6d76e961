package tally

import (
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// A job that stands still waits for the GPUs that stopped first, or for the ranks that are elsewhere than most.
func TestAwaitedPlaces(t *testing.T) {
	since := time.Unix(1000, 0)
	s := &cluster.Snapshot{Nodes: map[string]*cluster.Node{"n02": {Name: "n02",
		GPUs: []cluster.GPU{{GPU: &wire.GPU{}, Number: 3, Key: "GPU-3"}, {GPU: &wire.GPU{}, Number: 4, Key: "GPU-4"}}}}}
	hang := cluster.Finding{Kind: cluster.KindJobHang, Severity: cluster.Warning, Job: "7", Since: since, GPU: -1,
		Compared: &cluster.Comparison{}}
	ranks := func(outlier bool, gpus ...int) rankstacks.Group {
		g := rankstacks.Group{Outlier: outlier}
		for _, gpu := range gpus {
			g.Ranks = append(g.Ranks, rankstacks.Rank{Node: "n02", GPUs: []int{gpu}})
		}
		return g
	}
	verdict := func(state rankstacks.State, after time.Duration) {
		s.Stacks = map[string]*rankstacks.Verdict{"7": {Job: "7", State: state, Time: since.Add(after),
			Groups: []rankstacks.Group{ranks(false, 4), ranks(true, 3)}}}
	}
	check := func(why string, f cluster.Finding, want int) {
		t.Helper()
		got := AwaitedPlaces(s, &f)
		if len(got) != want {
			t.Fatalf("%s: %d places, want %d", why, len(got), want)
		}
		if want == 1 && (got[0].Node != "n02" || got[0].GPU != 3 || !got[0].Of(&s.Nodes["n02"].GPUs[0]) ||
			got[0].Of(&s.Nodes["n02"].GPUs[1]) || got[0].Severity != f.Severity) {
			t.Errorf("%s: %+v", why, got[0])
		}
	}
	check("nothing known", hang, 0)
	verdict(rankstacks.Stuck, time.Second)
	check("a rank elsewhere", hang, 1)
	verdict(rankstacks.Moving, time.Second)
	check("a job that moves", hang, 0)
	verdict(rankstacks.Stuck, -time.Second)
	check("a look before it stood still", hang, 0)

	stopped := hang
	stopped.Compared = &cluster.Comparison{Places: []cluster.Differing{{Node: "n02", Number: 3, Key: "GPU-3"}}}
	check("a GPU that stopped first", stopped, 1)
	over := stopped
	over.Over = since
	check("a job that goes on", over, 0)
	lag := stopped
	lag.Kind = cluster.KindLag
	check("a slow GPU that changes", lag, 0)
	place := AwaitedPlaces(s, &stopped)[0]
	check("the finding about a place", place, 0)
	oneNode := stopped
	oneNode.Node = "n02"
	check("a job of one node", oneNode, 1)

	stopped.Compared.Places = []cluster.Differing{{Node: "n02", Number: cluster.NoNumber}}
	check("some GPUs of a node", stopped, 0)
	stopped.Compared.First.Whole = true
	if got := AwaitedPlaces(s, &stopped); len(got) != 1 || !got[0].Of(&s.Nodes["n02"].GPUs[1]) {
		t.Errorf("all GPUs of a node: %+v", got)
	}
	oneNode.Compared = stopped.Compared
	check("all GPUs of the only node", oneNode, 0)
}
