//go:build linux

package track_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/output/track"
	"github.com/nvnodetop/nvnodetop/test/apptest"
)

func TestTrackUsage(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"track":                              "track needs a command: nvnodetop track -- COMMAND",
		"track --":                           "track needs a command",
		"track --ram-unit GB -- true":        `--ram-unit must be bytes, kilobytes, megabytes, gigabytes or terabytes, not "GB"`,
		"track --gru mb -- true":             `--gpu-ram-unit must be bytes`,
		"track --time-unit weeks -- true":    `--time-unit must be seconds, minutes, hours or days, not "weeks"`,
		"track --format yaml -- true":        `--format must be text or json, not "yaml"`,
		"track --sleep-time 0 -- true":       "--interval must be from 0.05 to 600 seconds, such as 5 or 0.2, not 0",
		"track --st x -- true":               `--interval must be from 0.05 to 600 seconds, such as 5 or 0.2, not "x"`,
		"track --n-expected-cores 0 -- true": "--n-expected-cores must be at least 1, not 0",
		"track --gpu-uuids  -- true":         "--gpu-uuids names no GPU",
		"track --gpu-uuids GPU-x -- true": "--gpu-uuids: no GPU of this host is known: this host has no " +
			"NVIDIA GPU",
		"track --output  -- true":                  "--output is empty",
		"track --output /nowhere/report.txt -- ls": "--output: open /nowhere/report.txt: no such file or directory",
		"track --output PIPE -- ls":                "--output: open PIPE: no such device or address",
		"track -e ls -- ls":                        "--execute cannot be combined with COMMAND",
		"track --log track.log -- true": "--log is for the report of a job: it needs --job, or srun in a " +
			"batch script",
		"track --timeout 5s -- true":               "--timeout is for the report of a job",
		"track --st  -- true":                      `--interval must be from 0.05 to 600 seconds, such as 5 or 0.2, not ""`,
		"track --nec 1.5 -- true":                  `--n-expected-cores must be a whole number, not "1.5"`,
		"track --nec 99999999999999999999 -- true": `--n-expected-cores is out of range: "99999999999999999999"`,
		"track --guuids a\"b -- true":              `--gpu-uuids must be a list with commas, not "a\"b"`,
		"track --no-such-flag -- true":             "unknown flag: --no-such-flag",
	} {
		args, want = strings.ReplaceAll(args, "PIPE", pipe), strings.ReplaceAll(want, "PIPE", pipe)
		code, out, errs := apptest.Run(t, strings.Split(args, " ")...)
		if code != cli.ExitUsage || out != "" || !strings.Contains(errs, want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q, want %q", args, code, out, errs, want)
		}
	}
}

func TestTrackStatus(t *testing.T) {
	for _, tc := range []struct {
		args []string
		code int
		errs string
	}{
		{[]string{"true"}, 0, "status code: 0\n"},
		{[]string{"sh", "-c", "exit 7"}, 7, "status code: 7\n"},
		{[]string{"sh", "-c", "kill -KILL $$"}, 137, "status code: 137\n"},
		{[]string{"no-such-command"}, 127, `nvnodetop: command "no-such-command" not found`},
		{[]string{"/etc/passwd"}, 126, `nvnodetop: cannot run "/etc/passwd": permission denied`},
	} {
		code, out, errs := apptest.Run(t, append([]string{"track", "--"}, tc.args...)...)
		if code != tc.code || !strings.Contains(errs, tc.errs) {
			t.Errorf("%q: exit code %d, stderr %q, want %d and %q", tc.args, code, errs, tc.code, tc.errs)
		}
		if strings.Contains(out, "Main number of threads: 0\n") {
			t.Errorf("%q: a command without a thread", tc.args)
		}
		if reported := strings.HasPrefix(out, "Max RAM:\n   Unit: gigabytes\n"); reported != (tc.code != 126 &&
			tc.code != 127) {
			t.Errorf("%q: stdout %q", tc.args, out)
		}
	}
}

