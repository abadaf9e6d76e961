package promises

import (
	"bufio"
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// heads are the heads of CSV files of today.
var heads = map[string]func(*testing.T) string{
	"snapshot": func(t *testing.T) string {
		return runs(t, t.TempDir(), "snapshot", "--format", "csv", "--demo=1x1").stdout
	},
	"scalars": func(t *testing.T) string {
		return first(t, "scalars", "--csv", "-", "--interval", "1", "--demo=1x1")
	},
	"report": func(t *testing.T) string {
		return runs(t, t.TempDir(), "report", "--format", "csv", "--from", newest+"/demo.nvr", "48211").stdout
	},
}

// first returns the first line of a command that goes on, and ends it.
func first(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env, cmd.WaitDelay = []string{"HOME=" + t.TempDir(), "PATH=/nonexistent"}, 10*time.Second
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Errorf("nvnodetop %q printed %q: %v", args, line, err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	return line
}

// The columns of CSV keep their places: programs that count them read the same numbers. New columns come last.
func TestCSVColumns(t *testing.T) {
	each(t, func(t *testing.T, dir string) {
		for name, today := range heads {
			text, _, _ := strings.Cut(today(t), "\n")
			updated(t, dir, "csv/"+name+".csv", text+"\n")
			have := strings.Split(text, ",")
			for i, was := range strings.Split(strings.TrimSpace(kept(t, dir, "csv/"+name+".csv")), ",") {
				if i >= len(have) || have[i] != was {
					t.Errorf("%s.csv of %s has the column %d %q, and today's head is %s", name, dir, i+1, was, text)
					break
				}
			}
		}
	})
}

// sample matches a sample of Prometheus' text format: its name and its labels.
var sample = regexp.MustCompile(`^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? `)

// label matches a label.
var label = regexp.MustCompile(`(\w+)="(?:[^"\\]|\\.)*"`)

// families are the metrics of a text: their names with their types, and all labels of their samples.
func families(text string) map[string][]string {
	all := map[string][]string{}
	types := map[string]string{}
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) == 4 && words[1] == "TYPE" {
			types[words[2]] = words[3]
		}
		m := sample.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		name := m[1] + " " + types[m[1]]
		for _, l := range label.FindAllStringSubmatch(m[2], -1) {
			if !slices.Contains(all[name], l[1]) {
				all[name] = append(all[name], l[1])
			}
		}
		slices.Sort(all[name])
	}
	return all
}

// Dashboards and alerts find every metric, with its type and its labels. The texts of today have all metrics; package
// export compares them with the program.
func TestMetrics(t *testing.T) {
	each(t, func(t *testing.T, dir string) {
		for name, path := range map[string]string{
			"metrics.txt": "../../internal/output/export/testdata/full.prom",
			"dcgm.txt":    "../../internal/output/export/testdata/dcgm.prom",
		} {
			today := families(read(t, path))
			if name == "metrics.txt" { // the text has no processes
				live := families(runs(t, t.TempDir(), "snapshot", "--format", "prometheus", "--processes",
					"--demo=2x4").stdout)
				maps.DeleteFunc(live, func(name string, _ []string) bool {
					return !strings.HasPrefix(name,
						"nvnodetop_process_")
				})
				maps.Copy(today, live)
			}
			var list []string
			for family, labels := range today {
				list = append(list, strings.TrimSpace(family+" "+strings.Join(labels, " ")))
			}
			slices.Sort(list)
			updated(t, dir, name, strings.Join(list, "\n")+"\n")
			for line := range strings.Lines(kept(t, dir, name)) {
				words := strings.Fields(line)
				labels, found := today[words[0]+" "+words[1]]
				if !found {
					t.Errorf("the metric %s (%s) of %s is gone", words[0], words[1], dir)
				}
				for _, was := range words[2:] {
					if found && !slices.Contains(labels, was) {
						t.Errorf("the metric %s of %s has lost its label %s", words[0], dir, was)
					}
				}
			}
		}
	})
}
