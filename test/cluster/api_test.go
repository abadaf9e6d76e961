package cluster

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A program that uses the public package is its own probe on the nodes, and names working and broken GPUs correctly.
func TestProgramOfTheLibrary(t *testing.T) {
	exe := filepath.Join(t.TempDir(), "idle")
	build := exec.CommandContext(t.Context(), "go", "build", "-race", "-o", exe, "./examples/idle")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v: %s", err, out)
	}
	idle := do(t, "put", exe)
	fault(t, "nvml", "node01", "util 40;gpu 2 util 0")
	fault(t, "nvml", "node02", "util 0;gpu 1 util 7")
	id := job(t, 2)
	r := runsProgram(t, []string{idle}, "-job", id)
	var got []string
	for line := range strings.Lines(r.stdout) {
		name, _, _ := strings.Cut(line, ":")
		got = append(got, name)
	}
	var want []string
	for _, gpu := range []string{"node01 GPU2", "node02 GPU0", "node02 GPU2", "node02 GPU3"} {
		want = append(want, fmt.Sprintf("%s of job %s", gpu, id))
	}
	if r.code != 0 || r.stderr != "" || !slices.Equal(got, want) {
		t.Errorf("exit code %d, stderr %q, %q, want %q", r.code, r.stderr, got, want)
	}
	if r := runsProgram(t, []string{idle}, "-job", "999999"); r.code != 0 || r.stdout != "" {
		t.Errorf("exit code %d, stderr %q, stdout %q for a job that there is not", r.code, r.stderr, r.stdout)
	}
}
