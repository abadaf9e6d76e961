package logs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/access"
	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/demo"
	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// source reads logs. It connects to the node of a job only if the log has to be read there.
type source struct {
	read  func(ctx context.Context, q joblog.Query) (joblog.Piece, error)
	close func()
}

// open returns the source that the settings choose.
func (l *Options) open(ctx context.Context, log *slog.Logger) (*source, error) {
	cfg := &l.Config
	if cfg.Demo != "" {
		nodes, gpus, err := cfg.DemoSize()
		if err != nil {
			return nil, cli.Usage("%w", err)
		}
		return &source{demo.New(nodes, gpus, demo.Seed, cfg.Poll, 0).Log, func() {}}, nil
	}
	if cfg.Login == "" && !slurm.Installed() {
		return nil, cli.Exit(cli.ExitNoJobs, errors.New(feed.NotInstalled))
	}
	ways, err := access.New(ctx, cfg, log)
	if err == nil && ways.BeginsWith(config.SSH) {
		if _, err = feed.Prepare(ctx, ways.Native, l.Streams, nil, ways.Client); err != nil {
			ways.Close()
		}
	}
	if err != nil {
		return nil, cli.Exit(cli.ExitFailed, err)
	}
	n := &node{ways: ways, cfg: cfg, log: log, failed: make(chan error, 1), up: make(chan struct{})}
	reader := joblog.NewReader(joblog.Sources{Find: n.find, Ask: n.ask, User: ways.User, Host: ways.Host,
		Away: cfg.Login != ""})
	return &source{reader.Read, n.close}, nil
}

// node is the node of the job, with a connection once it is needed.
type node struct {
	ways  *access.Access
	cfg   *config.Config
	log   *slog.Logger
	files *cluster.LogFiles

	call   func(context.Context, string, wire.Request) (wire.Reply, error)
	stop   context.CancelFunc
	ended  sync.WaitGroup
	up     chan struct{} // closed when the probe answers
	once   sync.Once
	failed chan error // has room for the latest failure
}

// find asks SLURM for the files of a job.
func (n *node) find(ctx context.Context, job string) (*cluster.LogFiles, error) {
	files, err := n.ways.Client.Logs(ctx, job)
	if err == nil {
		n.files = files
	}
	return files, err
}

// ask sends a request to the probe of the node. The first one waits for the connection.
func (n *node) ask(ctx context.Context, name string, r wire.Request) (wire.Reply, error) {
	if n.stop == nil {
		n.connect(name)
		late := time.NewTimer(n.cfg.Timeout)
		defer late.Stop()
		select {
		case <-n.up:
		case err := <-n.failed:
			return wire.Reply{}, err
		case <-late.C:
			return wire.Reply{}, fmt.Errorf("%s has not answered within %v", name, n.cfg.Timeout)
		case <-ctx.Done():
			return wire.Reply{}, context.Cause(ctx)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, n.cfg.Timeout)
	defer cancel()
	return n.call(ctx, name, r)
}

// connect begins to watch the node.
func (n *node) connect(name string) {
	n.ways.Know([]cluster.Job{{ID: n.files.Number, Number: n.files.Number, Nodes: []string{name}}})
	polling := access.Polling(n.cfg)
	polling.Interval = config.MaxPoll // the GPUs are of no interest
	hosts := n.ways.Hosts(name, []string{name}, polling)
	n.call = hosts.Ask
	var ctx context.Context
	ctx, n.stop = context.WithCancel(context.Background())
	n.ended.Go(func() { _ = hosts.Run(ctx, n.hear) }) // it ends with ctx, without an error
}

// hear notes when the node answers, and why it does not.
func (n *node) hear(e cluster.Event) {
	switch {
	case e.Hello != nil:
		n.once.Do(func() { close(n.up) })
	case e.Down != nil:
		select {
		case n.failed <- &e.Down.Failure:
		default:
		}
	}
}

func (n *node) close() {
	if n.stop != nil {
		n.stop()
		n.ended.Wait()
	}
	n.ways.Close()
}
