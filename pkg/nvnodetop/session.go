package nvnodetop

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/access"
	"github.com/nvnodetop/nvnodetop/internal/bell"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/demo"
	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
)

// feed is a source of Events whose processes can be asked for.
type feed interface {
	cluster.Source
	Look(node string, processes bool)
}

// session is one call of a function of this package: a source and what becomes of its Events.
type session struct {
	cfg  *config.Config
	from feed
	ctx  context.Context // ends with the caller's, when the source ends, and when the call does
	stop context.CancelFunc

	news bell.Bell     // rings after each Event
	done chan struct{} // closed when the source has ended
	err  error         // why it did; valid then
}

// parting is how long a call waits for its sessions to close. A hung node closes slowly, and goes on doing so in the
// background.
const parting = 2 * time.Second

// with calls use with a session over what the options name. If second is not 0, nodes send their second report so long
// after the first. Where SLURM turns out not to be configured, that is this host.
func (o *Options) with(ctx context.Context, second time.Duration, use func(*session) error) error {
	cfg, err := o.settings()
	if err != nil {
		return err
	}
	cfg.Second = second
	from, end, err := connect(ctx, cfg)
	if err != nil {
		return err
	}
	err = during(ctx, cfg, from, end, use)
	switch {
	case !errors.Is(err, slurm.ErrNoSlurm):
		return err
	case cfg.Login != "":
		return fmt.Errorf("%w on %q", ErrNoSlurm, cfg.Login)
	}
	if from, err = ownGPUs(ctx, cfg); err != nil {
		return err
	}
	return during(ctx, cfg, from, func() {}, use)
}

// during calls use while the source can run, and end after it.
func during(ctx context.Context, cfg *config.Config, from feed, end func(), use func(*session) error) error {
	s := &session{cfg: cfg, from: from, news: bell.New(), done: make(chan struct{})}
	s.ctx, s.stop = context.WithCancel(ctx)
	defer s.close(end)
	return use(s)
}

// start runs the source, once.
func (s *session) start(apply func(cluster.Event)) {
	s.from.Look(cluster.EveryNode, true)
	go func() {
		defer s.stop()
		defer close(s.done)
		s.err = s.run(apply)
	}()
}

func (s *session) run(apply func(cluster.Event)) (err error) {
	defer reach.Recover(&err)
	return s.from.Run(s.ctx, func(e cluster.Event) {
		apply(e)
		s.news.Ring()
	})
}

// close ends the source, and what it has used.
func (s *session) close(end func()) {
	s.stop()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		<-s.done
		end()
	}()
	select {
	case <-ended:
	case <-time.After(parting):
	}
}

// connect returns the source, and what to call once it has ended.
func connect(ctx context.Context, cfg *config.Config) (from feed, end func(), err error) {
	nothing := func() {}
	if cfg.Demo != "" {
		nodes, gpus, err := cfg.DemoSize()
		if err != nil {
			return nil, nil, fmt.Errorf("Options.Demo is %q: it must be NODESxGPUS, such as %s", cfg.Demo,
				config.DefaultDemo)
		}
		return demo.New(nodes, gpus, demo.Seed, cfg.Poll, demo.Twice*cfg.Poll), nothing, nil
	}
	if !probed.Load() {
		return nil, nil, ErrNoProbe
	}
	if cfg.Nodes == "" && cfg.Login == "" && !slurm.Installed() {
		from, err = ownGPUs(ctx, cfg)
		return from, nothing, err
	}
	names, err := access.ExpandHosts("Options.Nodes", cfg.Nodes)
	if err != nil {
		return nil, nil, err
	}
	a, err := access.New(ctx, cfg, nil)
	if err != nil {
		return nil, nil, err
	}
	if cfg.Nodes != "" {
		return a.Hosts(cfg.Nodes, names, access.Polling(cfg)), a.Close, nil
	}
	return a.Jobs(cfg, access.Polling(cfg), nil), a.Close, nil
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
