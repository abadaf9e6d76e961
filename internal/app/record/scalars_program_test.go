package record_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/test/apptest"
)

// All files are written at once, until the program is interrupted; that is no failure.
func TestLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	table, runs := filepath.Join(dir, "x.csv"), filepath.Join(dir, "runs")
	out, err := os.Create(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, interrupt := context.WithTimeout(t.Context(), time.Minute)
	defer interrupt()
	go func() {
		for text := []byte(nil); ctx.Err() == nil && bytes.Count(text, []byte("\n")) < 1+
			3*10; time.Sleep(100 * time.Millisecond) {
			text, _ = os.ReadFile(table)
		}
		interrupt()
	}()
	code, errs := apptest.RunTo(ctx, t, out, "log", "--demo=2x4", "--interval", "1", "--csv", table, "--jsonl", "-",
		"--tensorboard", runs)
	if code != cli.ExitOK || errs != "" {
		t.Fatalf("exit code %d, stderr %q", code, errs)
	}
	text, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil || len(lines) < 1+3*10 {
		t.Fatalf("%v in\n%s", err, text)
	}
	objects, err := os.ReadFile(out.Name())
	if err != nil || bytes.Count(objects, []byte("\n")) != len(lines)-1 ||
		!bytes.Contains(objects, []byte(`"rank":7,"job":"48211","node":"gpu-n02","gpu":"3"`)) {
		t.Errorf("%v: %d lines of JSON, %d of CSV", err, bytes.Count(objects, []byte("\n")), len(lines))
	}
	seen := map[string]time.Time{}
	for _, line := range lines[1:] {
		at, err := time.Parse(time.RFC3339, line[0])
		gpu := strings.Join(line[2:6], " ")
		if gap := at.Sub(seen[gpu]); err != nil || gap < 500*time.Millisecond { // each report once
			t.Errorf("%v: %v after the line before in %q", err, gap, line)
		}
		seen[gpu] = at
	}
	files, _ := filepath.Glob(filepath.Join(runs, "job-*", "events.out.tfevents.*"))
	if len(seen) != 10 || len(files) != 2 {
		t.Errorf("GPUs %v, files %q", seen, files)
	}
}

func TestLogUsage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	other := filepath.Join(dir, "loss.csv")
	if err := os.WriteFile(other, []byte("step,loss\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"log":                                   "name a file to write: --tensorboard DIR, --csv FILE or --jsonl FILE",
		"log --csv=":                            "--csv is empty",
		"log --csv x --job=":                    "--job is empty",
		"log --csv x --jsonl x":                 "--csv and --jsonl need files of their own",
		"log --csv - --jsonl -":                 "--csv and --jsonl need files of their own",
		"log --csv x --interval 0.5":            `--interval must be from 1 to 600 seconds, such as 5 or 30s, not "0.5"`,
		"log --csv x --interval NaN":            "--interval must be",
		"log --csv x --nodes a;b":               `invalid host name "a;b"`,
		"log --csv x --job 1 --nodes a":         "--job cannot be combined with --nodes or --demo",
		"log --csv x y":                         `unexpected argument "y"`,
		"log --demo=1x1 --csv " + dir:           "is a directory",
		"log --demo=1x1 --csv " + other:         "has other columns: name another file",
		"log --demo=1x1 --tensorboard " + other: " is a file: name a directory, such as runs",
	} {
		code, out, errs := apptest.Run(t, strings.Fields(args)...)
		if code != cli.ExitUsage || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, want) {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q; want 2 and one line with %q", args, code, out, errs, want)
		}
	}
}

// A full disk ends the program, in one line.
func TestLogToAFullDisk(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	if code, errs := apptest.RunTo(t.Context(), t, full, "log", "--jsonl", "-", "--demo=1x1"); code != cli.ExitFailed ||
		errs != "nvnodetop: --jsonl: write /dev/full: no space left on device\n" {
		t.Errorf("exit code %d, stderr %q", code, errs)
	}
}

// The page of the command describes its flags, and no others.
func TestLogIsDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/commands/scalars.md")
	if err != nil {
		t.Fatal(err)
	}
	_, help, _ := apptest.Run(t, "scalars", "--help")
	flags := regexp.MustCompile(`--[a-z]+`)
	for _, flag := range regexp.MustCompile(`(?m)^ +(--[a-z-]+)`).FindAllStringSubmatch(help, -1) {
		if flag[1] != "--help" && !strings.Contains(string(page), "`"+flag[1]) {
			t.Errorf("docs/commands/scalars.md does not name %s", flag[1])
		}
	}
	for _, flag := range flags.FindAllString(string(page), -1) {
		if !strings.Contains(help, flag) && flag != "--logdir" {
			t.Errorf("docs/commands/scalars.md names %s, which is no flag", flag)
		}
	}
}
