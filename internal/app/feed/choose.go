package feed

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/history"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/remote/agent"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/internal/source/access"
	"github.com/nvnodetop/nvnodetop/internal/source/demo"
)

// Choose returns the source of Events.
func Choose(ctx context.Context, p *cli.Program, need Need, log *slog.Logger) (Feed, error) {
	cfg, polling := &p.Config, need.polling(log)
	if cfg.Demo != "" {
		return simulated(cfg, need)
	}
	if agent.IsList(cfg.Nodes) {
		from, err := access.Agents(cfg, polling)
		if err != nil {
			return nil, cli.Usage("--nodes: %w", err)
		}
		return from, nil
	}
	if access.OnlyHere(cfg) {
		from, err := thisHost(ctx, cfg, polling)
		if err != nil {
			return nil, err
		}
		return from, nil
	}
	names, err := cli.Hosts("--nodes", cfg.Nodes)
	if err != nil {
		return nil, err
	}
	a, err := access.New(ctx, cfg, log)
	heard := Kept(p)
	if err == nil && a.BeginsWith(config.SSH) {
		if heard, err = Prepare(ctx, a.Native, p.Streams, names, a.Client, heard); err != nil {
			a.Close()
		}
	}
	if err != nil {
		if ctx.Err() != nil {
			err = cli.ErrInterrupted
		}
		return nil, cli.Exit(cli.ExitFailed, err)
	}
	if cfg.Nodes != "" {
		return closingFeed{a.Hosts(cfg, cfg.Nodes, names, polling), a.Close}, nil
	}
	live := a.Jobs(cfg, polling, heard)
	live.Answers, live.MaxAge, live.Causes = p.Answers(), p.MaxAge, need.Causes && cfg.Logs
	live.Progress = need.followsLogs(cfg)
	if cfg.Runs {
		live.Runs, _ = config.RunsFile() // without a home there is no place for it
	}
	var jobs Feed = source.NewFallback(live, func(ctx context.Context) (*source.Hosts, error) {
		if cfg.Login != "" {
			return nil, cli.Exit(cli.ExitNoJobs, NoSlurm(cfg))
		}
		return thisHost(ctx, cfg, polling)
	})
	if need.Marks {
		jobs = markedFeed{jobs}
	}
	return closingFeed{jobs, a.Close}, nil
}

// simulated returns the cluster of --demo.
func simulated(cfg *config.Config, need Need) (Feed, error) {
	nodes, gpus, err := cfg.DemoSize()
	if err != nil {
		return nil, cli.Usage("%w", err)
	}
	if cfg.DemoHangs() {
		need.Brief = false // a hang shows only after minutes
		return demo.New(nodes, gpus, demo.Seed, cfg.Poll, need.demoPast(cfg.Poll)).Hang(), nil
	}
	return demo.New(nodes, gpus, demo.Seed, cfg.Poll, need.demoPast(cfg.Poll)), nil
}

// JobsOf returns the source of Events for the jobs, over connections that the caller closes.
func JobsOf(p *cli.Program, a *access.Access, need Need) Feed {
	return guardFeed(&p.Config, a.Jobs(&p.Config, need.polling(nil), nil))
}

// closingFeed is a feed that closes its resources when it ends.
type closingFeed struct {
	Feed
	end func()
}

// Run implements cluster.Source.
func (e closingFeed) Run(ctx context.Context, emit func(cluster.Event)) error {
	defer e.end()
	return e.Feed.Run(ctx, emit)
}

// Unwrap returns the Source.
func (e closingFeed) Unwrap() cluster.Source { return e.Feed }

// Need is what an output needs from the nodes.
type Need struct {
	Steady   bool          // they keep their pace even if no key is pressed
	Marks    bool          // it uses the marks of the jobs
	Causes   bool          // it says why jobs failed, from their logs
	Progress bool          // it shows how far the programs of jobs are, from their logs
	Tails    bool          // likewise, from the ends of their logs, which are read once
	Brief    bool          // no histories are shown, so a demo needs no past
	Second   time.Duration // time from each node's first report to its second; 0: the interval
}

// followsLogs reports whether logs are followed for how far programs are.
func (n Need) followsLogs(cfg *config.Config) bool { return n.Progress && cfg.Logs && cfg.Progress }

// readsTails reports whether the ends of logs are read for how far programs are.
func (n Need) readsTails(cfg *config.Config) bool { return n.Tails && cfg.Logs && cfg.Progress }

// polling returns how nodes are polled: less often after a long time without a key, unless nobody can press one.
func (n Need) polling(log *slog.Logger) access.Polling {
	return access.Polling{Second: n.Second, Slows: !n.Steady, Log: log}
}

// demoPast returns for how long the nodes of the demo have already reported at the start. It is long enough to fill the
// graphs, or for two reports of each node.
func (n Need) demoPast(poll time.Duration) time.Duration {
	if n.Brief {
		return demo.Twice * poll
	}
	return time.Duration(history.Len(poll, 0)) * history.BinWidth(poll, 0)
}

// The reasons why there is no SLURM.
const (
	NotInstalled  = "squeue is not in PATH on this host"
	notConfigured = "SLURM is not configured on this host"
)

// noSlurmError is command.ErrNoSlurm with the reason instead of its own words.
type noSlurmError string

func (why noSlurmError) Error() string { return string(why) }
func (noSlurmError) Unwrap() error     { return command.ErrNoSlurm }

// NoSlurm is the error of a question to SLURM if there is no SLURM.
func NoSlurm(cfg *config.Config) error {
	switch {
	case cfg.Login != "":
		return noSlurmError(fmt.Sprintf("squeue is not in PATH on %q, or not configured there", cfg.Login))
	case !slurm.Installed():
		return noSlurmError(NotInstalled)
	}
	return noSlurmError(notConfigured)
}

// AskElsewhere adds to the error of NoSlurm where SLURM can be asked.
func AskElsewhere(cfg *config.Config) error {
	why := NoSlurm(cfg)
	if cfg.Login != "" {
		return why
	}
	return fmt.Errorf("%w: run this on a login node, or with --login alice@cluster", why)
}

// thisHost returns the source for the GPUs of this host, used without SLURM.
func thisHost(ctx context.Context, cfg *config.Config, polling access.Polling) (*source.Hosts, error) {
	why := NoSlurm(cfg)
	if cfg.Job != "" {
		return nil, cli.Exit(cli.ExitNoJobs, fmt.Errorf("%w: it cannot be asked for job %q", why, cfg.Job))
	}
	from, err := access.OwnGPUs(ctx, cfg, polling)
	if err != nil {
		return nil, cli.Exit(cli.ExitNoJobs,
			fmt.Errorf("%w and %w: run nvnodetop on a login node, list hosts with --nodes 'gpu[01-04]', or try --demo",
				why, err))
	}
	return from, nil
}

// OwnGPUs returns the source for the GPUs of only this host.
func OwnGPUs(ctx context.Context, cfg *config.Config, need Need, log *slog.Logger) (Feed, error) {
	from, err := access.OwnGPUs(ctx, cfg, need.polling(log))
	if err != nil {
		return nil, err
	}
	return from, nil
}
