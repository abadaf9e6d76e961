package store

import (
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// While other doors are left, a node has not failed: it is being connected, or still failed as before.
func TestAnotherDoorIsNoFailure(t *testing.T) {
	w := newWorld()
	try := func(sec float64, door string) {
		w.Apply(cluster.Event{At: at(sec), Node: "a",
			Try: &cluster.Try{Interval: time.Second, Route: reach.Route{Door: door}}})
		w.Apply(cluster.Event{At: at(sec), Node: "a", Step: &reach.Step{Stage: reach.Stage("in " + door),
			State: reach.StepBegan}})
	}
	down := func(sec float64, next bool) {
		w.Apply(cluster.Event{At: at(sec), Node: "a",
			Down: &cluster.Down{Failure: reach.Failure{Class: reach.ClassAuth, Short: "no", Next: next},
				Retry: at(sec)}})
	}
	is := func(sec float64, state cluster.NodeState, door string) {
		t.Helper()
		n := w.Snapshot(at(sec)).Nodes["a"]
		if n.State != state || n.Route.Door != door || n.Steps[0].Stage != reach.Stage("in "+door) {
			t.Errorf("after %g s: %s through %q at %v; want %s through %q", sec, n.State, n.Route.Door, n.Steps, state,
				door)
		}
	}
	try(0, "ssh")
	down(1, true)
	is(1, cluster.NodeConnecting, "ssh")
	try(1, "srun")
	is(1, cluster.NodeConnecting, "srun")
	down(2, false)
	is(2, cluster.NodeFailed, "srun")
	try(3, "ssh")
	is(3, cluster.NodeFailed, "srun") // the failure is shown until the last door has failed again
	down(4, true)
	is(4, cluster.NodeFailed, "srun")
	n := w.Snapshot(at(4)).Nodes["a"]
	if len(n.Attempts) != 3 || n.Attempts[0].Door != "ssh" || n.Attempts[1].Door != "srun" {
		t.Errorf("attempts %+v", n.Attempts)
	}
}

// TestTheDoorThatCameFarthestIsKept until the last one has failed, or there is a report.
func TestTheDoorThatCameFarthestIsKept(t *testing.T) {
	w := newWorld()
	attempt := func(sec float64, door string, stages []reach.Stage, done int, next bool) *cluster.Passed {
		w.Apply(cluster.Event{At: at(sec), Node: "a",
			Try: &cluster.Try{Interval: time.Second, Route: reach.Route{Door: door, Stages: stages}}})
		for _, s := range stages[:done] {
			w.Apply(cluster.Event{At: at(sec), Node: "a", Step: &reach.Step{Stage: s, State: reach.StepDone}})
		}
		w.Apply(cluster.Event{At: at(sec), Node: "a",
			Down: &cluster.Down{Failure: reach.Failure{Short: door, Next: next}, Retry: at(sec)}})
		return w.Snapshot(at(sec)).Nodes["a"].Passed
	}
	ssh, master := []reach.Stage{"TCP", "login", "probe"}, []reach.Stage{"master", "probe"}
	if p := attempt(0, "ssh", ssh, 1, true); p == nil || p.Door != "ssh" || p.Left != 2 || p.Failure.Short != "ssh" {
		t.Errorf("passed %+v", p)
	}
	if p := attempt(1, "control", master, 0, true); p == nil || p.Door != "ssh" {
		t.Errorf("passed %+v", p)
	}
	if p := attempt(2, "control", master, 1, true); p == nil || p.Door != "control" || p.Left != 1 {
		t.Errorf("passed %+v", p)
	}
	if p := attempt(3, "srun", master, 0, false); p != nil {
		t.Errorf("passed %+v", p)
	}
}

// A session that was left for another door was not lost: the node reports, unless no report comes for as long as
// otherwise, or no door is left.
func TestANodeThatChangesDoorsReports(t *testing.T) {
	for _, test := range []struct {
		name   string
		doors  []bool // another door follows a failure
		report float64
		sec    float64
		want   cluster.NodeState
	}{
		{"left", []bool{true}, 0, 4, cluster.NodeReporting},
		{"left, and refused", []bool{true, true}, 0, 4, cluster.NodeReporting},
		{"left, and no door", []bool{true, false}, 0, 4, cluster.NodeStale},
		{"left for long", []bool{true}, 0, 13, cluster.NodeStale},
		{"left, then lost", []bool{true}, 5, 6, cluster.NodeStale},
		{"lost", []bool{false}, 0, 4, cluster.NodeStale},
	} {
		w := newWorld()
		w.try(0, "a")
		w.hello(1, "a", 1)
		w.report(2, "a", 50)
		down := func(sec float64, next bool) {
			w.Apply(cluster.Event{At: at(sec), Node: "a",
				Down: &cluster.Down{Failure: reach.Failure{Class: reach.ClassOther, Short: "no", Next: next},
					Retry: at(sec)}})
			w.try(sec, "a")
		}
		for _, next := range test.doors {
			down(3, next)
		}
		if test.report > 0 {
			w.hello(test.report, "a", 1)
			w.report(test.report, "a", 50)
			down(test.report, false)
		}
		if got := w.node(test.sec, "a").State; got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}
