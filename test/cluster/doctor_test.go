package cluster

import (
	"encoding/json"
	"strings"
	"testing"
)

// examined is the document of nvnodetop doctor --json.
type examined struct {
	Verdict string
	Nodes   []struct {
		Name, Verdict, Transport string

		Transports []struct {
			Name, Verdict string
			Works         bool
			Steps         []examinedStep
		}
		Steps []examinedStep
	}
}

type examinedStep struct {
	Name, Verdict, Text, Class string
	Hints                      []string
}

// examine runs the doctor for the nodes of the jobs.
func examine(t *testing.T, code int, args ...string) examined {
	t.Helper()
	r := runs(t, append([]string{"doctor", "--json"}, args...)...)
	if r.code != code {
		t.Errorf("%q: exit code %d, want %d; stderr %q", args, r.code, code, r.stderr)
	}
	var e examined
	if err := json.Unmarshal([]byte(r.stdout), &e); err != nil || len(e.Nodes) != 1 {
		t.Fatalf("%q printed %q: %v", args, r.stdout, err)
	}
	return e
}

// step returns a step of a transport of the only node.
func (e examined) step(t *testing.T, transport, name string) examinedStep {
	t.Helper()
	for _, way := range e.Nodes[0].Transports {
		for _, s := range way.Steps {
			if way.Name == transport && s.Name == name {
				return s
			}
		}
	}
	t.Fatalf("no step %s of %s in %+v", name, transport, e)
	return examinedStep{}
}

// TestDoctor: a healthy node, a node that accepts no key, a node with an unknown host key, and a session that is
// adopted into a job. The doctor closes everything that it has opened.
func TestDoctor(t *testing.T) {
	id := job(t, 1)
	if e := examine(t, 0); e.Nodes[0].Name != "node01" || e.Nodes[0].Transport == "" ||
		!strings.HasPrefix(e.step(t, "srun", "cgroup").Text, "the session is in job "+id+", 4 of") {
		t.Errorf("%+v", e)
	}
	if r := runs(t, "doctor", "--transport", "ssh", "node01"); r.code != 0 ||
		!strings.Contains(r.stdout, "\n  ok       host key   ") || strings.Contains(r.stdout, "\x1b") {
		t.Errorf("exit code %d, %s", r.code, r.stdout)
	}
	fault(t, "nokey", "node01")
	s := examine(t, 2, "--transport", "ssh").step(t, "ssh", "login")
	if s.Verdict != "failed" || s.Class != "auth" || len(s.Hints) == 0 {
		t.Errorf("%+v", s)
	}
	if e := examine(t, 1); e.Nodes[0].Transport != "srun" || e.step(t, "ssh", "login").Verdict != "warning" {
		t.Errorf("%+v", e)
	}
	do(t, "heal", "node01")
	fault(t, "unknownkey", "node01")
	if s := examine(t, 2, "--transport", "ssh", "node01").step(t, "ssh", "host key"); s.Verdict != "failed" ||
		s.Class != "host_key_unknown" {
		t.Errorf("%+v", s)
	}
	do(t, "heal", "node01")
	fault(t, "adopt", "node01")
	if s := examine(t, 0, "--transport", "ssh").step(t, "ssh", "cgroup"); s.Text != "the session is in job "+id+
		", 4 of its 4 GPUs seen" {
		t.Errorf("%+v", s)
	}
	if n := probes(t); n > 0 {
		t.Errorf("%d probes are left", n)
	}
	if left := steps(t); left != "" {
		t.Errorf("steps are left on %q", left)
	}
}
