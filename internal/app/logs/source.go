package logs

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/internal/source/access"
	"github.com/nvnodetop/nvnodetop/internal/source/demo"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// logSource reads logs. It connects to a job's node only if the log has to be read there.
type logSource struct {
	read  func(ctx context.Context, q joblog.Query) (joblog.Piece, error)
	close func()
}

// openSource returns the source that the settings choose.
func (l *Options) openSource(ctx context.Context, log *slog.Logger) (*logSource, error) {
	cfg := &l.Config
	if cfg.Demo != "" {
		nodes, gpus, err := cfg.DemoSize()
		if err != nil {
			return nil, cli.Usage("%w", err)
		}
		return &logSource{demo.New(nodes, gpus, demo.Seed, cfg.Poll, 0).Log, func() {}}, nil
	}
	if cfg.Login == "" && !slurm.Installed() {
		return nil, cli.Exit(cli.ExitNoJobs, feed.AskElsewhere(cfg))
	}
	ways, err := access.New(ctx, cfg, log)
	if err == nil && ways.BeginsWith(config.SSH) {
		if _, err = feed.Prepare(ctx, ways.Native, l.Streams, nil, ways.Client, feed.Kept(l.Program)); err != nil {
			ways.Close()
		}
	}
	if err != nil {
		return nil, cli.Exit(cli.ExitFailed, err)
	}
	n := &logNode{ways: ways, cfg: cfg, log: log, answers: l.Answers(), maxAge: l.MaxAge}
	reader := joblog.NewReader(joblog.Sources{Find: n.findFiles, Ask: n.askProbe, Login: ways.OnLogin,
		User: ways.User, Host: ways.Host})
	return &logSource{reader.Read, n.closeWays}, nil
}

// logNode is a job's node. It has a connection once that is needed.
type logNode struct {
	ways  *access.Access
	cfg   *config.Config
	log   *slog.Logger
	files *cluster.LogFiles

	answers *command.KeptAnswers
	maxAge  time.Duration
	on      *connectedNode // nil: none yet
}

// connectedNode is a node with a connection.
type connectedNode struct {
	name   string
	call   func(context.Context, string, wire.Request) (wire.Reply, error)
	stop   context.CancelFunc
	ended  sync.WaitGroup
	up     chan struct{} // closed when the probe has answered
	once   sync.Once
	failed chan error // has room for the latest failure
}

// findFiles asks SLURM for the files of a job, unless another program has done so.
func (n *logNode) findFiles(ctx context.Context, job string) (*cluster.LogFiles, error) {
	files, err := source.KeptLogs(n.answers, n.maxAge, job,
		func() (*cluster.LogFiles, error) { return n.ways.Client.Logs(ctx, job) })
	if err == nil {
		n.files = files
	}
	return files, err
}

// askProbe sends a request to the probe of a node. The first request waits for the connection. A requeued job may run
// on another node.
func (n *logNode) askProbe(ctx context.Context, name string, r wire.Request) (wire.Reply, error) {
	if n.on == nil || n.on.name != name {
		n.unwatchNode()
		n.on = n.watchNode(name)
		late := time.NewTimer(n.cfg.Timeout)
		defer late.Stop()
		select {
		case <-n.on.up:
		case err := <-n.on.failed:
			return wire.Reply{}, err
		case <-late.C:
			return wire.Reply{}, fmt.Errorf("%s has not answered within %v", name, n.cfg.Timeout)
		case <-ctx.Done():
			return wire.Reply{}, context.Cause(ctx)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, n.cfg.Timeout)
	defer cancel()
	return n.on.call(ctx, name, r)
}

// watchNode begins to watch a node.
func (n *logNode) watchNode(name string) *connectedNode {
	n.ways.Know([]cluster.Job{{ID: n.files.Number, Number: n.files.Number, Nodes: []string{name}}})
	polling := access.Polling{Every: config.MaxPoll} // its GPUs do not matter
	hosts := n.ways.Hosts(n.cfg, name, []string{name}, polling)
	w := &connectedNode{name: name, call: hosts.Ask, failed: make(chan error, 1), up: make(chan struct{})}
	var ctx context.Context
	ctx, w.stop = context.WithCancel(context.Background())
	w.ended.Go(func() {
		defer crash.End()
		_ = hosts.Run(ctx, w.noteEvent)
	}) // it ends with ctx, without an error
	return w
}

// noteEvent notes when the node answers, or why it does not.
func (w *connectedNode) noteEvent(e cluster.Event) {
	switch {
	case e.Hello != nil:
		w.once.Do(func() { close(w.up) })
	case e.Down != nil:
		select {
		case w.failed <- &e.Down.Failure:
		default:
		}
	}
}

// unwatchNode ends the watching of the node.
func (n *logNode) unwatchNode() {
	if n.on != nil {
		n.on.stop()
		n.on.ended.Wait()
	}
}

func (n *logNode) closeWays() {
	n.unwatchNode()
	n.ways.Close()
}
