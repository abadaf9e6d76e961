package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/user"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/build"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/demo"
	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/remote/local"
	"github.com/nvnodetop/nvnodetop/internal/remote/ssh"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/internal/ui"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// demoSeed makes every demo tell the same story.
const demoSeed = 48211

// parallelRetries limits how many nodes that failed are dialed at a time. A dead node takes 5 s of every 30: with 320 of them none waits.
const parallelRetries = 64

// choose returns the source of Events.
func choose(ctx context.Context, cfg *config.Config, io streams, log *slog.Logger) (feed, error) {
	if cfg.Demo != "" {
		nodes, gpus, err := cfg.DemoSize()
		if err != nil {
			return nil, usage("%w", err)
		}
		return demo.New(nodes, gpus, demoSeed, cfg.Poll, demoPast(cfg)), nil
	}
	if cfg.Nodes == "" && cfg.Login == "" && !slurm.Installed() {
		return thisHost(ctx, cfg, notInstalled, log)
	}
	names, err := hosts("--nodes", cfg.Nodes)
	if err != nil {
		return nil, err
	}
	a, err := newAccess(ctx, cfg, log)
	var heard *source.Heard
	if err == nil && a.opener.BeginsWith(config.SSH) {
		if heard, err = prepare(ctx, a.native, io, names, a.client); err != nil {
			a.close()
		}
	}
	if err != nil {
		if ctx.Err() != nil {
			err = errInterrupted
		}
		return nil, &exitError{exitFailed, err}
	}
	nodes := newPoller(cfg, poller.Config{Opener: a.opener, Retries: parallelRetries, Urge: a.native.Retry, Log: log})
	if cfg.Nodes != "" {
		return ending{source.NewHosts(cfg.Nodes, names, nodes, a.user, a.host), a.close}, nil
	}
	live := source.NewLive(a.client, nodes, a.user, a.host)
	live.Floor, live.Heard, live.Job = cfg.SlurmFloor, heard, cfg.Job
	live.Jobs = func(jobs []cluster.Job) { a.opener.know(jobs) }
	return ending{live, a.close}, nil
}

var errInterrupted = errors.New("interrupted")

// access is what leads to SLURM and to the nodes. It must be closed.
type access struct {
	native     *ssh.Door
	commands   slurm.Runner
	client     *slurm.Client
	opener     *opener
	user, host string // where SLURM's commands run
}

func newAccess(ctx context.Context, cfg *config.Config, log *slog.Logger) (*access, error) {
	native, err := ssh.New(build.Version())
	if err != nil {
		return nil, err
	}
	a := &access{native: native, commands: slurm.Command}
	a.user, a.host = whoAndWhere()
	if cfg.Login != "" {
		if err := native.Through(cfg.Login); err != nil {
			return nil, err
		}
		a.commands = slurm.Remote(native.Run)
		a.user, a.host = native.LoginUser(ctx)
	}
	a.commands = slurm.Logged(a.commands, log)
	a.client = slurm.New(a.commands)
	if a.opener, err = newOpener(cfg, a.host, native); err != nil {
		native.Close()
		return nil, err
	}
	return a, nil
}

// close ends what is left of the ways to the nodes, once the feed has ended.
func (a *access) close() {
	a.opener.steps.Close()
	a.native.Close()
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

// newPoller returns the poller that p configures, with the user's interval.
func newPoller(cfg *config.Config, p poller.Config) *poller.Manager {
	p.Interval, p.IdleAfter, p.IdleFactor = cfg.Poll, ui.IdleAfter, ui.IdleFactor
	return poller.New(p)
}

// demoPast is how long the nodes of the demo have reported when it starts: long enough to fill the graphs. JSON has no histories.
func demoPast(cfg *config.Config) time.Duration {
	if cfg.JSON {
		return 2 * cfg.Poll
	}
	return time.Duration(cluster.HistoryLen(cfg.Poll)) * cluster.BinWidth(cfg.Poll)
}

// hosts expands a host list of the command line.
func hosts(from, list string) ([]string, error) {
	if list == "" {
		return nil, nil
	}
	names, err := slurm.ExpandHostlist(list)
	if err != nil {
		return nil, usage("%s: %w", from, err)
	}
	for _, name := range names {
		switch {
		case slurm.IsHostName(name):
		case strings.ContainsAny(name, "@:"):
			return nil, usage("%s takes host names only, not %q: set user and port in ~/.ssh/config", from, name)
		default:
			return nil, usage("%s: invalid host name %q", from, name)
		}
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
	from, err := ownGPUs(ctx, cfg, log)
	if _, ours := errors.AsType[*exitError](err); ours {
		return nil, err
	} else if err != nil {
		return nil, &exitError{exitNoJobs, fmt.Errorf("%s and %w: run nvnodetop on a login node, list hosts with --nodes 'gpu[01-04]', or try --demo", noSlurm, err)}
	}
	return from, nil
}

// ownGPUs returns the source for the GPUs of this host. The error says why there are none, errNoGPU where it has none.
func ownGPUs(ctx context.Context, cfg *config.Config, log *slog.Logger) (feed, error) {
	name, host := whoAndWhere()
	opener, err := local.New()
	if err != nil {
		return nil, &exitError{exitFailed, err}
	}
	if err := findGPUs(ctx, opener); err != nil {
		return nil, err
	}
	nodes := newPoller(cfg, poller.Config{Opener: opener, Retries: 1, Log: log})
	return source.NewHosts(host, []string{host}, nodes, name, host), nil
}

var errNoGPU = errors.New("it has no NVIDIA GPU")

// localWithin is the time limit for finding this host's GPUs.
const localWithin = 10 * time.Second

// findGPUs returns nil if this host has GPUs, else why none can be shown.
func findGPUs(ctx context.Context, opener poller.Opener) error {
	ctx, cancel := context.WithTimeout(ctx, localWithin)
	defer cancel()
	hello, err := firstHello(ctx, opener)
	switch {
	case err != nil:
		return fmt.Errorf("its GPUs cannot be read: %w", err)
	case len(hello.GPUs) > 0:
		return nil
	case hello.Fault == "" || hello.FaultID == wire.FaultNoLibrary:
		return errNoGPU
	}
	return fmt.Errorf("it has no working NVIDIA driver: %s", hello.Fault)
}

// firstHello starts a probe and returns its inventory.
func firstHello(ctx context.Context, opener poller.Opener) (*wire.Hello, error) {
	session, err := opener.Open(ctx, "", func(reach.Step) {})
	if err != nil {
		return nil, err
	}
	defer func() { _ = session.Close() }()
	msg, err := session.Next()
	if err == nil && msg.Hello == nil {
		err = errors.New("the probe sent no inventory")
	}
	return msg.Hello, err
}

// whoAndWhere returns the names of the user and of this host, for the screen.
func whoAndWhere() (name, host string) {
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	host, _ = os.Hostname()
	return cmp.Or(name, os.Getenv("USER"), fmt.Sprint(os.Getuid())), cmp.Or(host, "this host")
}
