// Package feed chooses the source of Events and of the user's requests, and runs an output on it: until the user ends
// it, repeatedly, or once with a verdict on the result. Every output gets a guarded feed. It also asks SLURM's
// accounting about jobs, for the commands report and watch.
package feed

import (
	"context"
	"log/slog"
	"os"
	"sync"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// Feed is the source of Events, and accepts the user's requests.
type Feed interface {
	cluster.Source
	source.Controls
}

// Show makes an output from the Events of a feed. It is called once.
type Show func(ctx context.Context, from Feed) error

// Run makes an output without a screen, from the source that the user has chosen.
func Run(ctx context.Context, p *cli.Program, need Need, log *slog.Logger, out Show) error {
	return RunScreen(ctx, p, need, log, Partial(p, out))
}

// RunScreen makes an output from the source that the user has chosen: a cluster, hosts, a demo, or, without SLURM, this
// host.
func RunScreen(ctx context.Context, p *cli.Program, need Need, log *slog.Logger, out Show) error {
	if err := NameJobs(ctx, p, log, &p.Config.Job); err != nil {
		return err
	}
	from, err := Choose(ctx, p, need, log)
	if err != nil {
		return err
	}
	return out(ctx, guardFeed(&p.Config, from))
}

// Partial says once on stderr that not all nodes are watched, or that not all clusters were asked. It is for outputs
// other than screens.
func Partial(p *cli.Program, out Show) Show {
	return func(ctx context.Context, from Feed) error {
		var once, noted sync.Once
		return out(ctx, Heard(from, func(e cluster.Event) {
			if e.Down != nil && e.Down.Failure.Class == reach.ClassNotWatched {
				once.Do(func() { p.Say("not all nodes are watched: %s", e.Down.Failure.Cause) })
			}
			if e.Discovery != nil && e.Discovery.Note != "" {
				noted.Do(func() { p.Say("%s", e.Discovery.Note) })
			}
		}))
	}
}

// Heard returns a feed whose Events first go to another taker. That taker also gets Events that are passed to
// Session.Tell.
func Heard(from Feed, take func(cluster.Event)) Feed { return eventTap{from, take} }

type eventTap struct {
	Feed
	take func(cluster.Event)
}

// Unwrap returns the Source.
func (h eventTap) Unwrap() cluster.Source { return h.Feed }

// Hear receives an Event that was passed to Session.Tell.
func (h eventTap) Hear(e cluster.Event) { h.take(e) }

// Run implements cluster.Source.
func (h eventTap) Run(ctx context.Context, emit func(cluster.Event)) error {
	return h.Feed.Run(ctx, func(e cluster.Event) {
		h.take(e)
		emit(e)
	})
}

// BatchJob is the environment variable that names the job in which the program runs.
const BatchJob = "SLURM_JOB_ID"

// OwnJob chooses the job in which the program runs, if the user names nothing else. So if there are many scripts, each
// watches its own job. It reports whether it has chosen a job. Without SLURM, as in most containers, nobody can be
// asked about the job, and this host is watched.
func OwnJob(ctx context.Context, p *cli.Program) bool {
	job, cfg := os.Getenv(BatchJob), &p.Config
	named := p.Changed("job") || cfg.Nodes != "" || cfg.Demo != "" || cfg.Login != ""
	if job == "" || named || !slurm.Configured(ctx) {
		return false
	}
	cfg.Job = job
	return true
}
