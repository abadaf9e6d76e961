package capacity

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/slurm/notation"
)

// node is a node with four GPUs, of which some are in use.
func node(name string, used int) SuppliedGPUs {
	return SuppliedGPUs{Name: name, States: []string{"MIXED"},
		Types: []notation.GPUType{{Total: 4, Used: used, Known: true}}}
}

// A node has the users of its jobs with GPUs. If their requests do not tell enough GPUs, it has those of all its jobs.
func TestUsers(t *testing.T) {
	job := func(user string, perNode int, nodes ...string) SuppliedJob {
		return SuppliedJob{ID: "of-" + user, User: user, Nodes: nodes, PerNode: perNode}
	}
	s := &Supply{Nodes: []SuppliedGPUs{node("n1", 4), node("n2", 3), node("n3", 2), node("n4", 0)}}
	s.Jobs = []SuppliedJob{job("bob", 2, "n1", "n2"), job("alice", 2, "n1"), job("al\x1bice", 2, "n1"),
		job("carol", 0, "n1", "n2", "n4")}
	c := Of(s, time.Time{})
	var got []string
	for _, n := range c.Nodes {
		got = append(got, strings.Join(n.Users, "+")+" "+strings.Join(n.Jobs, "+"))
	}
	want := "alce+alice+bob of-bob+of-alice+of-alce, bob+carol of-bob+of-carol,  ,  "
	if strings.Join(got, ", ") != want || c.Hidden != 2 {
		t.Errorf("%d hidden; %q, want %q", c.Hidden, got, want)
	}
	if lines := c.Untold(); len(lines) != 1 ||
		!strings.HasPrefix(lines[0], "2 of 9 GPUs in use have no job") {
		t.Errorf("untold: %q", lines)
	}
	s.Note = "only one cluster is asked"
	if c := Of(s, time.Time{}); c.Untold()[0] != s.Note {
		t.Errorf("several clusters: %q", c.Untold())
	}
	s.NoJobs, s.Note = errors.New("slow down"), ""
	if c := Of(s, time.Time{}); c.Hidden != 0 || len(c.Untold()) != 1 || !strings.Contains(c.Untold()[0], "slow down") {
		t.Errorf("%d hidden, untold: %q", c.Hidden, c.Untold())
	}
}

func TestReason(t *testing.T) {
	for text, want := range map[string]string{
		"testing drain [root@2026-11-20T18:22:34]": "testing drain, root, 2026-11-20T18:22:34Z",
		"see [#12] [a@b]":                          "see [#12] [a@b], , 0001-01-01T00:00:00Z",
		"":                                         ", , 0001-01-01T00:00:00Z",
		"x [root@2026-99-20T18:22:34]":             "x [root@2026-99-20T18:22:34], , 0001-01-01T00:00:00Z",
	} {
		var n Node
		n.setReason(text)
		if got := n.Reason + ", " + n.ReasonBy + ", " + n.ReasonAt.Format(time.RFC3339); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
