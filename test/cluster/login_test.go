package cluster

import (
	"strings"
	"testing"
)

// The login host of this test is a node of the job: from the host login, it is as far away as a cluster from a laptop.
func TestFromAnotherHost(t *testing.T) {
	job(t, 2)
	r := runs(t, "--json", "--login", "alice@node01")
	if r.code != 0 {
		t.Errorf("exit code %d, stderr %q", r.code, r.stderr)
	}
	validate(t, r.stdout)
	d := r.json(t)
	if len(d.Jobs) != 1 || d.Jobs[0].GPUs != 8 || len(d.Nodes) != 2 {
		t.Fatalf("%d jobs, %d nodes in\n%s", len(d.Jobs), len(d.Nodes), r.stdout)
	}
	for _, n := range d.Nodes {
		if n.State != "reporting" || len(n.GPUs) != 4 {
			t.Errorf("%s: %s, %d GPUs, %+v", n.Name, n.State, len(n.GPUs), n.Failure)
		}
	}

	r = runs(t, "--json", "--login", "nosuchhost.invalid")
	if r.code != 3 || !strings.Contains(r.stderr, "login host nosuchhost.invalid: ") {
		t.Errorf("a login host that is unknown: exit code %d, stderr %q", r.code, r.stderr)
	}
}
