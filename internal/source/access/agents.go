package access

import (
	"context"
	"fmt"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/remote/agent"
	"github.com/nvnodetop/nvnodetop/internal/remote/local"
	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// Agents returns the source for hosts with agents of nvgpu, whose URLs the settings list.
func Agents(cfg *config.Config, p Polling) (*source.Hosts, error) {
	agents, err := agent.New(cfg.Nodes)
	if err != nil {
		return nil, err
	}
	name, host := Here()
	names := agents.Names()
	c := p.within(cfg)
	c.Opener, c.Retries = agents, parallelRetries
	if agents.HasSelf() {
		here, err := local.New()
		if err != nil {
			return nil, fmt.Errorf("the GPUs of this host cannot be read: %w", err)
		}
		if slices.Contains(names, host) {
			return nil, fmt.Errorf("%s is this host, which is in the list, too", agent.Self)
		}
		c.Opener = withSelf{agents, host, here}
		names = append([]string{host}, names...)
	}
	return source.NewHosts(cfg.Nodes, names, poller.New(c), name, host), nil
}

// withSelf reaches this host without HTTP, and all others through their agents.
type withSelf struct {
	poller.Opener
	host string
	here poller.Opener
}

func (w withSelf) openerFor(node string) poller.Opener {
	if node == w.host {
		return w.here
	}
	return w.Opener
}

// Route implements poller.Opener.
func (w withSelf) Route(ctx context.Context, node string) reach.Route {
	return w.openerFor(node).Route(ctx, node)
}

// Open implements poller.Opener.
func (w withSelf) Open(ctx context.Context, node string, step func(reach.Step)) (poller.Session, error) {
	return w.openerFor(node).Open(ctx, node, step)
}
