package realgpu

import (
	"regexp"
	"slices"
	"testing"
)

// alone are numbers that only nvnodetop has here: each process counts its own energy, and /sys has no such device.
var alone = []string{"energy_joules", "numa_node"}

var onlyOurs = regexp.MustCompile(`(?m)^\| idle: (\w+) \| [^a].*\| (only ours|skipped: this driver's tools .*) \|$`)

// Each number of a GPU is compared with another tool's: a row that names what nobody has would pass.
func TestMetricsAreCompared(t *testing.T) {
	t.Parallel()
	r := start(t, t.TempDir(), nil, "--only", "readings")
	if got := r.wait(); got != 0 || r.verdict("idle: power_watts") != "equal" {
		t.Errorf("exit status %d\n%s", got, r.said.String())
	}
	for _, row := range onlyOurs.FindAllSubmatch(r.said.Bytes(), -1) {
		if key := string(row[1]); !slices.Contains(alone, key) {
			t.Errorf("%s: neither the fake nvidia-smi nor the stub of pynvml has what its row in metrics.py names: "+
				"add it to scripts/fakenvml/smi_rows.c or test/realgpu/stub/pynvml.py, or correct the row", key)
		}
	}
}
