//go:build linux

package track_test

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/pkg/report"
	"github.com/nvnodetop/nvnodetop/test/apptest"
)

// A process that runs already is reported on until it ends, with what it uses from then on.
func TestTrackPID(t *testing.T) {
	busy := exec.CommandContext(t.Context(), "sh", "-c", "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done; sleep 0.4")
	if err := busy.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _ = busy.Wait() }()
	code, out, errs := apptest.Run(t, "track", "--pid", strconv.Itoa(busy.Process.Pid), "--st", "0.05", "-f", "json",
		"--tu", "seconds")
	var r report.Command
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != cli.ExitOK {
		t.Fatalf("exit code %d, %v, %q, %q", code, err, out, errs)
	}
	if !strings.Contains(errs, "has ended") || r.Time.Time < 0.3 || r.Time.Time > 20 || r.CPU.Main.MaxSum == 0 ||
		r.RAM.Main.Total == 0 || r.CPU.Main.MeanSum > 101 {
		t.Errorf("%q, %+v", errs, r)
	}
	for args, want := range map[string]string{
		"--pid 0":                  "--pid must be the number of a process, not 0",
		"--pid 99999999":           "--pid: no process 99999999",
		"--pid 1 -- true":          "--pid cannot be combined with a command",
		"--pid 1 --job 7":          "--pid is for the report of a command",
		"--tf x.sqlite -- true":    "track writes no SQLite",
		"--tf x.txt -- true":       `--tracking-file must end in .csv, not "x.txt"`,
		"--overwrite -- true":      "--overwrite is for the file of --tracking-file",
		"--tf /nowhere/x.csv -- a": "--tracking-file: open /nowhere/x.csv: no such file",
		"--tconfig /nowhere -- a":  "--tconfig: open /nowhere",
	} {
		code, out, errs := apptest.Run(t, append([]string{"track"}, strings.Fields(args)...)...)
		if code != cli.ExitUsage || out != "" || !strings.Contains(errs, want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q, want %q", args, code, out, errs, want)
		}
	}
}

// Every sample is a line of gpu_tracker's file, whose name and whose options may come from gpu_tracker's configuration.
func TestTrackFiles(t *testing.T) {
	dir := t.TempDir()
	points, config := filepath.Join(dir, "p.csv"), filepath.Join(dir, "c.json")
	write := func(text string) {
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"sleep_time": 0.1, "ram_unit": "megabytes", "n_expected_cores": 2, "disable_logs": true, "time_unit": "days",
		"tracking_file": "` + points + `", "n_join_attempts": 5, "gpu_brand": "nvidia", "resource_usage_file": null}`)
	args := []string{"track", "--tconfig", config, "--tu", "seconds", "-e", "sleep 0.5"}
	code, out, errs := apptest.Run(t, args...)
	if code != cli.ExitOK || !strings.Contains(out, "Unit: megabytes") || !strings.Contains(out, "Unit: seconds") ||
		!strings.Contains(out, "Number of expected cores: 2") {
		t.Fatalf("exit code %d, %q, %q", code, out, errs)
	}
	f, err := os.Open(points)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord = -1
	lines, err := r.ReadAll()
	if err != nil || len(lines) < 6 || lines[0][0] != "ram_unit" || len(lines[1]) != 9 || lines[1][0] != "megabytes" ||
		lines[2][0] != "main_ram" || lines[2][21] != "timestamp" {
		t.Fatalf("%v, %q", err, lines)
	}
	for _, line := range lines[3:] {
		if at, err := strconv.ParseFloat(line[21], 64); len(line) != 22 || err != nil || at < 1.7e9 {
			t.Errorf("%q", line)
		}
	}
	if code, _, errs := apptest.Run(t, args...); code != cli.ExitUsage || !strings.Contains(errs, "exists: --overwrite") {
		t.Errorf("a file that exists: exit code %d, %q", code, errs)
	}
	if code, _, errs := apptest.Run(t, append(args, "--overwrite")...); code != cli.ExitOK {
		t.Errorf("exit code %d, %q", code, errs)
	}
	for text, want := range map[string]string{`[]`: "is not a JSON object",
		`{"sleep_time": "x"}`:  "sleep_time: x is not valid",
		`{"gpu_brand": "amd"}`: `has the option "gpu_brand"`, `{"execute": "rm"}`: `has the option "execute"`} {
		write(text)
		if code, _, errs := apptest.Run(t, args...); code != cli.ExitUsage || !strings.Contains(errs, want) {
			t.Errorf("%s: exit code %d, %q", text, code, errs)
		}
	}
}
