package gpus

import (
	"cmp"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/probe/sample"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const (
	// staleIntervals is the number of intervals for which the values of a GPU that does not respond are repeated.
	staleIntervals = 3
	// longestRepeat limits how long values are repeated for a GPU that always responds slowly.
	longestRepeat = 30 * time.Second
)

// makeEntry makes the entry of a GPU in a report. again means that the GPU must be listed again.
func (g *gpu) makeEntry(sm *sample.Report, c *pool, interval time.Duration) (out wire.GPU, again bool) {
	out = wire.GPU{Index: g.Index, Lost: g.Lost, LostID: g.LostID}
	if g.Device == nil {
		return out, false
	}
	out.HangsMS, out.Call = c.unfinishedCall(g)
	out.Reading = c.hasReading(g)
	r := &g.last
	sm.TookMS = max(sm.TookMS, r.took.Milliseconds())
	age := time.Duration(0)
	if r.round != c.report.number {
		age = max(time.Since(r.ended), time.Millisecond)
	}
	switch {
	case r.ended.IsZero() || age > r.repeatTime(interval):
		out.Unlisted, out.Reading = sm.Unlisted(Silent), true
	case driver.KindOf(r.err) == driver.Lost:
		out.Lost, out.LostID = r.err.Error(), driver.LostIDOf(r.err)
		again = true
	case r.err == nil:
		again = r.blank
		out.AgeMS, out.Repeated, out.Values = age.Milliseconds(), !g.isNew, r.values
		if out.Repeated {
			out.Values = withoutRates(r.values)
		}
		if !r.listed {
			out.Unlisted = sm.Unlisted(cmp.Or(r.unlisted, Silent))
			out.Reading = out.Reading || sm.Wanted && r.unlisted == "" // the reading began before the list was wanted
		}
		sm.Merge(r.faults, g.Index)
	default:
		out.Unlisted = sm.Unlisted(r.err.Error())
		again = driver.KindOf(r.err) == driver.Stale
	}
	return out, again
}

// repeatTime is how long a reading is repeated while there is no newer reading.
func (r *gpuAnswer) repeatTime(interval time.Duration) time.Duration {
	return max(staleIntervals*interval, min(2*r.took, longestRepeat))
}

// unfinishedCall returns how long an unfinished call to the GPU has been running, and its name; 0 if no call is
// running.
func (c *pool) unfinishedCall(g *gpu) (ms int64, what string) {
	begun, pending := c.runningSince(g)
	if !pending {
		return 0, ""
	}
	switch call := g.call.Load(); {
	case !begun.Equal(g.hang.begun):
		g.hang = hungCall{call: call, begun: begun, since: begun}
	case call != g.hang.call:
		g.hang = hungCall{call: call, begun: begun, since: time.Now()}
	}
	if ms = time.Since(g.hang.since).Milliseconds(); ms > 0 {
		what = g.callName(g.hang.call)
	}
	return ms, what
}
