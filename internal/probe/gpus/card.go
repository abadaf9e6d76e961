package gpus

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/probe/sample"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// cardPatience is how long the first Hello waits for the cards of all GPUs. Later inventories keep nobody waiting.
const cardPatience = 3 * patience

// errSilent is the reason why a value that is still being read is absent from a card.
var errSilent = &driver.Error{Kind: driver.Other, Words: Silent}

// staticValues are the values of a GPU that are read once.
type staticValues struct {
	ended bool // no call for it is running
	card  wire.Card
	parts []driver.Slot // its instances
	onceState
}

// onceState says how complete a card is.
type onceState struct {
	lacks   missingMetrics // metrics of pace metric.Once that are absent
	partial bool           // another try may find more
	pending bool           // the card is still being read
}

// nothingFound returns the state of a GPU before its first reading.
func (g *gpu) nothingFound() staticValues {
	if g.Device == nil {
		return staticValues{ended: true, card: wire.Card{Index: g.Index, Lost: g.Lost, LostID: g.LostID}}
	}
	f := staticValues{card: wire.Card{Index: g.Index}, onceState: onceState{lacks: missingMetrics{}, pending: true}}
	for i := range g.Readers {
		if g.Readers[i].Row().Pace == metric.Once {
			f.lacks.addMetrics(errSilent, g.Readers[i].IDs)
		}
	}
	return f
}

// readCard asks a GPU for everything on its card. The results may be used before the reading ends, since the next call
// may hang.
func (c *pool) readCard(g *gpu) {
	f := g.nothingFound()
	g.call.Store(callIdentity)
	f.card = g.Device.Card()
	f.card.Index = g.Index
	if f.card.Lost == "" {
		c.publishFindings(g, f)
		g.readOnce(&f)
	}
	if f.card.Lost != "" {
		f.lacks = nil // the card lacks everything
	} else if g.Parts != nil {
		c.publishFindings(g, f)
		g.call.Store(callInstances)
		f.parts = g.Parts()
	}
	f.pending = false
	c.publishFindings(g, f)
}

// readOnce reads the metrics of a card. A metric that cannot be read is absent, with the reason; if that may change,
// the card will be read again.
func (g *gpu) readOnce(f *staticValues) {
	found := missingMetrics{}
	values, err := g.readAll(metric.Once, metric.Values{}, func(err error, ids []metric.ID) {
		found.addMetrics(err, ids)
		f.partial = f.partial || driver.KindOf(err) == driver.Other
	})
	f.lacks, f.card.Values, f.partial = found, values, f.partial || err != nil
	if driver.KindOf(err) == driver.Lost {
		f.card.Lost, f.card.LostID = err.Error(), driver.LostIDOf(err)
	}
}

// publishFindings makes what was found so far about a GPU available to others.
func (c *pool) publishFindings(g *gpu, f staticValues) {
	c.mu.Lock()
	defer c.mu.Unlock()
	g.found = f
}

// foundOf returns what was found so far about a GPU.
func (c *pool) foundOf(g *gpu) staticValues {
	c.mu.Lock()
	defer c.mu.Unlock()
	return g.found
}

// readCards reads the cards of GPUs, and waits for them up to a limit. A GPU that hangs delays none of the others for
// longer than patience.
func (n *Inventory) readCards(gpus []*gpu, limit time.Duration) {
	shift, r := n.pool.beginCards(gpus)
	n.pool.awaitRound(shift, r, sample.NewBeat(), max(limit, time.Millisecond), nil)
}

// adoptCards takes over cards that came late. It reports whether there are any.
func (n *Inventory) adoptCards() (changed bool) {
	for i, g := range n.gpus {
		if !g.once.pending {
			continue
		}
		f := n.pool.foundOf(g)
		if !f.ended {
			continue
		}
		if !changed {
			n.hello.GPUs = slices.Clone(n.hello.GPUs)
		}
		known := n.hello.GPUs[i]
		n.hello.GPUs[i], g.once, g.stated, changed = f.card, f.onceState, false, true
		n.fillIdentity(i, []wire.Card{known})
	}
	return changed
}