// TestTrackCommand runs a command that has flags which nvnodetop rewrites elsewhere, and gpu_tracker's example.
func TestTrackCommand(t *testing.T) {
	_, out, errs := apptest.Run(t, "track", "echo", "-1", "-o", "a", "b", "--interval", "3")
	if !strings.HasPrefix(out, "-1 -o a b --interval 3\nMax RAM:\n") {
		t.Errorf("stdout %q, stderr %q", out, errs)
	}
	file := filepath.Join(t.TempDir(), "out.txt")
	if err := os.WriteFile(file, []byte(strings.Repeat("the last report\n", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := apptest.Run(t, "track", "-e", "echo well; exit 3", "--tu=seconds", "--gru=megabytes",
		"--ru=megabytes", "--st=0.2", "-o", file, "--disable-logs")
	if code != 3 || out != "well\n" || errs != "Resource tracking complete. Process completed with status code: 3\n" {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, out, errs)
	}
	text, err := os.ReadFile(file)
	if err != nil || !strings.HasPrefix(string(text), "Max RAM:\n   Unit: megabytes\n") ||
		strings.Contains(string(text), "last") {
		t.Errorf("%v: %s", err, text)
	}
}

// TestTrackLine runs lines of a shell that print the parent of a command: the shell makes room for a single command.
func TestTrackLine(t *testing.T) {
	const parent = "sed -n 's/^PPid:.//p' \"/proc/self/status\""
	ours := strconv.Itoa(os.Getpid()) + "\n"
	for line, alone := range map[string]bool{parent: true, "  " + parent + " 2>/dev/null": true, "LC_ALL=C " + parent +
		"; true": false, "true && " + parent + "\nexit 0": false} {
		if code, out, _ := apptest.Run(t, "track", "-e", line); code != 0 || strings.HasPrefix(out, ours) != alone {
			t.Errorf("%s: exit code %d, stdout %q", line, code, out)
		}
	}
	for line, want := range map[string]int{"exit 3": 3, "no-such-command -x": 127, "N=4 true": 0, " ": 0} {
		if code, _, errs := apptest.Run(t, "track", "-e", line); code != want {
			t.Errorf("%s: exit code %d, stderr %q", line, code, errs)
		}
	}
}

// TestTrackNoGPU reads the report of a host without GPUs.
func TestTrackNoGPU(t *testing.T) {
	code, out, errs := apptest.Run(t, "track", "--format", "json", "--n-expected-cores", "3", "--ru", "bytes", "--",
		"sleep", "1.2")
	var r track.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 {
		t.Fatalf("exit code %d, %v: %s", code, err, out)
	}
	if !strings.Contains(errs, "nvnodetop: the report has no GPUs: this host has no NVIDIA GPU\n") {
		t.Errorf("stderr %q", errs)
	}
	if r.GPURAM != (track.GPURAM{Unit: "gigabytes"}) || r.GPU != (track.GPUUtilization{}) {
		t.Errorf("GPUs: %+v, %+v", r.GPURAM, r.GPU)
	}
	if r.CPU.ExpectedCores != 3 || r.CPU.MainThreads != 1 || r.RAM.Main.Total < 1<<17 || r.RAM.Main.Total > 1<<24 ||
		r.RAM.Descendants.Total != 0 {
		t.Errorf("%+v, %+v", r.CPU, r.RAM)
	}
}

// A command that ends at once has a reason for the missing GPUs, too; the reason depends on the messages of the probe
// so far.
func TestTrackLateGPUs(t *testing.T) {
	_, _, errs := apptest.Run(t, "track", "--", "true")
	if _, why, _ := strings.Cut(errs, "nvnodetop: the report has no GPUs: "); why != "the command ended before they were read"+"\n" &&
		why != "this host has no NVIDIA GPU\n" {
		t.Errorf("stderr %q", errs)
	}
}

// TestTrackFullDisk writes the report to a full disk.
func TestTrackFullDisk(t *testing.T) {
	for command, want := range map[string]int{"exit 0": cli.ExitFailed, "exit 5": 5} {
		code, _, errs := apptest.Run(t, "track", "--output", "/dev/full", "--", "sh", "-c", command)
		if code != want || !strings.Contains(errs, "\nMax RAM:\n") ||
			!strings.Contains(errs, "nvnodetop: the report cannot be written: write /dev/full: no space left on "+
				"device\n") {
			t.Errorf("%s: exit code %d, stderr %q", command, code, errs)
		}
	}
}

// TestTrackWithoutReader closes the other end of standard output before the report comes.
func TestTrackWithoutReader(t *testing.T) {
	for command, want := range map[string]int{"exit 0": cli.ExitFailed, "exit 5": 5} {
		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		reader.Close()
		var errs bytes.Buffer
		cmd := apptest.Command(nil, "track", "--", "sh", "-c", command)
		cmd.Stdout, cmd.Stderr = writer, &errs
		_ = cmd.Run() // ProcessState has the result
		writer.Close()
		if got := cmd.ProcessState.ExitCode(); got != want || !strings.Contains(errs.String(), "\nMax RAM:\n") ||
			!strings.Contains(errs.String(), "broken pipe\n") {
			t.Errorf("%s: exit code %d, stderr %q", command, got, errs.String())
		}
	}
}
