package history

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// counters are the metrics that only grow while the driver is loaded.
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

// counterReading holds the counters of one report.
type counterReading struct {
	ms    int64 // the node's clock
	known uint16
	v     [len(counters)]float64
}

// hasTime reports whether the mark exists and has a time: a probe that knows no time sends 0.
func (m *counterReading) hasTime() bool { return m != nil && m.ms != 0 }

func (m *counterReading) getCounter(i uint8) (float64, bool) { return m.v[i], m.known>>i&1 != 0 }

func (m *counterReading) setCounter(i int, v float64) {
	m.v[i] = v
	m.known |= 1 << i
}

// withNewCounters returns the mark, plus those counters of now that the mark does not have.
func (m *counterReading) withNewCounters(now *counterReading) *counterReading {
	if now.known&^m.known == 0 {
		return m
	}
	c := *m
	for i, v := range now.v {
		if now.known&^m.known>>i&1 != 0 {
			c.setCounter(i, v)
		}
	}
	return &c
}

// Growth has the counters of a GPU so far. If a counter goes backwards, the driver was loaded again, and all counters
// start anew. Copies share the marks, which are replaced and never changed.
type Growth struct {
	grew   uint16          // a bit for each counter that has grown since first: most have not, and rules read only these
	first  *counterReading // the first value of each counter in this watch; nil: no counter has one
	older  *counterReading // one to two minutes old, or the same as first
	newer  *counterReading // becomes older when it is a minute old
	before *counterReading // counters of the previous report with new values; nil: there was none
	now    *counterReading // counters of this report
	loaded time.Time       // when the counters started anew; zero: they have not
}

// Add adds the counters of a report, with its time by the node's clock.
func (w *Growth) Add(at time.Time, ms int64, values *metric.Values) {
	now := &counterReading{ms: ms}
	for i, id := range counters {
		if v, known := values.Get(id); known {
			now.setCounter(i, v)
		}
	}
	switch {
	case w.now != nil && w.wentBackwards(now):
		*w = Growth{first: now, older: now, newer: now, now: now, loaded: at}
		return
	case !w.first.hasTime():
		w.first, w.older, w.newer = now, now, now
	default:
		w.first, w.older, w.newer = w.first.withNewCounters(now), w.older.withNewCounters(now), w.newer.withNewCounters(now)
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

func (w *Growth) wentBackwards(now *counterReading) bool {
	if now.ms < w.now.ms {
		return true
	}
	for i := range uint8(len(counters)) {
		v, known := now.getCounter(i)
		if was, before := w.now.getCounter(i); known && before && v < was {
			return true
		}
	}
	return false
}

// growthSince returns the growth of a counter since the mark, and the time since the mark.
func (w *Growth) growthSince(m *counterReading, id metric.ID) (float64, time.Duration, bool) {
	i := counterAt[id]
	if i == 0 || !m.hasTime() {
		return 0, 0, false
	}
	now, known := w.now.getCounter(i - 1)
	was, before := m.getCounter(i - 1)
	if !known || !before {
		return 0, 0, false
	}
	return now - was, time.Duration(w.now.ms-m.ms) * time.Millisecond, true
}

// Grew reports whether a counter has grown since the watch began. It is cheaper than Grown.
func (w *Growth) Grew(id metric.ID) bool {
	i := counterAt[id]
	return i != 0 && w.grew>>(i-1)&1 != 0
}

// Grown returns the growth of a counter since the watch began, or since a later load of the driver.
func (w *Growth) Grown(id metric.ID) (float64, bool) {
	grown, _, known := w.growthSince(w.first, id)
	return grown, known
}

// Watched returns how long the counters have been watched.
func (w *Growth) Watched() time.Duration {
	if w.now == nil {
		return 0
	}
	return time.Duration(w.now.ms-w.first.ms) * time.Millisecond
}

// PerMinute returns the growth of a counter per minute, over the last one to two minutes. Within the first minute it
// divides by a whole minute, so that one error does not look like a storm.
func (w *Growth) PerMinute(id metric.ID) (float64, bool) {
	grown, over, known := w.growthSince(w.older, id)
	return grown * float64(time.Minute) / float64(max(over, time.Minute)), known
}

// Lately returns the growth of a counter per second since the previous report, and the time between the two reports.
func (w *Growth) Lately(id metric.ID) (float64, time.Duration, bool) {
	grown, over, known := w.growthSince(w.before, id)
	if over <= 0 {
		return 0, 0, false
	}
	return grown / over.Seconds(), over, known
}

// Loaded returns the time at which the driver was loaded again, which restarts the counters; zero: it was not.
func (w *Growth) Loaded() time.Time { return w.loaded }
