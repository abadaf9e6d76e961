package realgpu

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// everything is the scenario in which each metric has a number.
const everything = "../../scripts/fakenvml/everything"

// alone are numbers that only nvnodetop has here: each process counts its own energy and times, and /sys has no such
// device.
var alone = regexp.MustCompile(`^(energy_joules|numa_node|` +
	`(power_cap|sync_boost|((sw|hw)_)?thermal|power_brake)_seconds)$`)

// compared is a row of the table: the metric, our value, theirs with those who say it, and the verdict.
var compared = regexp.MustCompile(`(?m)^\| idle: (\w+) \| (.*) \| (.*) \| (.*) \|$`)

// Each number of a GPU is compared with those of all the tools that its row in metrics.py names. A number that is 0
// proves nothing: so is that of a wrong row.
func TestMetricsAreCompared(t *testing.T) {
	t.Parallel()
	r := start(t, t.TempDir(), []string{"FAKENVML_SCENARIO=" + absolute(t, everything)}, "--only", "readings")
	names, err := exec.Command(script, "--metrics").Output()
	if err != nil {
		t.Fatal(err)
	}
	_ = r.wait() // 1: alone are wrong
	rows := 0
	for _, row := range compared.FindAllStringSubmatch(r.said.String(), -1) {
		key, ours, theirs, verdict := row[1], row[2], row[3], row[4]
		_, how, _ := strings.Cut(string(names), "\ngpu "+key+": ")
		how, _, _ = strings.Cut(how, "\n")
		if alone.MatchString(key) || strings.HasPrefix(how, "nothing: ") {
			continue
		}
		rows++
		for _, tool := range []string{"-q -x", "--query-gpu", "dmon", "pynvml"} {
			if strings.Contains(how, tool) && !strings.Contains(theirs, tool) {
				t.Errorf("%s: %s has nothing of %q, which its row in scripts/realgpu.d/metrics.py names: add that to "+
					"scripts/fakenvml/smi_rows.c (pynvml: test/realgpu/stub/pynvml.py), or correct the row",
					key, tool, how)
			}
		}
		switch {
		case strings.HasPrefix(ours, "absent"), ours == "0" && key != "fabric_status": // whose other numbers are words
			t.Errorf("%s is %s in scripts/fakenvml/everything: give it a number there", key, ours)
		case verdict != "equal":
			t.Errorf("%s: ours is %s, theirs %s: %s. Correct its row in scripts/realgpu.d/metrics.py, or add what it "+
				"names to scripts/fakenvml/smi_rows.c or test/realgpu/stub/pynvml.py", key, ours, theirs, verdict)
		}
	}
	if rows < 50 || t.Failed() {
		t.Errorf("%d rows\n%s", rows, r.said.String())
	}
}
