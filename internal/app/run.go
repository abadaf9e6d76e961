package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/term"

	"github.com/nvnodetop/nvnodetop/internal/bell"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
	"github.com/nvnodetop/nvnodetop/internal/ui"
)

// feed is where the Events come from, and who takes what a person asks for.
type feed interface {
	cluster.Source
	ui.Controls
}

// partingTime is how long quitting waits for sessions to close. They are asked to, politely; what is left then dies with the process,
// and the probes with their connections.
const partingTime = 2 * time.Second

func run(ctx context.Context, cfg *config.Config, io streams) error {
	show := once
	if !cfg.Once && !cfg.JSON {
		show = watch
		if !isTerminal(io.in) || !isTerminal(io.out) {
			return usage("this is not a terminal: use --once for text or --json for a program")
		}
	}
	from, err := choose(ctx, cfg)
	if err != nil {
		return err
	}
	err = show(ctx, cfg, io, from)
	if !errors.Is(err, slurm.ErrNoSlurm) {
		return err
	}
	// squeue is there, but it belongs to no cluster.
	if from, err = thisHost(ctx, cfg); err != nil {
		return err
	}
	return show(ctx, cfg, io, from)
}

// watch shows the screens until the person quits or a signal comes.
func watch(ctx context.Context, cfg *config.Config, io streams, from feed) error {
	before, err := term.GetState(int(io.in.Fd()))
	if err != nil {
		return &exitError{exitFailed, fmt.Errorf("reading the terminal's state: %w", err)}
	}
	store := cluster.NewStore(cfg.Poll, health.Holding)
	ctx, quit := context.WithCancel(ctx)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return from.Run(ctx, store.Apply) })
	group.Go(func() error {
		defer quit()
		return ui.Run(ctx, screen(cfg, store, from), io.in, io.out)
	})
	<-ctx.Done()
	ended, err := wait(group)
	if !ended {
		// A terminal that takes nothing more (Ctrl-S, a dead link) holds the screen up; its settings can be given back all the same.
		_ = term.Restore(int(io.in.Fd()), before)
	}
	return err
}

func screen(cfg *config.Config, store *cluster.Store, from feed) ui.Options {
	return ui.Options{
		Snapshot: store.Snapshot,
		Now:      time.Now,
		Controls: from,
		Display:  cfg.Display,
		Theme:    cfg.Theme,
		ASCII:    ascii(cfg),
		Colors:   colors(cfg),
		View:     startView(cfg),
		Version:  Version(),
		Remember: remember(cfg),
	}
}

// startView returns the page to start with: the one asked for, or else the last choice. "auto" leaves it to the screen.
func startView(cfg *config.Config) string {
	if cfg.View != ui.ViewAuto {
		return cfg.View
	}
	return cmp.Or(config.Remembered(config.View), ui.ViewAuto)
}

// remember returns what saves the user's choices. It saves nothing in the demo, and no choice that the command line made for this run.
func remember(cfg *config.Config) func(what, value string) {
	if cfg.Demo != "" {
		return nil
	}
	fixed := map[string]bool{config.View: cfg.View != ui.ViewAuto, config.Colors: cfg.Colors != ""}
	return func(what, value string) {
		if !fixed[what] {
			_ = config.Remember(what, value)
		}
	}
}

// wait is group.Wait that does not wait for ever.
func wait(group *errgroup.Group) (ended bool, err error) {
	done := make(chan error, 1)
	go func() { done <- group.Wait() }()
	select {
	case err := <-done:
		if err != nil && !errors.Is(err, context.Canceled) {
			return true, &exitError{exitFailed, err}
		}
		return true, nil
	case <-time.After(partingTime):
		return false, nil
	}
}

// once waits until every node has answered or failed, or the time is up, and prints one Snapshot.
func once(ctx context.Context, cfg *config.Config, io streams, from feed) error {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, cfg.Timeout)
	defer cancel()
	if cfg.JSON {
		from.Look(cluster.EveryNode, true)
	}
	store := cluster.NewStore(cfg.Poll, health.Holding)
	news := bell.New()
	var group errgroup.Group
	group.Go(func() error {
		defer cancel() // a source that ends has no more to tell
		return from.Run(ctx, func(e cluster.Event) {
			store.Apply(e)
			news.Ring()
		})
	})
	for waiting := true; waiting; {
		select {
		case <-news:
			waiting = !settled(store.Snapshot(time.Now()))
		case <-ctx.Done():
			waiting = false
		}
	}
	snap := lastLook(store, began)
	cancel()
	if _, err := wait(&group); err != nil {
		return err
	}
	if err := printOnce(cfg, io, snap); err != nil {
		return &exitError{exitFailed, err}
	}
	return exitCode(snap)
}

// settled reports whether every node has answered or failed. A node whose last report is old, without a failure, may just be slow.
func settled(s *cluster.Snapshot) bool {
	if s.Discovery.Asked.IsZero() && s.Discovery.Answered.IsZero() || s.Discovery.Asking {
		return false // nothing is known of any job yet, or not yet which GPUs are its own
	}
	for _, n := range s.Nodes {
		if n.State == cluster.NodeConnecting || n.State == cluster.NodeStale && n.Failure == nil {
			return false
		}
	}
	return true
}

// exitCode is nil or the exitError of one Snapshot.
func exitCode(s *cluster.Snapshot) error {
	switch failure := s.Discovery.Failure; {
	case len(s.Jobs) > 0:
	case failure != nil:
		return &exitError{exitNoJobs, fmt.Errorf("%s: %w", s.Discovery.Command, failure)}
	default:
		return &exitError{exitNoJobs, errors.New("no running job")}
	}
	for _, n := range s.Nodes {
		if n.State != cluster.NodeReporting {
			return &exitError{code: exitFailed}
		}
	}
	return nil
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
