package realgpu

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"testing"

	"github.com/nvnodetop/nvnodetop/test/apptest"
	"github.com/nvnodetop/nvnodetop/test/inputs"
)

// A node without a probe has the same numbers from nvidia-smi as one with a probe from NVML.
func TestMetricsWithoutAProbe(t *testing.T) {
	t.Parallel()
	bin := build(t)
	const table = "../../internal/remote/smi/columns.go"
	inputs.Watch(t, table)
	columns, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	names, err := exec.Command(script, "--metrics").Output()
	if err != nil {
		t.Fatal(err)
	}
	env := []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "LD_LIBRARY_PATH=" + filepath.Join(bin, "current"),
		"FAKENVML_SCENARIO=" + absolute(t, everything), "SLURM_CONF=/none", "HOME=" + t.TempDir()}
	cmd := exec.Command(filepath.Join(bin, "nvnodetop"), "--json")
	cmd.Env = append(os.Environ(), env...)
	said, _ := cmd.Output() // not 0: there are problems
	_, without, _ := apptest.Process(t, append(env, apptest.NoProbe+"=1"), "--json", "--timeout", "60s")
	nvml, smi := firstGPU(t, string(said)), firstGPU(t, without)
	fields := regexp.MustCompile(`\{"([\w.]+)", metric\.`).FindAllSubmatch(columns, -1)
	for _, m := range fields {
		field := string(m[1])
		row := regexp.MustCompile(`(?m)^gpu (\w+): .*--query-gpu ` + regexp.QuoteMeta(field) + `\b`).FindSubmatch(names)
		if row == nil {
			t.Errorf("no row of scripts/realgpu.d/metrics.py names %s of %s", field, table)
		} else if key := string(row[1]); smi[key] == nil {
			t.Errorf("%s is absent without a probe: scripts/fakenvml/smi_rows.c has no row for %s, or its row in %s "+
				"is wrong", key, field, table)
		} else if !reflect.DeepEqual(smi[key], nvml[key]) {
			t.Errorf("%s is %v with a probe, and %v without: correct the row of %s in %s", key, nvml[key], smi[key],
				field, table)
		}
	}
	if len(fields) < 35 {
		t.Errorf("%d columns", len(fields))
	}
}

func firstGPU(t *testing.T, document string) map[string]any {
	t.Helper()
	var d struct {
		Nodes []struct{ GPUs []map[string]any }
	}
	if err := json.Unmarshal([]byte(document), &d); err != nil || len(d.Nodes) != 1 || len(d.Nodes[0].GPUs) != 1 {
		t.Fatalf("%v\n%s", err, document)
	}
	return d.Nodes[0].GPUs[0]
}
