package nvnodetop

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/internal/source/access"
	"github.com/nvnodetop/nvnodetop/internal/source/demo"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// feed is a source of Events. It can be asked for the processes, and about one of them.
type feed interface {
	cluster.Source
	Look(node string, processes bool)
	Ask(ctx context.Context, node string, r wire.Request) (wire.Reply, error)
}

// target has the jobs and nodes to watch.
type target struct {
	cfg    *config.Config
	second time.Duration // each node sends another report this long after its first one; 0: when the interval is over
	from   feed
	end    func() // closes what from used; nil: nothing to close
}

// parting is how long a call waits for its sessions to close. A hung node closes slowly, and continues to do so in the
// background.
const parting = 2 * time.Second

// with calls use with the target that the options name.
func (o *Options) with(ctx context.Context, second time.Duration, use func(*target) error) error {
	cfg, err := o.settings()
	if err != nil {
		return err
	}
	t := &target{cfg: cfg, second: second}
	if err := t.connect(ctx); err != nil {
		return err
	}
	return use(t)
}

// hold lists the processes of all nodes, and closes the source when the session has ended. It returns the function that
// ends the session, within a limit.
func (t *target) hold(s *source.Session) (stop func()) {
	t.from.Look(cluster.EveryNode, true)
	if t.end != nil {
		s.Then(t.end)
	}
	return func() { _ = s.Stop(parting) }
}

// connect finds the source.
func (t *target) connect(ctx context.Context) error {
	cfg := t.cfg
	if cfg.Demo != "" {
		nodes, gpus, err := cfg.DemoSize()
		if err != nil {
			return fmt.Errorf("Options.Demo is %q: it must be NODESxGPUS, such as %s", cfg.Demo, config.DefaultDemo)
		}
		t.from = demo.New(nodes, gpus, demo.Seed, cfg.Poll, demo.Twice*cfg.Poll)
		return nil
	}
	if !probed.Load() {
		return ErrNoProbe
	}
	if access.OnlyHere(cfg) {
		from, err := t.ownGPUs(ctx)
		if err == nil {
			t.from = from
		}
		return err
	}
	names, err := access.ExpandHosts("Options.Nodes", cfg.Nodes)
	if err != nil {
		return err
	}
	if err := access.Join(cfg); errors.Is(err, access.ErrCrowded) {
		return err
	}
	a, err := access.New(ctx, cfg, nil)
	if err != nil {
		return err
	}
	t.end = a.Close
	polling := access.Polling{Second: t.second}
	if cfg.Nodes != "" {
		t.from = a.Hosts(cfg, cfg.Nodes, names, polling)
	} else {
		t.from = source.NewFallback(a.Jobs(cfg, polling, nil), t.ownGPUs)
	}
	return nil
}

// ownGPUs returns the source for the GPUs of this host, which has no SLURM.
func (t *target) ownGPUs(ctx context.Context) (*source.Hosts, error) {
	switch cfg := t.cfg; {
	case cfg.Login != "":
		return nil, fmt.Errorf("%w on %q", ErrNoSlurm, cfg.Login)
	case cfg.Job != "":
		return nil, fmt.Errorf("%w on this host to ask for job %q", ErrNoSlurm, cfg.Job)
	}
	from, err := access.OwnGPUs(ctx, t.cfg, access.Polling{Second: t.second})
	if err != nil {
		return nil, fmt.Errorf("%w on this host, and %w", ErrNoSlurm, err)
	}
	return from, nil
}
