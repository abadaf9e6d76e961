package gpus

import (
	"maps"
	"reflect"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// missingMetrics has the metrics that a GPU does not give, each with its error. The first complete reading of a GPU in
// an inventory decides which metrics of reports it lacks. The Hello lists them, and metrics that the GPU or the driver
// does not have are not requested again.
type missingMetrics map[metric.ID]error

func (l missingMetrics) addMetrics(err error, ids []metric.ID) {
	for _, id := range ids {
		l[id] = err
	}
}

// mayCome reports whether a lacking metric may become available at any time: we have no permission to read it, or the
// driver gives a number that it cannot mean.
func mayCome(err error) bool {
	kind := driver.KindOf(err)
	return kind == driver.Denied || kind == driver.Doubtful
}

// deniedMetrics returns the metrics that may become available at any time.
func (l missingMetrics) deniedMetrics() (ids []metric.ID) {
	for id := range metric.All(metric.GPU) {
		if mayCome(l[id]) {
			ids = append(ids, id)
		}
	}
	return ids
}

// byReason groups the keys of the metrics by error message, in the order of the table; nil if the GPU gives every
// metric.
func (l missingMetrics) byReason() map[string][]string {
	if len(l) == 0 {
		return nil
	}
	reasons := map[string][]string{}
	for id := range metric.All(metric.GPU) {
		if err, absent := l[id]; absent {
			reasons[err.Error()] = append(reasons[err.Error()], id.Row().Key)
		}
	}
	return reasons
}

// note records the error of metrics that cannot be read.
type note func(err error, ids []metric.ID)

// noteRefused notes an error of metrics, unless the GPU is lost or the driver is gone: then it returns the error.
func (n note) noteRefused(err error, ids ...metric.ID) error {
	switch driver.KindOf(err) {
	case driver.Lost, driver.Gone, driver.Stale:
		return err
	}
	n(err, ids)
	return nil
}

// newNote returns a note for the errors of a reading: metrics that the GPU lacks, and faults.
func (g *gpu) newNote(r *gpuAnswer) note {
	return func(err error, ids []metric.ID) {
		switch kind := driver.KindOf(err); {
		case kind != driver.Absent && !mayCome(err):
			r.recordFault(ids[0].Row().Label, err)
		case !g.examined:
			g.addLacking(err, ids)
		case g.lacking[ids[0]] != nil:
		case kind == driver.Doubtful:
			r.recordFault(ids[0].Row().Label, err)
		case !ids[0].Row().Positive: // the driver may have given 0, as it does for a GPU that sleeps
			r.recordCeased(ids[0].Row().Label, err)
		}
	}
}

func (g *gpu) addLacking(err error, ids []metric.ID) {
	if g.lacking == nil {
		g.lacking = missingMetrics{}
	}
	g.lacking.addMetrics(err, ids)
}

// endFirstReading ends the first complete reading. It puts aside readers without any metric that the GPU has; metrics
// without permission may be permitted later.
func (g *gpu) endFirstReading(r *gpuAnswer) {
	if g.examined {
		return
	}
	if g.lacking == nil {
		g.lacking = missingMetrics{}
	}
	g.examined, r.lacks = true, g.lacking
	without := func(id metric.ID) bool {
		err, absent := g.lacking[id]
		return absent && driver.KindOf(err) == driver.Absent
	}
	for i := range g.Readers {
		g.idle = append(g.idle, !slices.ContainsFunc(g.Readers[i].IDs, func(id metric.ID) bool { return !without(id) }))
	}
}

// dropRegained forgets metrics that were denied or doubtful before and that the GPU gives now.
func (g *gpu) dropRegained() {
	given := func(id metric.ID) bool { return g.last.values.Has(id) }
	if !slices.ContainsFunc(g.denied, given) {
		return
	}
	g.lacks = maps.Clone(g.lacks) // the readings share the map
	maps.DeleteFunc(g.lacks, func(id metric.ID, err error) bool {
		return mayCome(err) && given(id)
	})
	g.denied, g.stated = g.lacks.deniedMetrics(), false
}

// absentMetrics lists the metrics that a GPU lacks. A lost GPU lacks the same metrics as before. A card that is being
// read again keeps its old values meanwhile.
func (g *gpu) absentMetrics(card *wire.Card) map[string][]string {
	if card.Lost != "" {
		return card.Absent
	}
	all := missingMetrics{}
	maps.Copy(all, g.once.lacks)
	maps.DeleteFunc(all, func(id metric.ID, _ error) bool { return card.Values.Has(id) })
	maps.Copy(all, g.lacks)
	return all.byReason()
}

// writeAbsent writes the lacking metrics into the cards of their GPUs if they have changed, and reports whether they
// have. An inventory in progress reads the old cards.
func (n *Inventory) writeAbsent() (changed bool) {
	for i, g := range n.gpus {
		if g.dropRegained(); g.stated {
			continue
		}
		g.stated = true
		absent := g.absentMetrics(&n.hello.GPUs[i])
		if reflect.DeepEqual(absent, n.hello.GPUs[i].Absent) {
			continue
		}
		if !changed {
			n.hello.GPUs = slices.Clone(n.hello.GPUs)
		}
		n.hello.GPUs[i].Absent, changed = absent, true
	}
	return changed
}
