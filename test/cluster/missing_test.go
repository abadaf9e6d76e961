package cluster

import (
	"slices"
	"strings"
	"testing"
)

// A GPU that SLURM allocated to the job and the driver does not list is critical, on the screen and in JSON, until it
// is back.
func TestMissingGPU(t *testing.T) {
	job(t, 2)
	fault(t, "nvml", "node02", "gpu 2 absent")
	r := runs(t, "--json")
	if want := "node02 (GPU2 missing)"; r.code != 1 || !strings.Contains(r.stderr, want) {
		t.Errorf("exit code %d, stderr %q, want 1 and %q", r.code, r.stderr, want)
	}
	validate(t, r.stdout)
	j := r.json(t).Jobs[0]
	if j.GPUs != 8 || j.Seen != 7 || len(j.Findings) != 1 || j.Findings[0].Kind != "gpu_missing" ||
		!slices.Equal(j.Findings[0].GPUs, []int{2}) {
		t.Errorf("%+v", j)
	}
	if r := runs(t, "--once"); r.code != 1 ||
		!strings.Contains(r.stdout, "GPU2 missing: SLURM allocated it to this job") {
		t.Errorf("exit code %d, stdout %s", r.code, r.stdout)
	}
	w := watch(t)
	w.sees("7 of 8 GPUs", "GPU2 missing")
	do(t, "heal", "node02")
	fault(t, "killprobe", "node02") // a new probe lists the GPUs again
	w.well()
	w.quits()
	if r := runs(t, "--json"); r.code != 0 {
		t.Errorf("exit code %d when the GPU is back, stderr %q", r.code, r.stderr)
	}
}
