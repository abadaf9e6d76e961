package cluster

import (
	"os/exec"
	"strings"
	"testing"
)

// A release: the static program of scripts/build copies the small probe that it contains.
func TestRelease(t *testing.T) {
	for _, gcc := range []string{"x86_64-linux-gnu-gcc", "aarch64-linux-gnu-gcc"} {
		if _, err := exec.LookPath(gcc); err != nil {
			t.Skip("needs the compilers of a release (scripts/test installs them on Debian): ", err)
		}
	}
	dog.Watch(t)
	if out, err := exec.Command("../../scripts/build").CombinedOutput(); err != nil {
		t.Fatalf("scripts/build: %v\n%s", err, out)
	}
	release := do(t, "put", "../../bin/nvnodetop", "nvnodetop-release")
	do(t, "on", "-u", "alice", "node01", "sh", "-c", "rm -rf ~/.cache/nvnodetop")
	job(t, nodes)
	r := runsProgram(t, []string{release}, "--json")
	if r.code != 0 {
		t.Errorf("exit code %d, stderr %q", r.code, r.stderr)
	}
	d := r.json(t)
	if len(d.Nodes) != nodes {
		t.Fatalf("%d nodes in\n%s", len(d.Nodes), r.stdout)
	}
	for _, n := range d.Nodes {
		if n.State != "reporting" || len(n.GPUs) != 4 || n.Driver == "" {
			t.Errorf("%s: %+v", n.Name, n)
		}
	}
	copies := strings.Fields(do(t, "on", "-u", "alice", "node01", "sh", "-c",
		"ls -s --block-size=1 ~/.cache/nvnodetop/nvnodetop-probe-*"))
	if len(copies) != 2 || len(copies[0]) > len("4999999") {
		t.Errorf("the home has %q, want one small probe", copies)
	}
}
