package tally

import (
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// TestGiveUp: the failure of a node that is still being reached is that of the door that came the farthest.
func TestGiveUp(t *testing.T) {
	at := time.Unix(1000, 0)
	node := func(door string, stages []reach.Stage, done int, text string) *cluster.Node {
		n := &cluster.Node{Name: "n", State: cluster.NodeConnecting, Route: reach.Route{Door: door, Stages: stages}}
		for i, s := range stages[:done+1] {
			step := reach.Step{Stage: s, State: reach.StepDone, At: at.Add(-20 * time.Second)}
			if i == done {
				step.State, step.At, step.Text = reach.StepBegan, at.Add(-15*time.Second), text
			}
			n.Steps = append(n.Steps, step)
		}
		return n
	}
	with := func(n *cluster.Node, left int) *cluster.Node {
		n.Passed = &cluster.Passed{Door: "ssh", Left: left, Failure: &reach.Failure{Class: reach.ClassProbeLate,
			Stage: "probe", Short: "probe not started after 15s", Next: true}}
		return n
	}
	ssh := []reach.Stage{"name", "TCP", "ssh", "host key", "login", "probe", "driver", "stream"}
	openssh := []reach.Stage{"ssh", "shell", "probe", "driver", "stream"}
	for _, c := range []struct {
		node  *cluster.Node
		class reach.Class
		want  string
	}{
		{node("ssh", ssh, 5, ""), reach.ClassProbeLate, "login accepted, probe not started after 15s"},
		{node("ssh", ssh, 5, "copying"), reach.ClassProbeLate, "login accepted, probe not started after 15s (copying)"},
		{node("srun", []reach.Stage{"job", "probe", "driver", "stream"}, 1, ""), reach.ClassProbeLate,
			"probe not started after 15s"},
		{node("ssh", ssh, 1, ""), reach.ClassTimeout, "no answer after 15s"},
		{node("ssh", ssh, 4, ""), reach.ClassLoginHangs, "login not finished after 15s"},
		{node("openssh", openssh, 1, ""), reach.ClassProbeLate, "login accepted, but no command runs after 15s"},
		{node("x", []reach.Stage{"knock"}, 0, ""), reach.ClassTimeout, "no answer after 15s"},
		{with(node("openssh", openssh, 0, ""), 3), reach.ClassProbeLate, "ssh: probe not started after 15s"},
		{with(node("openssh", openssh, 1, ""), 3), reach.ClassProbeLate, "ssh: probe not started after 15s"},
		{with(node("openssh", openssh, 3, ""), 3), reach.ClassDriverHangs, "driver not responding after 15s"},
	} {
		s := &cluster.Snapshot{At: at, Nodes: map[string]*cluster.Node{"n": c.node},
			Jobs: []cluster.JobView{{Job: cluster.Job{Nodes: []string{"n"}}}}}
		got := GiveUp(s).Nodes["n"]
		if f := got.Failure; f == nil || f.Class != c.class || f.Summary() != c.want || f.Next ||
			got.State != cluster.NodeConnecting {
			t.Errorf("got %+v, want %s %q", f, c.class, c.want)
		}
		if c.node.Failure != nil {
			t.Error("the Snapshot has changed")
		}
	}
	well := &cluster.Snapshot{Nodes: map[string]*cluster.Node{"n": {State: cluster.NodeConnecting}},
		Jobs: []cluster.JobView{{Job: cluster.Job{Nodes: []string{"n"}}}}}
	if GiveUp(well) != well {
		t.Error("a node that is queued has not failed")
	}
}
