package tally

import (
	"fmt"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// kinOf is a job of two nodes with a rank on each of two GPUs.
func kinOf() *cluster.Snapshot {
	s := &cluster.Snapshot{Discovery: cluster.Discovery{User: "alice"}, Nodes: map[string]*cluster.Node{}}
	s.Jobs = []cluster.JobView{{Job: cluster.Job{ID: "16", Number: "16", User: "alice", Nodes: []string{"n1", "n2"}}}}
	for k, name := range s.Jobs[0].Nodes {
		n := &cluster.Node{Name: name, State: cluster.NodeReporting, Listed: true}
		for g := range 2 {
			n.GPUs = append(n.GPUs, cluster.GPU{Card: &wire.Card{}, GPU: &wire.GPU{Index: g}, Number: g})
			id := wire.Identity{User: "alice", Command: "train", Job: "16",
				Rank: &wire.Rank{Rank: 2*k + g, World: new(4), From: "RANK"}}
			n.Processes = append(n.Processes, wire.Process{PID: 10*k + g + 10, StartTicks: 5, GPU: g, Identity: id})
		}
		s.Nodes[name] = n
	}
	return s
}

// A process has left its GPUs only if its node lists the processes on them.
func TestLeft(t *testing.T) {
	for name, test := range map[string]struct {
		change func(n *cluster.Node)
		want   bool
	}{
		"there":     {func(*cluster.Node) {}, false},
		"gone":      {func(n *cluster.Node) { n.Processes = n.Processes[1:] }, true},
		"reused":    {func(n *cluster.Node) { n.Processes[0].StartTicks = 6 }, true},
		"moved":     {func(n *cluster.Node) { n.Processes[0].GPU = 1 }, false},
		"no list":   {func(n *cluster.Node) { n.Processes, n.Listed = nil, false }, false},
		"silent":    {func(n *cluster.Node) { n.Processes, n.State = nil, cluster.NodeStale }, false},
		"unlisted":  {func(n *cluster.Node) { n.Processes, n.GPUs[0].Unlisted = nil, "not supported" }, false},
		"other GPU": {func(n *cluster.Node) { n.Processes, n.GPUs[1].Unlisted = nil, "not supported" }, true},
		"lost GPU":  {func(n *cluster.Node) { n.Processes, n.GPUs = nil, n.GPUs[1:] }, false},
	} {
		s := kinOf()
		target := TargetOf(s, s.Nodes["n1"], &s.Nodes["n1"].Processes[0])
		test.change(s.Nodes["n1"])
		if got := Left(s, &target); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if Left(kinOf(), &Target{Node: "n1", ProcessID: wire.ProcessID{PID: 1}}) {
		t.Error("a process that was on no GPU has left them")
	}
}

func TestCountRanks(t *testing.T) {
	s := kinOf()
	all := Targets(s, &s.Jobs[0])
	if n := CountRanks(all[:3]); n != 3 {
		t.Errorf("%d of 3 ranks", n)
	}
	if n := RanksOf(s, &s.Jobs[0]); n != 4 {
		t.Errorf("the job has %d ranks", n)
	}
	s.Nodes["n2"].Processes = nil // the ranks know how many they are
	if n := RanksOf(s, &s.Jobs[0]); n != 4 {
		t.Errorf("the job has %d ranks, of which two are not seen", n)
	}
	for i := range s.Nodes["n1"].Processes {
		s.Nodes["n1"].Processes[i].Rank = &wire.Rank{Rank: 3, From: "RANK"}
	}
	if n, m := RanksOf(s, &s.Jobs[0]), CountRanks(Targets(s, &s.Jobs[0])); n != 1 || m != 1 {
		t.Errorf("two processes of one rank are %d and %d ranks", n, m)
	}
	if !SameRank(all[0].Rank, all[0].Rank) || SameRank(all[0].Rank, all[1].Rank) || SameRank(nil, nil) {
		t.Error("ranks are not told apart")
	}
}

// Children come behind their parents, each once, however the node links them.
func TestChildren(t *testing.T) {
	s := kinOf()
	of := TargetOf(s, s.Nodes["n1"], &s.Nodes["n1"].Processes[0])
	relative := func(pid, parent int, user string) wire.Relative {
		return wire.Relative{ProcessID: wire.ProcessID{PID: pid, StartTicks: 5}, Parent: parent, User: user,
			Name: "python"}
	}
	for name, test := range map[string]struct {
		family []wire.Relative
		want   string
		found  bool
	}{
		"alone":   {[]wire.Relative{relative(10, 1, "alice")}, "10", true},
		"unknown": {[]wire.Relative{relative(30, 10, "alice")}, "10 30", false},
		"deep": {[]wire.Relative{relative(31, 30, "alice"), relative(30, 10, "alice"), relative(10, 1, "alice"),
			relative(1, 0, "root")}, "10 30 31", true},
		"loop": {[]wire.Relative{relative(10, 31, "alice"), relative(30, 10, "alice"), relative(31, 30, "alice"),
			relative(30, 31, "alice")}, "10 30 31", true},
		"others": {[]wire.Relative{relative(10, 1, "alice"), relative(30, 10, "bob"), relative(31, 10, "")},
			"10 30! 31!", true},
		"on GPUs": {[]wire.Relative{relative(10, 1, "alice"), relative(11, 10, "")}, "10 11", true},
	} {
		list, found := Children(s, of, test.family)
		got := ""
		for i, target := range list {
			if i > 0 {
				got += " "
			}
			got += fmt.Sprint(target.PID)
			if target.Refusal() != "" {
				got += "!"
			}
			if target.Node != "n1" || target.Job != "16" || target.Command == "" {
				t.Errorf("%s: %+v", name, target)
			}
		}
		if got != test.want || found != test.found {
			t.Errorf("%s: %q, found %v", name, got, found)
		}
	}
}
