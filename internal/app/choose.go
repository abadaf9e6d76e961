package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/access"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/demo"
	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/remote/agent"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/internal/ui"
)

// choose returns the source of Events.
func choose(ctx context.Context, cfg *config.Config, io streams, log *slog.Logger) (feed, error) {
	if cfg.Demo != "" {
		nodes, gpus, err := cfg.DemoSize()
		if err != nil {
			return nil, usage("%w", err)
		}
		return demo.New(nodes, gpus, demo.Seed, cfg.Poll, demoPast(cfg)), nil
	}
	if agent.IsList(cfg.Nodes) {
		from, err := access.Agents(cfg.Nodes, polling(cfg, log))
		if err != nil {
			return nil, usage("--nodes: %w", err)
		}
		return from, nil
	}
	if cfg.Nodes == "" && cfg.Login == "" && !slurm.Installed() {
		return thisHost(ctx, cfg, notInstalled, log)
	}
	names, err := hosts("--nodes", cfg.Nodes)
	if err != nil {
		return nil, err
	}
	a, err := access.New(ctx, cfg, log)
	var heard *source.Heard
	if err == nil && a.BeginsWith(config.SSH) {
		if heard, err = prepare(ctx, a.Native, io, names, a.Client); err != nil {
			a.Close()
		}
	}
	if err != nil {
		if ctx.Err() != nil {
			err = errInterrupted
		}
		return nil, &exitError{exitFailed, err}
	}
	if cfg.Nodes != "" {
		return ending{a.Hosts(cfg.Nodes, names, polling(cfg, log)), a.Close}, nil
	}
	return ending{a.Jobs(cfg, polling(cfg, log), heard), a.Close}, nil
}

var errInterrupted = errors.New("interrupted")

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

// polling is how nodes are polled for a user. When no key is pressed for long they slow down, unless there is nobody
// who could press one.
func polling(cfg *config.Config, log *slog.Logger) poller.Config {
	p := access.Polling(cfg)
	p.Log = log
	if !cfg.Steady {
		p.IdleAfter, p.IdleFactor = ui.IdleAfter, ui.IdleFactor
	}
	return p
}

// demoPast is how long the nodes of the demo have reported when it starts: long enough to fill the graphs. JSON has no
// histories, but may be made of two reports of each node.
func demoPast(cfg *config.Config) time.Duration {
	if cfg.JSON {
		return demo.Twice * cfg.Poll
	}
	return time.Duration(cluster.HistoryLen(cfg.Poll)) * cluster.BinWidth(cfg.Poll)
}

// checkNodes checks the value of --nodes.
func checkNodes(list string) error {
	if !agent.IsList(list) {
		_, err := hosts("--nodes", list)
		return err
	}
	if _, err := agent.New(list); err != nil {
		return usage("--nodes: %w", err)
	}
	return nil
}

// hosts expands a host list of the command line.
func hosts(from, list string) ([]string, error) {
	names, err := access.ExpandHosts(from, list)
	if err != nil {
		return nil, usage("%w", err)
	}
	return names, nil
}

// Why there is no SLURM.
const (
	notInstalled  = "squeue is not in PATH on this host"
	notConfigured = "SLURM is not configured on this host"
)

// thisHost returns the source for the GPUs of this host, for where there is no SLURM.
func thisHost(ctx context.Context, cfg *config.Config, noSlurm string, log *slog.Logger) (feed, error) {
	if cfg.Job != "" {
		return nil, &exitError{exitNoJobs, fmt.Errorf("%s: it cannot be asked for job %q", noSlurm, cfg.Job)}
	}
	from, err := access.OwnGPUs(ctx, polling(cfg, log))
	if err != nil {
		return nil, &exitError{exitNoJobs,
			fmt.Errorf("%s and %w: run nvnodetop on a login node, list hosts with --nodes 'gpu[01-04]', or try --demo",
				noSlurm, err)}
	}
	return from, nil
}
