package nvnodetop

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/access"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/demo"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
)

// feed is a source of Events whose processes can be asked for.
type feed interface {
	cluster.Source
	Look(node string, processes bool)
}

// ending is a feed that closes what it has used when it ends.
type ending struct {
	feed
	end func()
}

// Run implements cluster.Source.
func (e ending) Run(ctx context.Context, emit func(cluster.Event)) error {
	defer e.end()
	return e.feed.Run(ctx, emit)
}

// parting is how long a call waits for its sessions to close. A hung node closes slowly, and goes on doing so in the
// background.
const parting = 2 * time.Second

// with calls use with a source of what the options name, whose processes are listed. If second is not 0, nodes send
// their second report so long after the first. Where SLURM turns out not to be configured, that is this host.
func (o *Options) with(ctx context.Context, second time.Duration, use func(*config.Config, feed) error) error {
	cfg, err := o.settings()
	if err != nil {
		return err
	}
	cfg.Second = second
	from, err := connect(ctx, cfg)
	if err != nil {
		return err
	}
	from.Look(cluster.EveryNode, true)
	err = use(cfg, from)
	switch {
	case !errors.Is(err, command.ErrNoSlurm):
		return err
	case cfg.Login != "":
		return fmt.Errorf("%w on %q", ErrNoSlurm, cfg.Login)
	}
	if from, err = ownGPUs(ctx, cfg); err != nil {
		return err
	}
	from.Look(cluster.EveryNode, true)
	return use(cfg, from)
}

// connect returns the source.
func connect(ctx context.Context, cfg *config.Config) (feed, error) {
	if cfg.Demo != "" {
		nodes, gpus, err := cfg.DemoSize()
		if err != nil {
			return nil, fmt.Errorf("Options.Demo is %q: it must be NODESxGPUS, such as %s", cfg.Demo,
				config.DefaultDemo)
		}
		return demo.New(nodes, gpus, demo.Seed, cfg.Poll, demo.Twice*cfg.Poll), nil
	}
	if !probed.Load() {
		return nil, ErrNoProbe
	}
	if cfg.Nodes == "" && cfg.Login == "" && !slurm.Installed() {
		return ownGPUs(ctx, cfg)
	}
	names, err := access.ExpandHosts("Options.Nodes", cfg.Nodes)
	if err != nil {
		return nil, err
	}
	a, err := access.New(ctx, cfg, nil)
	if err != nil {
		return nil, err
	}
	if cfg.Nodes != "" {
		return ending{a.Hosts(cfg.Nodes, names, access.Polling(cfg)), a.Close}, nil
	}
	return ending{a.Jobs(cfg, access.Polling(cfg), nil), a.Close}, nil
}

// ownGPUs returns the source for this host, which has no SLURM.
func ownGPUs(ctx context.Context, cfg *config.Config) (feed, error) {
	if cfg.Job != "" {
		return nil, fmt.Errorf("%w on this host to ask for job %q", ErrNoSlurm, cfg.Job)
	}
	from, err := access.OwnGPUs(ctx, access.Polling(cfg))
	if err != nil {
		return nil, fmt.Errorf("%w on this host, and %w", ErrNoSlurm, err)
	}
	return from, nil
}
