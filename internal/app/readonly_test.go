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

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// doer notes what reaches it.
type doer struct {
	fakeFeed
	did []string
}

func (d *doer) Ask(_ context.Context, _ string, r wire.Request) (wire.Reply, error) {
	if r.Signal != nil {
		d.did = append(d.did, "signal")
	}
	return wire.Reply{ID: 7}, nil
}

func (d *doer) Cancel(context.Context, string, string) error {
	d.did = append(d.did, "cancel")
	return nil
}

// With readonly neither a signal nor scancel gets through, whatever the screen asks for, and questions do.
func TestReadOnlyLetsNothingThrough(t *testing.T) {
	for from, why := range map[string]string{"--readonly": "--readonly", "/etc/x.toml:3": "readonly in /etc/x.toml:3",
		"": ""} {
		below := &doer{}
		cfg := config.Default()
		cfg.ReadOnlyFrom = from
		f := guarded(&cfg, below)
		_, err1 := f.Ask(t.Context(), "n1", wire.Request{Signal: &wire.Signal{Number: 15}})
		err2 := f.Cancel(t.Context(), "48211", "")
		reply, err := f.Ask(t.Context(), "n1", wire.Request{Environ: &wire.ProcessID{PID: 1}})
		if err != nil || reply.ID != 7 {
			t.Errorf("%q: a question: %+v, %v", from, reply, err)
		}
		if o := screen(&cfg, cluster.NewStore(cfg.Poll, health.Rules(cfg.Thresholds)), f,
			newKeeper(&cfg)); o.ReadOnly != why {
			t.Errorf("%q: the screen says %q, want %q", from, o.ReadOnly, why)
		}
		switch {
		case from == "":
			if err := errors.Join(err1, err2); err != nil || len(below.did) != 2 {
				t.Errorf("allowed: %v, did %q", err, below.did)
			}
		case err1 == nil || err2 == nil || len(below.did) != 0 || !strings.Contains(err1.Error(), why+" forbids") ||
			!strings.Contains(err2.Error(), why+" forbids"):
			t.Errorf("%q: %v, %v, did %q", from, err1, err2, below.did)
		}
	}
}

// What every output gets is guarded: a request that does not come from the screen is refused too.
func TestEveryOutputIsReadOnly(t *testing.T) {
	for _, from := range []string{"--readonly", ""} {
		cfg := config.Default()
		cfg.Demo, cfg.ReadOnlyFrom = "1x1", from
		var refusals []error
		err := feedTo(t.Context(), &cfg, streams{}, slog.New(slog.DiscardHandler),
			func(ctx context.Context, _ *config.Config, _ streams, f feed) error {
				ctx, stop := context.WithCancel(ctx)
				defer stop()
				go func() { _ = f.Run(ctx, func(cluster.Event) {}) }() // answers
				_, err := f.Ask(ctx, "n1", wire.Request{Signal: &wire.Signal{Number: 15}})
				refusals = []error{err, f.Cancel(ctx, "48211", "")}
				return nil
			})
		if err != nil || len(refusals) != 2 {
			t.Fatal(err, refusals)
		}
		for _, err := range refusals {
			if refused := err != nil && strings.Contains(err.Error(),
				"--readonly forbids it"); refused != (from != "") {
				t.Errorf("%q: %v", from, err)
			}
		}
	}
}

// pastEnv makes TestPastTheScreen ask: its words are a node, a process there, its start in ticks, and a job.
const pastEnv = "NVNODETOP_APP_TEST_PAST"

// The tests on the cluster run this one there: it asks a node and SLURM what the screen would not, with the settings of
// that host and the flags in the environment, and prints what came of it.
func TestPastTheScreen(t *testing.T) {
	words := strings.Fields(os.Getenv(pastEnv))
	if len(words) < 4 {
		t.Skip("for the tests on the cluster")
	}
	systemFile = config.SystemFile
	pid, err1 := strconv.Atoi(words[1])
	ticks, err2 := strconv.ParseUint(words[2], 10, 64)
	cfg := config.Default()
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	addFlags(flags, &cfg)
	err3 := flags.Parse(words[4:])
	_, err4 := accept(&cfg, flags, nil, streams{err: os.Stderr})
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	err := feedTo(t.Context(), &cfg, streams{err: os.Stderr}, slog.New(slog.DiscardHandler),
		func(ctx context.Context, _ *config.Config, _ streams, f feed) error {
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
	settings(t, "", "")
	if code, out, errs := program(t, "config", "--readonly"); code != exitOK ||
		!strings.Contains(out, "readonly = true                  # --readonly\n") {
		t.Errorf("exit code %d, stderr %q, stdout %s", code, errs, out)
	}
	settings(t, "readonly = true\n", "")
	code, out, _ := program(t, "config", "--readonly=false")
	if code != exitOK || !strings.Contains(out, "readonly = true ") ||
		!strings.Contains(out, "# readonly = false (--readonly) becomes true: the limit is readonly (") {
		t.Errorf("exit code %d, stdout %s", code, out)
	}
}
