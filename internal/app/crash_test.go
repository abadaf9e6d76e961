package app

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/test/apptest"
)

// broken is a source that panics.
type broken struct{}

func (broken) Run(context.Context, func(cluster.Event)) error { panic("oh no") }

// panics are commands that panic, by name.
var panics = map[string]func() error{
	"command": func() error { panic("oh no") },
	"task":    func() error { <-source.StartTask(func() error { panic("oh no") }).Done(); return nil },
	"source": func() error {
		s := source.StartSession(context.Background(), broken{})
		<-s.Done()
		return cli.Failed(s.Err())
	},
}

// panicking makes the command schema panic.
func panicking(way string) {
	do := panics[way]
	for i := range commands {
		if make := commands[i].make; do != nil && make(cli.Streams{}).Name() == "schema" {
			commands[i].make = func(io cli.Streams) *cobra.Command {
				c := make(io)
				c.RunE = func(*cobra.Command, []string) error { return do() }
				return c
			}
		}
	}
}

// A crash has an exit code of its own: scripts take 2 for a mistake in their arguments.
func TestCrash(t *testing.T) {
	t.Parallel()
	for way := range panics {
		code, out, errs := apptest.Process(t, []string{panicEnv + "=" + way}, "schema")
		if code != crash.Exit || out != "" || !strings.Contains(errs, "oh no") || !strings.Contains(errs, "crash_test.go:") {
			t.Errorf("%s: exit code %d, stdout %q, stderr\n%s", way, code, out, errs)
		}
	}
	if code, _, _ := apptest.Process(t, []string{panicEnv + "="}, "schema", "nonsense"); code != cli.ExitUsage {
		t.Errorf("without a panic: exit code %d", code)
	}
	if errors.Is(cli.Usage("x"), crash.Err) {
		t.Error("a wrong argument is a crash")
	}
}
