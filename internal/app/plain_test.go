package app

import (
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/test/apptest"
)

// --plain prints sentences: one fact a line, with its subject first, and no picture.
func TestPlain(t *testing.T) {
	t.Setenv("LC_ALL", "C.UTF-8")
	code, text, errs := apptest.Run(t, strings.Fields("--demo 4x8 --plain")...)
	if code != 1 || !strings.Contains(errs, "lost") {
		t.Errorf("exit code %d, %q", code, errs)
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for _, line := range lines {
		subject, _, found := strings.Cut(line, ": ")
		if !found || !strings.HasPrefix(subject, "job ") && !strings.HasPrefix(subject, "gpu-") ||
			!strings.HasSuffix(line, ".") || strings.ContainsAny(line, "━─│▲✗▇\x1b") || strings.Contains(line, "  ") {
			t.Errorf("%q is no sentence about a job, a node or a GPU", line)
		}
	}
	if want := "gpu-n02 GPU 3: utilization "; !strings.Contains(text, "\n"+want) {
		t.Errorf("no line begins with %q:\n%s", want, text)
	}
	_, text, _ = apptest.Run(t, strings.Fields("--demo 4x8 --plain --ascii -o 3")...)
	if strings.ContainsFunc(text, func(r rune) bool { return r > '~' }) || strings.Contains(text, "GPU 4: utilization") {
		t.Errorf("with --ascii -o 3:\n%s", text)
	}
	for args, want := range map[string]string{
		"--follow": "--follow is for --plain", "--plain --json": "cannot be combined",
		"--plain --once --follow": "cannot be combined", "--plain --follow --first-sample": "printed once",
	} {
		code, _, errs := apptest.Run(t, append([]string{"--demo"}, strings.Fields(args)...)...)
		if code != cli.ExitUsage || !strings.Contains(errs, want) {
			t.Errorf("%s: exit code %d, %q", args, code, errs)
		}
	}
}
