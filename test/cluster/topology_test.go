package cluster

import (
	"strings"
	"testing"
)

// If SLURM has a topology, each node of a large job is under its switch. Without one nothing is missing.
func TestSwitches(t *testing.T) {
	id := job(t, nodes)
	for _, want := range []map[string]string{
		nil,
		{"node01": "leaf1", "node02": "leaf1", "node03": "leaf1", "node04": "leaf1", "node05": "leaf2",
			"node06": "leaf2"},
	} {
		if want != nil {
			fault(t, "ctldswitches")
			runsNow(t, id)
		}
		r := runs(t, "--json", "--timeout", "60s") // the first session copies the probe
		d := r.json(t)
		if r.code != 0 || len(d.Nodes) != nodes {
			t.Fatalf("exit code %d, %d nodes; it said %q", r.code, len(d.Nodes), r.stderr)
		}
		for _, n := range d.Nodes {
			if n.Switch != want[n.Name] {
				t.Errorf("%s is under %q, want %q", n.Name, n.Switch, want[n.Name])
			}
		}
	}
}

// A job of few nodes brings no question for the topology.
func TestSwitchesAreNotAskedForFewNodes(t *testing.T) {
	const log = "/tmp/nvnodetop-few-nodes.log"
	t.Cleanup(func() { do(t, "on", "login", "rm", "-f", log) })
	job(t, 2)
	runs(t, "--json", "--log", log)
	text := do(t, "on", "-u", "alice", "login", "cat", log)
	if !strings.Contains(text, `command="scontrol show node `) || strings.Contains(text, "show topology") {
		t.Errorf("the log:\n%s", text)
	}
}
