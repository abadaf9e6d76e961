package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/term"

	"github.com/nvnodetop/nvnodetop/internal/attached"
	"github.com/nvnodetop/nvnodetop/internal/bell"
	"github.com/nvnodetop/nvnodetop/internal/build"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/session"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/ui"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// feed is the source of Events and the receiver of the user's requests.
type feed interface {
	cluster.Source
	ui.Controls
}

// partingTime is how long quitting waits for sessions to close. Those that are left end with the process, and the
// probes with their connections.
const partingTime = 2 * time.Second

// show makes an output of the Events of a source.
type show func(ctx context.Context, cfg *config.Config, io streams, from feed) error

func run(ctx context.Context, cfg *config.Config, io streams, log *slog.Logger) error {
	if cfg.Once || cfg.JSON {
		sampleTwice(cfg)
		return fed(ctx, cfg, io, log, printed(printOnce))
	}
	if err := onScreen(io); err != nil {
		return err
	}
	return feedTo(ctx, cfg, io, log, watch)
}

// onScreen returns nil if the screens can be shown.
func onScreen(io streams) error {
	if !isTerminal(io.in) || !isTerminal(io.out) {
		return usage("not a terminal: use --once for text or --json for JSON")
	}
	if os.Getenv("TERM") == "dumb" {
		return usage("a terminal with TERM=dumb cannot show the screen: use --once")
	}
	return nil
}

// fed shows what the user has chosen, without screens.
func fed(ctx context.Context, cfg *config.Config, io streams, log *slog.Logger, out show) error {
	return feedTo(ctx, cfg, io, log, partial(out))
}

// feedTo shows what the user has chosen: a cluster, hosts, a demo, or this host where there is no SLURM. No output gets
// a feed that is not guarded.
func feedTo(ctx context.Context, cfg *config.Config, io streams, log *slog.Logger, out show) error {
	shown := func(from feed) error { return out(ctx, cfg, io, guarded(cfg, from)) }
	from, err := choose(ctx, cfg, io, log)
	if err != nil {
		return err
	}
	err = shown(from)
	if !errors.Is(err, command.ErrNoSlurm) {
		return err
	}
	if cfg.Login != "" {
		return &exitError{exitNoJobs, fmt.Errorf("squeue is not in PATH on %q, or not configured there", cfg.Login)}
	}
	// squeue is installed, but not configured for a cluster.
	if from, err = thisHost(ctx, cfg, notConfigured, log); err != nil {
		return err
	}
	return shown(from)
}

// watch shows the screens until the user quits or a signal comes.
func watch(ctx context.Context, cfg *config.Config, io streams, from feed) error {
	before, err := term.GetState(int(io.in.Fd()))
	if err != nil {
		return &exitError{exitFailed, fmt.Errorf("read the terminal's state: %w", err)}
	}
	user := &attended{from, bell.New()}
	ctx, quit := context.WithCancel(ctx)
	group, ctx := errgroup.WithContext(ctx)
	choices := newKeeper(cfg)
	var w *session.Watch
	record := newOnCall(cfg, func() string { return onlyJob(w.Store) })
	w = session.Open(ctx, cfg, 0, from, raiseMemory(), record.take)
	group.Go(func() error {
		<-w.Done()
		return w.Err()
	})
	group.Go(func() error { return record.run(ctx) })
	group.Go(func() error { return record.hold(ctx, from.Touch) })
	group.Go(func() error { return choices.run(ctx) })
	group.Go(func() error {
		defer quit()
		o := screen(cfg, w.Store, user, choices)
		o.Record, o.Watch = record, attached.Find(os.Getenv).Watch
		w.CatchUp(session.Past)
		return ui.Run(ctx, o, io.in, io.out)
	})
	var away error
	group.Go(func() error {
		defer quit()
		away = user.left(ctx, cfg.IdleExit, "key")
		return nil
	})
	<-ctx.Done()
	ended, err := session.Go(group.Wait).Wait(partingTime)
	if !ended {
		// A terminal that accepts no output (Ctrl-S, a dead link) blocks the screen, but its settings can still be
		// restored.
		_ = term.Restore(int(io.in.Fd()), before)
	}
	if ended { // else the disk may be what does not answer
		record.report(io)
	}
	if ended && err == nil {
		return away
	}
	return err
}

func screen(cfg *config.Config, store *cluster.Store, from feed, choices *keeper) ui.Options {
	return ui.Options{
		Snapshot: store.Snapshot,
		Now:      time.Now,
		Controls: from,
		Display:  cfg.Display,
		Theme:    cfg.Theme,
		ASCII:    ascii(cfg),
		Colors:   colors(cfg),
		Levels:   part.Levels(cfg.GPULevels), MemoryLevels: part.Levels(cfg.MemoryLevels),
		Columns:  cfg.Columns,
		View:     startView(cfg),
		Monitor:  cfg.Monitor,
		Banner:   cfg.Banner,
		Login:    cfg.Login,
		ReadOnly: whyReadOnly(cfg),
		Version:  build.Version(),
		Remember: choices.remember,
		Save:     save,

		Only: only(cfg), Processes: processes(cfg),
	}
}

// startView returns the page to start with: the one asked for, or else the last choice. "auto" leaves it to the screen.
func startView(cfg *config.Config) string {
	if cfg.View != ui.ViewAuto {
		return cfg.View
	}
	return cmp.Or(config.Remembered(config.View), ui.ViewAuto)
}

// exitCode is nil or the exitError of one Snapshot: a node or a GPU that does not report and a critical problem, such
// as a missing GPU, are failures.
func exitCode(s *cluster.Snapshot) error {
	switch failure := s.Discovery.Failure; {
	case len(s.Jobs) > 0:
	case failure != nil:
		return &exitError{exitNoJobs, fmt.Errorf("%s: %w", s.Discovery.Command, failure)}
	default:
		return &exitError{exitNoJobs, errors.New("no running job")}
	}
	if err := notWell(s); err != nil {
		return &exitError{exitFailed, err}
	}
	return nil
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
