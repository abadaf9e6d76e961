package smi

import (
	"os/exec"
	"regexp"
	"slices"
	"testing"

	"github.com/nvnodetop/nvnodetop/test/inputs"
)

// leftOut are fields that have a metric and are not asked for: those of newer drivers, each of which costs an older one
// another run of nvidia-smi, and settings that no rule reads.
var leftOut = []string{"compute_mode", "display_active", "display_attached", "display_mode", "fabric.cliqueId",
	"fabric.state", "fabric.status", "remapped_rows.histogram.none", "utilization.jpeg", "utilization.ofa"}

// The fields beside which scripts/realgpu sets our metrics are those that a node without a probe is asked for.
func TestColumnsAreThoseOfRealGPU(t *testing.T) {
	const script = "../../../scripts/realgpu"
	inputs.Watch(t, script, script+".d")
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("needs python3: ", err)
	}
	out, err := exec.CommandContext(t.Context(), script, "--metrics").Output()
	if err != nil {
		t.Fatal(err)
	}
	fields := regexp.MustCompile(`--query-gpu ([\w.]+)`).FindAllStringSubmatch(string(out), -1)
	for _, m := range fields {
		asked := slices.ContainsFunc(columns, func(c column) bool { return c.field == m[1] })
		if asked == slices.Contains(leftOut, m[1]) {
			t.Errorf("nvidia-smi has %s (metrics.py): it is a row of columns.go, or of leftOut with its reason", m[1])
		}
	}
	if len(fields) < len(columns) {
		t.Errorf("metrics.py has %d fields of nvidia-smi, and columns.go %d", len(fields), len(columns))
	}
}
