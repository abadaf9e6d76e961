package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/apptest"
)

// pastEnv makes TestPastTheScreen ask: its words are a node, a process there, its start in ticks, and a job.
const pastEnv = "NVNODETOP_APP_TEST_PAST"

// The tests on the cluster run this test there: it asks a node and SLURM what the screen must not ask, with the
// settings of that host and the flags in the environment, and prints the outcome.
func TestPastTheScreen(t *testing.T) {
	words := strings.Fields(os.Getenv(pastEnv))
	if len(words) < 4 {
		t.Skip("for the tests on the cluster")
	}
	cli.SystemFile = config.SystemFile
	pid, err1 := strconv.Atoi(words[1])
	ticks, err2 := strconv.ParseUint(words[2], 10, 64)
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	p := cli.New(cli.Streams{Err: os.Stderr}, flags, cli.Shared()...)
	err3 := flags.Parse(words[4:])
	err4 := p.Accept()
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	err := feed.RunScreen(t.Context(), p, feed.Need{}, slog.New(slog.DiscardHandler),
		func(ctx context.Context, f feed.Feed) error {
			ctx, stop := context.WithTimeout(ctx, time.Minute)
			defer stop()
			return f.Run(ctx, func(e cluster.Event) {
				if e.Node != words[0] || e.Report == nil {
					return
				}
				go func() {
					defer stop()
					process := wire.ProcessID{PID: pid, StartTicks: ticks}
					reply, err := f.Ask(ctx, words[0],
						wire.Request{Signal: &wire.Signal{Number: int(syscall.SIGTERM),
							Processes: []wire.ProcessID{process}}})
					fmt.Printf("signal: %v %s %+v\n", err, reply.Error, reply.Signaled)
					fmt.Printf("scancel: %v\n", f.Cancel(ctx, words[3], ""))
				}()
			})
		})
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

// The flag is a setting: nvnodetop config shows it, and the site's file cannot be undone by it.
func TestReadOnlyIsASetting(t *testing.T) {
	apptest.WithSettings(t, "", "")
	if code, out, errs := apptest.Run(t, "config", "--readonly"); code != cli.ExitOK ||
		!strings.Contains(out, "readonly = true                  # --readonly\n") {
		t.Errorf("exit code %d, stderr %q, stdout %s", code, errs, out)
	}
	apptest.WithSettings(t, "readonly = true\n", "")
	code, out, _ := apptest.Run(t, "config", "--readonly=false")
	if code != cli.ExitOK || !strings.Contains(out, "readonly = true ") ||
		!strings.Contains(out, "# readonly = false (--readonly) becomes true: the limit is readonly (") {
		t.Errorf("exit code %d, stdout %s", code, out)
	}
}
