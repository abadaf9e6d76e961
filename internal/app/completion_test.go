package app

import (
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/test/apptest"
)

// The words that cobra's scripts show: words, a hint for files, and nothing that habits has rewritten.
func TestCompletion(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // no SLURM
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	for args, want := range map[string]string{
		"--theme ":                 "auto\ndark\nlight\nhigh-contrast\ncolorblind\nmono\n:4\n",
		"replay ":                  "nvr\n:8\n",
		"replay run.nvr ":          ":4\n",
		"logs ":                    ":4\n",
		"--nodes a,":               ":6\n",
		"serve --transport ":       "auto\nssh\ncontrol\nopenssh\nsrun\nlocal\n:4\n",
		"rec":                      "record\trecord your jobs to a file, without a screen\n:4\n",
		"snapshot --first":         "--first-sample\t",
		"completion ":              "bash\nzsh\nfish\n:4\n",
		"-o 0 --gpu-util-thresh ":  "",
		"track --format json sle ": "",
	} {
		words := strings.Split(args, " ")
		code, out, _ := apptest.Run(t, append([]string{"__complete"}, words...)...)
		if code != cli.ExitOK || !strings.HasPrefix(out, want) {
			t.Errorf("%q: %d, %q; want %q", args, code, out, want)
		}
	}
	for shell, want := range map[string]string{"bash": "__start_nvnodetop", "zsh": "#compdef nvnodetop",
		"fish": "complete -c nvnodetop"} {
		if code, out, errs := apptest.Run(t, "completion", shell); code != cli.ExitOK || !strings.Contains(out, want) {
			t.Errorf("%s: %d, %q", shell, code, errs)
		}
	}
	if code, _, errs := apptest.Run(t, "completion", "tcsh"); code != cli.ExitUsage ||
		errs != "nvnodetop: completion takes the name of a shell: bash, zsh or fish, not \"tcsh\"\n" {
		t.Errorf("tcsh: %d, %q", code, errs)
	}
}
