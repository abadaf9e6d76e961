//go:build linux

package track_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/source/mark"
	"github.com/nvnodetop/nvnodetop/pkg/report"
	"github.com/nvnodetop/nvnodetop/test/apptest"
	"github.com/nvnodetop/nvnodetop/test/feedtest"
	"github.com/nvnodetop/nvnodetop/test/stubs"
)

func TestMarkUsage(t *testing.T) {
	t.Setenv("SLURM_JOB_ID", "")
	t.Setenv(mark.Variable, "")
	for args, want := range map[string]string{
		"mark":                    "mark takes begin NAME, end NAME or one WORD, such as begin epoch",
		"mark begin":              `such as begin epoch, not "begin"`,
		"mark start epoch":        `such as begin epoch, not "start epoch"`,
		"mark x":                  "mark needs a job",
		"mark --job ../7 x":       `"../7" is not the number of a job`,
		"mark --job 7 a\x1bb":     "a name has at most 64 printable characters",
		"mark --job 7 begin LONG": "a name has at most 64 printable characters",
	} {
		args = strings.ReplaceAll(args, "LONG", strings.Repeat("x", 65))
		code, out, errs := apptest.Run(t, strings.Split(args, " ")...)
		if code != cli.ExitUsage || out != "" || !strings.Contains(errs, want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", args, code, out, errs)
		}
	}
}

// A command that is tracked marks parts of its work, which its report has.
func TestTrackHasTags(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("SLURM_JOB_ID", "")
	t.Setenv(mark.Variable, "4711")
	dir, err := config.MarkDir()
	if err != nil {
		t.Fatal(err)
	}
	line := `printf '{"job":"4711","name":"epoch","kind":"%%s","at":"%%s","by":"n1"}\n' %s "$(date -u +%%FT%%T.%%NZ)" >> '` +
		dir + `/4711/n1.jsonl'`
	if err := os.MkdirAll(filepath.Join(dir, "4711"), 0o700); err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf(line, "begin") + "; sleep 1; " + fmt.Sprintf(line, "end")
	code, out, errs := apptest.Run(t, "track", "--st", "0.1", "-f", "json", "-e", script)
	var r report.Command
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != cli.ExitOK || len(r.Tags) != 1 {
		t.Fatalf("exit code %d, %v, %q, %q", code, err, out, errs)
	}
	if tag := r.Tags[0]; tag.Name != "epoch" || tag.Seconds < 0.9 || tag.Seconds > 10 || tag.RAM == nil ||
		tag.To.IsZero() {
		t.Errorf("%+v", tag)
	}
	if code, _, errs := apptest.Run(t, "mark", "begin", "eval"); code != cli.ExitOK || errs != "" {
		t.Errorf("exit code %d, %q", code, errs)
	}
	// the part that goes on, and not the one that an earlier command began and ended
	if _, out, _ := apptest.Run(t, "track", "--", "true"); !strings.Contains(out, "Tags:\n   eval:\n      Times: 1\n") ||
		strings.Contains(out, "epoch") {
		t.Errorf("printed %s", out)
	}
}

// A mark has the number of the job.
func TestMarkBySLUID(t *testing.T) {
	const sluid = "s4Y5M8CR7ZYE00"
	feedtest.Squeue(t, "exit 0")
	dir, _, _ := strings.Cut(os.Getenv("PATH"), ":")
	stubs.Write(t, dir, "scontrol", "printf 'JobId=16 ArrayJobId=2 ArrayTaskId=13 JobName=x\\n   SLUID="+sluid+"\\n\\n'")
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	t.Setenv("HOME", state)
	if code, out, errs := apptest.Run(t, "mark", "--job", sluid, "epoch"); code != cli.ExitOK || out+errs != "" {
		t.Fatalf("exit code %d, %s%s", code, out, errs)
	}
	var text []byte
	err := filepath.WalkDir(state, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			some, _ := os.ReadFile(path)
			text = append(append(text, path...), some...)
		}
		return err
	})
	if err != nil || !strings.Contains(string(text), "16") || strings.Contains(string(text), sluid) {
		t.Errorf("%v, written: %s", err, text)
	}
}
