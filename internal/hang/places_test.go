package hang

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Each rank that cannot be asked has a reason of its own, in words for as many ranks as have it. It counts once, also
// if its process is on several GPUs.
func TestRanksThatCannotBeAsked(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	s := &cluster.Snapshot{Nodes: map[string]*cluster.Node{}}
	job := cluster.JobView{Job: cluster.Job{ID: "7", Number: "7", Minors: map[string][]int{}}}
	rank := 0
	add := func(name string, state cluster.NodeState, gpus, ranks int) *cluster.Node {
		n := &cluster.Node{Name: name, State: state, Listed: state == cluster.NodeReporting, ListedAt: now}
		for g := range gpus {
			n.GPUs = append(n.GPUs, cluster.GPU{GPU: &wire.GPU{Index: g}, Card: &wire.Card{Index: g},
				Key: fmt.Sprint(name, g), Number: g})
			n.Processes = append(n.Processes, wire.Process{PID: 10 + g%ranks, StartTicks: 9, GPU: g,
				Identity: wire.Identity{Job: "7", Rank: &wire.Rank{Rank: rank + g%ranks, World: new(10)}}})
			job.Minors[name] = append(job.Minors[name], g)
		}
		s.Nodes[name], rank = n, rank+ranks
		job.Nodes = append(job.Nodes, name)
		return n
	}
	gone := func(n *cluster.Node, gpu int) {
		p := n.Processes[gpu]
		n.Processes = append(n.Processes[:gpu:gpu], n.Processes[gpu+1:]...)
		n.Ranks = append(n.Ranks, cluster.SeenRank{Rank: *p.Rank, Job: "7", Key: n.GPUs[gpu].Key, Number: gpu,
			Seen: now.Add(-time.Minute)})
	}
	add("a", cluster.NodeReporting, 2, 2)
	gone(add("b", cluster.NodeReporting, 2, 2), 1)
	s.Nodes["b"].GPUs[1].Lost = "GPU is lost"
	gone(add("c", cluster.NodeReporting, 2, 2), 1)
	s.Nodes["c"].GPUs[1].HangsMS = 1 << 20
	add("d", cluster.NodeStale, 4, 2)
	check := func(want ...string) {
		t.Helper()
		places, _ := PlacesOf(s, &job)
		var got []string
		for _, p := range places {
			if p.Absent != "" {
				got = append(got, fmt.Sprint(p.Number, " ", p.Node, " ", p.GPUs, ": ", p.Absent))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	check("3 b [1]: its GPU is lost", "5 c [1]: its GPU hangs", "6 d [0 2]: their node does not report",
		"7 d [1 3]: their node does not report", "8 d []: their node does not report",
		"9 d []: their node does not report")
	s.Nodes["d"].State = cluster.NodeReporting
	s.Nodes["d"].Listed = true
	s.Nodes["a"].State = cluster.NodeFailed
	s.Nodes["b"].GPUs[0].Lost = "GPU is lost"
	gone(s.Nodes["b"], 0)
	check("0 a [0]: their node does not report", "1 a [1]: their node does not report",
		"2 b [0]: their GPUs are lost", "3 b [1]: their GPUs are lost", "5 c [1]: its GPU hangs",
		"8 a []: their node does not report", "9 a []: their node does not report")
	s.Nodes["c"].State = cluster.NodeStale
	check("0 a [0]: their nodes do not report", "1 a [1]: their nodes do not report",
		"2 b [0]: their GPUs are lost", "3 b [1]: their GPUs are lost", "4 c [0]: their nodes do not report",
		"5 c [1]: their nodes do not report", "8  []: not all nodes list their processes",
		"9  []: not all nodes list their processes")
}
