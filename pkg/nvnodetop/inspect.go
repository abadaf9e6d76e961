package nvnodetop

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/output/export"
	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/pkg/schema"
)

// Inspect asks a node for everything that its kernel knows about a process of a Snapshot: limits, scheduling, CPU time,
// memory, reads and writes, threads, open files and connections. If the process belongs to another user, only public
// facts are read.
//
// memory also asks for ProcessDetails.Full. For it the kernel walks through all pages of the process, and a large
// process waits if it changes its mappings meanwhile.
//
// Inspect connects to all nodes that the options choose: if there are many, name this one in Options.Nodes. It does not
// wait for the others.
//
// The texts come from the node: make them safe before they go to a terminal.
func Inspect(ctx context.Context, node string, p *schema.Process, memory bool, o Options) (d *schema.ProcessDetails,
	err error) {
	err = o.with(ctx, 0, func(t *target) error {
		w := source.OpenWatch(ctx, t.cfg, 0, t.from)
		defer t.hold(w.Session)()
		w.Await(t.cfg.Timeout, func() bool {
			s := w.Store.Snapshot(time.Now())
			n := s.Nodes[node]
			return n != nil && n.State == cluster.NodeReporting || tally.Settled(s)
		})
		reply, err := t.from.Ask(ctx, node, wire.Request{Inspect: &wire.Inspect{
			ProcessID: wire.ProcessID{PID: p.PID, StartTicks: p.StartTicks}, Memory: memory}})
		switch {
		case err != nil:
			return fmt.Errorf("node %q: %w", node, err)
		case reply.Error != "":
			return fmt.Errorf("node %q: %w", node, errors.New(reply.Error))
		}
		if reply.Inspected != nil {
			d = export.Details(reply.Inspected)
		}
		return nil
	})
	if err == nil && d == nil {
		err = fmt.Errorf("node %q has answered nothing", node)
	}
	return d, err
}
