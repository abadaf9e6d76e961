package pace

import "time"

const (
	// little is the share of its usual utilization below which a GPU does none of its usual work.
	little = 0.5

	// longestPause is the longest time that counts as a pause. A job without work for longer has ended, or hangs.
	longestPause = 2 * time.Minute

	// recovers is how long after a pause the averages still contain it.
	recovers = 30 * time.Second
)

// isHalted reports whether a GPU of the group did none of its usual work in its last sample: it was idle, or waited for
// others.
func (g *Group) isHalted(gpu *GPU) bool {
	return gpu.now[Util] < little*g.Usual[Util] || isQuiet(&gpu.now, gpu.Limit)
}

// notePause notes when most of the GPUs halted, as for a checkpoint. GPUs do not all begin and end a pause in the same
// sample: until they are in step again, the pause goes on.
func (g *Group) notePause(at time.Time) {
	switch {
	case g.Rests(), !g.InStep:
		out := g.stood.Sub(g.Halted) > 2*recovers // they fell out of step before
		if g.stood.IsZero() || out && g.Rests() && !g.rested {
			g.Halted = at
		}
		g.stood = at
	case at.Sub(g.stood) > recovers:
		g.stood = time.Time{}
	}
	g.rested = g.Rests()
	g.Paused = !g.stood.IsZero() && g.stood.Sub(g.Halted) <= longestPause
}

// Lags remembers that the GPU lags, perhaps mildly. Moments at most gap apart count as one period.
func (g *GPU) Lags(at time.Time, gap time.Duration, mild bool) {
	if at.Sub(g.LagLast) > gap {
		g.LagBegan = at
	}
	if g.LagLast, g.LagUtil = at, g.Mean[Util]; !mild {
		g.LagMuch = at
	}
}

// Waits notes that it is unknown whether the GPU still lags. The time until now counts neither as lagging nor as a gap.
func (g *GPU) Waits(at time.Time) {
	g.LagBegan, g.LagLast = g.LagBegan.Add(at.Sub(g.LagLast)), at
}
