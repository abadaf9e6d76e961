package store

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/clean"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// addXids adds the events of a report. It never changes the slice that Snapshots share.
func (n *nodeRecord) addXids(at time.Time, r *wire.Report) {
	over := func(x cluster.Xid) bool { return at.Sub(x.At) > cluster.Remember || n.isXidOver(x) }
	if len(r.Xids) == 0 && !slices.ContainsFunc(n.Xids, over) {
		return
	}
	xids := slices.DeleteFunc(slices.Clone(n.Xids), over)
	for _, x := range r.Xids[:min(len(r.Xids), wire.MaxXids)] {
		g := n.GPUAt(x.GPU)
		if g == nil {
			continue
		}
		ago := time.Duration(min(max(r.MonoMS-x.MonoMS, 0), cluster.Remember.Milliseconds())) * time.Millisecond
		xids = append(xids, cluster.Xid{At: at.Add(-ago), Code: x.Code, Key: g.Key})
	}
	n.Xids = xids[max(len(xids)-clean.MaxXids, 0):]
}

// isXidOver reports whether the driver was loaded again, or the GPU reset, since the event.
func (n *nodeRecord) isXidOver(x cluster.Xid) bool {
	g := n.GPUWith(x.Key)
	return g != nil && x.At.Before(g.Loaded())
}

// applyHello applies a Hello. If the driver is another one, or is gone, the earlier events are forgotten.
func (n *nodeRecord) applyHello(h *wire.Hello) {
	if was := n.Hello; was != nil && (h.FaultID == wire.FaultNoDriver || h.FaultID == wire.FaultMismatch ||
		h.Driver != "" && was.Driver != "" && h.Driver != was.Driver) {
		n.Xids = nil
	}
	n.Hello = h
}
