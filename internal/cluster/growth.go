package cluster

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// counters are the metrics that only grow while the driver is loaded. Grown, PerMinute and Lately of a GPU work on
// these metrics.
var counters = [...]metric.ID{
	metric.Energy, metric.PowerCapTime, metric.SyncBoostTime, metric.ThermalTime, metric.SWThermalTime,
	metric.HWThermalTime, metric.PowerBrakeTime,
	metric.PCIeReplays, metric.NVLinkCRC, metric.NVLinkReplays, metric.NVLinkRecoveries,
	metric.ECCUncorrected, metric.ECCCorrected,
}

// place of each counter in a mark, plus 1.
var counterAt = func() (at [256]uint8) {
	for i, id := range counters {
		at[id] = uint8(i + 1)
	}
	return at
}()

// mark holds the counters of one report.
type mark struct {
	ms    int64 // the node's clock
	known uint16
	v     [len(counters)]float64
}

// timed reports whether the mark exists and has a time: a probe that knows no time sends 0.
func (m *mark) timed() bool { return m != nil && m.ms != 0 }

func (m *mark) get(i uint8) (float64, bool) { return m.v[i], m.known>>i&1 != 0 }

func (m *mark) set(i int, v float64) {
	m.v[i] = v
	m.known |= 1 << i
}

// with returns the mark, plus the counters of now that were unknown before.
func (m *mark) with(now *mark) *mark {
	if now.known&^m.known == 0 {
		return m
	}
	c := *m
	for i, v := range now.v {
		if now.known&^m.known>>i&1 != 0 {
			c.set(i, v)
		}
	}
	return &c
}

// growth holds the earlier counters of a GPU. A counter that goes backwards means that the driver was loaded again: all
// counters begin anew. Snapshots share the marks, which are replaced and never changed.
type growth struct {
	grew   uint16    // a bit for each counter that has grown since first: most have not, and rules read only these
	first  *mark     // the first value of each counter in this watch; nil: no counter has one
	older  *mark     // one to two minutes old, or the same as first
	newer  *mark     // becomes older when it is a minute old
	before *mark     // counters of the previous report with new values; nil: there was none
	now    *mark     // counters of this report
	loaded time.Time // when the counters began anew; zero: they have not
}

// grow takes a report, with its time by the node's clock.
func (w *growth) grow(at time.Time, ms int64, values *metric.Values) {
	now := &mark{ms: ms}
	for i, id := range counters {
		if v, known := values.Get(id); known {
			now.set(i, v)
		}
	}
	switch {
	case w.now != nil && w.backwards(now):
		*w = growth{first: now, older: now, newer: now, now: now, loaded: at}
		return
	case !w.first.timed():
		w.first, w.older, w.newer = now, now, now
	default:
		w.first, w.older, w.newer = w.first.with(now), w.older.with(now), w.newer.with(now)
	}
	if now.ms-w.newer.ms >= time.Minute.Milliseconds() {
		w.older, w.newer = w.newer, now
	}
	w.before, w.now = w.now, now
	w.grew = 0
	for i, was := range w.first.v {
		if now.known>>i&1 != 0 && now.v[i] > was {
			w.grew |= 1 << i
		}
	}
}

func (w *growth) backwards(now *mark) bool {
	if now.ms < w.now.ms {
		return true
	}
	for i := range uint8(len(counters)) {
		v, known := now.get(i)
		if was, before := w.now.get(i); known && before && v < was {
			return true
		}
	}
	return false
}

// since returns the growth of a counter since the mark, and the time since the mark.
func (w *growth) since(m *mark, id metric.ID) (float64, time.Duration, bool) {
	i := counterAt[id]
	if i == 0 || !m.timed() {
		return 0, 0, false
	}
	now, known := w.now.get(i - 1)
	was, before := m.get(i - 1)
	if !known || !before {
		return 0, 0, false
	}
	return now - was, time.Duration(w.now.ms-m.ms) * time.Millisecond, true
}

// Grew reports whether a counter has grown since nvnodetop began to watch the GPU. It is cheaper than Grown.
func (g *GPU) Grew(id metric.ID) bool {
	i := counterAt[id]
	return i != 0 && g.growth.grew>>(i-1)&1 != 0
}

// Grown returns the growth of a counter since nvnodetop began to watch the GPU, or since a later load of the driver.
func (g *GPU) Grown(id metric.ID) (float64, bool) {
	grown, _, known := g.growth.since(g.growth.first, id)
	return grown, known
}

// Watched returns how long nvnodetop has watched the counters of the GPU.
func (g *GPU) Watched() time.Duration {
	if g.growth.now == nil {
		return 0
	}
	return time.Duration(g.growth.now.ms-g.growth.first.ms) * time.Millisecond
}

// PerMinute returns the growth of a counter per minute, over the last one to two minutes. Within the first minute it
// divides by a whole minute: one error is no storm.
func (g *GPU) PerMinute(id metric.ID) (float64, bool) {
	grown, over, known := g.growth.since(g.growth.older, id)
	return grown * float64(time.Minute) / float64(max(over, time.Minute)), known
}

// Lately returns the growth of a counter per second since the previous report, and the time between the two reports.
func (g *GPU) Lately(id metric.ID) (float64, time.Duration, bool) {
	grown, over, known := g.growth.since(g.growth.before, id)
	if over <= 0 {
		return 0, 0, false
	}
	return grown / over.Seconds(), over, known
}

// Loaded returns the time at which the driver was loaded again, which restarts the counters; zero: it was not.
func (g *GPU) Loaded() time.Time { return g.growth.loaded }

// LinksSeen has a bit for each NVLink that has been up since nvnodetop began to watch the GPU, or since a later load of
// the driver.
func (g *GPU) LinksSeen() uint64 { return g.links }

// Grow continues the counters, the power limits and the seen NVLinks of the GPUs from the previous report.
func Grow(gpus, before []GPU, at time.Time, r *wire.Report) {
	for i := range gpus {
		g := &gpus[i]
		if was := GPUWith(before, g.Key, i); was != nil {
			g.growth, g.limit, g.links, g.Memory = was.growth, was.limit, was.links, was.Memory
		}
		if limit, known := g.Get(metric.PowerLimit); known {
			g.limit = limit
		}
		if !g.Repeated && !g.Values.Empty() {
			g.Memory = g.Memory.Add(at, g.Float(metric.MemoryUsed))
			loaded := g.growth.loaded
			if g.growth.grow(at, r.MonoMS, &g.Values); g.growth.loaded != loaded {
				g.links = 0
			}
		}
		up, _ := g.Get(metric.NVLinkUp)
		g.links |= uint64(up)
	}
}

// GPUWith returns the GPU with a key, which is probably at index likely; nil: there is none.
func GPUWith(gpus []GPU, key string, likely int) *GPU {
	if likely < len(gpus) && gpus[likely].Key == key {
		return &gpus[likely]
	}
	for i := range gpus {
		if gpus[i].Key == key {
			return &gpus[i]
		}
	}
	return nil
}
