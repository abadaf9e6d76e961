package probe

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/metric"
)

// lacks has the metrics that a GPU does not give, and the error of each. The first complete reading of a GPU in an inventory decides
// which those are: the Hello tells them, and what the GPU or the driver does not have is not asked for again.
type lacks map[metric.ID]error

// byReason lists the keys of the metrics, in the order of the table, under the error messages.
func (l lacks) byReason() map[string][]string {
	reasons := map[string][]string{}
	for id := range metric.All(metric.GPU) {
		if err, absent := l[id]; absent {
			reasons[err.Error()] = append(reasons[err.Error()], id.Row().Key)
		}
	}
	return reasons
}

// refused handles an error of metrics. It returns the error if the GPU is lost or the driver is gone.
func (g *gpu) refused(err error, fault func(string, error), ids ...metric.ID) error {
	switch KindOf(err) {
	case Absent, Denied:
		if !g.examined {
			g.lack(err, ids)
		}
	case Lost, Gone, Stale:
		return err
	default:
		fault(ids[0].Row().Label, err)
	}
	return nil
}

func (g *gpu) lack(err error, ids []metric.ID) {
	if g.lacking == nil {
		g.lacking = lacks{}
	}
	for _, id := range ids {
		g.lacking[id] = err
	}
}

// examine ends the first complete reading. Readers of which the GPU has nothing are put aside; what we may not read may be permitted later.
func (g *gpu) examine(r *reading) {
	if g.examined {
		return
	}
	if g.lacking == nil {
		g.lacking = lacks{}
	}
	g.examined, r.lacks = true, g.lacking
	without := func(id metric.ID) bool { err, absent := g.lacking[id]; return absent && KindOf(err) == Absent }
	for i := range g.Readers {
		g.idle = append(g.idle, !slices.ContainsFunc(g.Readers[i].IDs, func(id metric.ID) bool { return !without(id) }))
	}
}

// explain writes into the cards what their GPUs lack, once that is known. It reports whether a card changed.
func (n *inventory) explain() (changed bool) {
	for i, g := range n.gpus {
		if card := &n.hello.GPUs[i]; card.Absent == nil && g.lacks != nil {
			card.Absent, changed = g.lacks.byReason(), true
		}
	}
	return changed
}

// examine reads GPUs that were never read completely, so that the Hello can tell what they lack. It does not wait long: what one that is
// slow lacks is told later.
func (s *sampler) examine() {
	unknown := slices.DeleteFunc(slices.Clone(s.cards.gpus), func(g *gpu) bool { return g.lacks != nil })
	if len(unknown) > 0 {
		s.readGPUs(unknown, question{at: s.opts.Now()}, patience)
	}
	s.cards.explain()
}
