package cluster

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Two versions of one user watch the same nodes: each brings its own probe, and neither disturbs the other.
func TestTwoVersions(t *testing.T) {
	dog.Watch(t)
	exe := filepath.Join(t.TempDir(), "nvnodetop")
	build := exec.Command("go", "build", "-o", exe, "-ldflags",
		"-X github.com/nvnodetop/nvnodetop/internal/wire.buildVersion=0.0.1", "./cmd/nvnodetop")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	other := do(t, "put", exe, "nvnodetop-other")
	job(t, 2)
	w := watch(t)
	w.sees("8 of 8 GPUs, 2 of 2 nodes reporting")
	for range 2 {
		r := runsProgram(t, []string{other}, "--json")
		d := r.json(t)
		if r.code != 0 || len(d.Nodes) != 2 {
			t.Fatalf("exit code %d, %d nodes, stderr %q", r.code, len(d.Nodes), r.stderr)
		}
		for _, n := range d.Nodes {
			if n.State != "reporting" || len(n.GPUs) != 4 {
				t.Errorf("%s: %+v", n.Name, n)
			}
		}
	}
	w.sees("8 of 8 GPUs, 2 of 2 nodes reporting")
	w.quits()
	copies := strings.Fields(do(t, "on", "-u", "alice", "node01", "sh", "-c", "ls ~/.cache/nvnodetop"))
	if len(copies) < 2 {
		t.Errorf("the home has %q, want a probe of each version", copies)
	}
}
