package screen_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/screen"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/test/apptest"
	"github.com/nvnodetop/nvnodetop/test/feedtest"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

func TestDumbTerminal(t *testing.T) {
	tty, written := feedtest.Terminal(t)
	defer written()
	t.Setenv("TERM", "dumb")
	if code, errs := apptest.RunTo(t.Context(), t, tty, "--demo"); code != cli.ExitUsage ||
		!strings.Contains(errs, "use --once") {
		t.Errorf("exit code %d, %q", code, errs)
	}
}

// The environment decides how --once looks, and the command line decides before it.
func TestTextFollowsTheEnvironment(t *testing.T) {
	for _, test := range []struct {
		columns, flag string
		width         int
		ascii         bool
	}{{"80", "", 80, true}, {"80", "--ascii=false", 80, false}, {"20", "", 60, true},
		{"wide", "", 120, true}} {
		t.Setenv("COLUMNS", test.columns)
		t.Setenv("LC_ALL", "C")
		_, text, _ := apptest.Run(t, strings.Fields("--demo 2x4 --once "+test.flag)...)
		widest, ascii := 0, true
		for line := range strings.Lines(text) {
			widest = max(widest, draw.Width(strings.TrimSuffix(line, "\n")))
			ascii = ascii && !strings.ContainsFunc(line, func(r rune) bool { return r > '~' })
		}
		if widest != test.width || ascii != test.ascii {
			t.Errorf("COLUMNS=%s %s: %d columns, ASCII only: %t", test.columns, test.flag, widest, ascii)
		}
	}
}

// --force-color is nvitop's: text has colors in a pipe, too.
func TestColorsInAPipe(t *testing.T) {
	t.Setenv("TERM", "xterm-256color")
	t.Setenv("NO_COLOR", "")
	t.Setenv("CLICOLOR_FORCE", "")
	for flag, want := range map[string]bool{"": false, "--force-color": true} {
		if _, text, _ := apptest.Run(t, strings.Fields("--demo 2x4 --once "+flag)...); strings.Contains(text,
			"\x1b[") != want {
			t.Errorf("with %q: %.200q", flag, text)
		}
	}
}

// --once has the colors and the columns of the settings.
func TestTextFollowsTheSettings(t *testing.T) {
	t.Setenv("TERM", "xterm-256color")
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	text := func(change func(*config.Config)) string {
		out, err := os.Create(filepath.Join(t.TempDir(), "text"))
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		p := &cli.Program{Config: config.Default(), Streams: cli.Streams{Out: out}}
		change(&p.Config)
		err = screen.TextFormat{ForceColor: true}.Text(p, uitest.RanksFixture())
		text, failed := os.ReadFile(out.Name())
		if err := errors.Join(err, failed); err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	usual := text(func(*config.Config) {})
	for name, change := range map[string]func(*config.Config){
		"colors":       func(c *config.Config) { c.Colors = config.ColorsClassic },
		"columns.node": func(c *config.Config) { c.Columns.Node = "gpu,power_watts" },
	} {
		if text(change) == usual {
			t.Errorf("the text is the same with another value of %s: see TextFormat.Text (print.go)", name)
		}
	}
}

// A demo that hangs has hung for some time, in every output.
func TestTheDemoHangs(t *testing.T) {
	t.Parallel()
	if _, out, errs := apptest.Run(t, "--json", "--demo=2x4,hang"); !strings.Contains(out, `"kind": "job_hang"`) {
		t.Errorf("no hang in %.2000s, stderr %q", out, errs)
	}
}

// The sum below the GPUs of a node counts those that are shown.
func TestSumOfTheGPUsShown(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{"": "ALL (8 GPUs)", "-o 0": "ALL (1 GPU)", "-o 0,1": "ALL (2 GPUs)"} {
		_, out, errs := apptest.Run(t, strings.Fields("--once --demo=1x8 --first-sample "+args)...)
		if all := regexp.MustCompile(`ALL \([^)]*\)`).FindAllString(out, -1); len(all) == 0 || all[0] != want {
			t.Errorf("%q: %q, want %q, stderr %q", args, all, want, errs)
		}
	}
}

// Hosts are no job.
func TestNoJobWithoutSLURM(t *testing.T) {
	apptest.WithoutConfiguration(t, apptest.Unconfigured["configless"])
	_, out, errs := apptest.Run(t, "--once", "--first-sample")
	if !strings.Contains(out, "  ALL ") || strings.Contains(out, "JOB") {
		t.Errorf("printed %s, stderr %q", out, errs)
	}
}
