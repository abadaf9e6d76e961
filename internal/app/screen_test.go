package app

import (
	"context"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/session"
	"github.com/nvnodetop/nvnodetop/internal/ui"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
)

// What the user chooses is there at the next start, except in the demo and for what the command line decided.
func TestChoicesAreKept(t *testing.T) {
	for _, test := range []struct {
		name         string
		change       func(*config.Config)
		view, colors string
		files        int
	}{
		{"plain", func(*config.Config) {}, ui.ViewOverview, ui.ColorsClassic, 2},
		{"demo", func(c *config.Config) { c.Demo = "4x8" }, ui.ViewAuto, ui.ColorsJob, 0},
		{"--view", func(c *config.Config) { c.View = ui.ViewNode }, ui.ViewNode, ui.ColorsClassic, 1},
		{"--colors", func(c *config.Config) { c.Colors = ui.ColorsJob }, ui.ViewOverview, ui.ColorsJob, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("XDG_STATE_HOME", dir)
			cfg := config.Default()
			test.change(&cfg)
			choices := newKeeper(&cfg)
			ctx, quit := context.WithCancel(t.Context())
			saved := session.Go(func() error { return choices.run(ctx) })
			save := screen(&cfg, nil, nil, choices).Remember
			save(ui.RememberView, ui.ViewNode)
			save(ui.RememberView, ui.ViewOverview)
			save(ui.RememberColors, ui.ColorsClassic)
			quit()
			if done, err := saved.Wait(time.Minute); !done || err != nil {
				t.Fatal("the choices are not saved", err)
			}
			next := screen(&cfg, nil, nil, nil)
			if next.View != test.view || next.Colors != test.colors {
				t.Errorf("view %q, colors %q, want %q, %q", next.View, next.Colors, test.view, test.colors)
			}
			if files, _ := os.ReadDir(dir + "/nvnodetop"); len(files) != test.files {
				t.Errorf("%d files, want %d", len(files), test.files)
			}
		})
	}
}

// The screen knows the login host, which stands in commands that the user copies.
func TestScreenKnowsTheLoginHost(t *testing.T) {
	cfg := config.Default()
	cfg.Login = "al@cluster"
	if o := screen(&cfg, nil, nil, nil); o.Login != "al@cluster" {
		t.Errorf("got %q", o.Login)
	}
}

func TestDumbTerminal(t *testing.T) {
	tty, written := terminal(t)
	defer written()
	t.Setenv("TERM", "dumb")
	cfg := config.Default()
	cfg.Demo = config.DefaultDemo
	if err := run(t.Context(), &cfg, streams{in: tty, out: tty, err: io.Discard},
		slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "use --once") {
		t.Errorf("error %v", err)
	}
}

// The environment decides how --once looks, and the command line decides before it.
func TestTextFollowsTheEnvironment(t *testing.T) {
	for _, test := range []struct {
		columns, flag string
		width         int
		ascii         bool
	}{{"80", "", 80, true}, {"80", "--ascii=false", 80, false}, {"20", "", leastWidth, true},
		{"wide", "", fileWidth, true}} {
		t.Setenv("COLUMNS", test.columns)
		t.Setenv("LC_ALL", "C")
		_, text, _ := program(t, strings.Fields("--demo 2x4 --once "+test.flag)...)
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
		if _, text, _ := program(t, strings.Fields("--demo 2x4 --once "+flag)...); strings.Contains(text,
			"\x1b[") != want {
			t.Errorf("with %q: %.200q", flag, text)
		}
	}
}
