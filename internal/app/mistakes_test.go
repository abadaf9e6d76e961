package app

import (
	_ "embed"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/test/apptest"
	"github.com/nvnodetop/nvnodetop/test/feedtest"
)

// mistakeList has typical mistakes on the command line and in the file of settings. A row has the exit code, the
// command line or the text of the file, and what the line on standard error must say: the thing, its rule, and an
// example that is allowed.
//
//go:embed testdata/mistakes.tsv
var mistakeList string

// Each typical mistake is explained in one line.
func TestMistakes(t *testing.T) {
	apptest.WithSettings(t, "", "")
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("PATH", dir)
	t.Setenv("SLURM_JOB_ID", "")
	if err := os.Rename(feedtest.Recording(t), "good.nvr"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("notes.txt", []byte("notes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(mistakeList) {
		row := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(row) != 3 {
			t.Fatalf("%q has %d fields", line, len(row))
		}
		want, err := strconv.Atoi(row[0])
		if err != nil {
			t.Fatal(err)
		}
		args, isCommand := strings.CutPrefix(row[1], "nvnodetop ")
		if !isCommand {
			args = "config --check"
			_, user := apptest.WithSettings(t, "", strings.ReplaceAll(row[1], `\n`, "\n"))
			row[2] = strings.ReplaceAll(row[2], filepath.Base(user)+":", user+":")
		}
		code, out, errs := apptest.Run(t, strings.Fields(args)...)
		if code != want || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, row[2]) {
			t.Errorf("%s: exit code %d, stdout %q, stderr\n%s, want %d and\n%s", row[1], code, out, errs, want, row[2])
		}
		if !isCommand {
			apptest.WithSettings(t, "", "")
		}
	}
}
