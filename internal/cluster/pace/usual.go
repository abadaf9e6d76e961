package pace

import "time"

// learnUsual brings the usual values of the group and its GPUs up to date.
func (g *Group) learnUsual(passed time.Duration, young bool) {
	if !g.Works || g.Quiet() || passed == 0 || !g.addStepTime(passed) || young {
		return
	}
	rise, fall, seconds := weightOf(passed, rises), weightOf(passed, falls), float32(passed.Seconds())
	if p := shareOfMedian(g.Median[Power], g.Usual[Power]); !(p < troubled) {
		fall := fall
		if g.anyGPUDiffers(passed) {
			fall = 0
		}
		for m := range Measures {
			g.Usual[m] = nextUsual(g.Usual[m], g.Median[m], rise, fall)
			g.usualLow[m] = nextUsual(g.usualLow[m], g.Lower[m], rise, fall)
		}
	}
	late := g.Rate() < steady // one GPU may slow down all
	for _, gpu := range g.GPUs {
		if g.hasTold(gpu, passed) { // otherwise a fault would become usual
			continue
		}
		gpu.compared += seconds
		rise, fall := rise, fall
		young := gpu.compared < float32(settles/time.Second)
		if young { // at first it is the mean
			rise = min(seconds/gpu.compared, 1)
			fall = rise
		}
		for m := range Shares {
			if now, usual := gpu.Share[m], gpu.Usual[m]; young || !late && now >= troubled*usual &&
				(m == Util || now*troubled <= usual) {
				gpu.Usual[m] = nextUsual(usual, now, rise, fall)
			}
		}
	}
}

// hasTold reports whether a GPU was reported to lag at the last comparison.
func (g *Group) hasTold(gpu *GPU, passed time.Duration) bool {
	return !gpu.LagTold.IsZero() && g.at.Sub(gpu.LagTold) <= 2*passed
}

// anyGPUDiffers reports whether a GPU lags, or is not in its usual relation to the others. Such a GPU may slow down all
// of them.
func (g *Group) anyGPUDiffers(passed time.Duration) bool {
	for _, gpu := range g.GPUs {
		if g.hasTold(gpu, passed) {
			return true
		}
		for m, now := range gpu.Share {
			if usual := gpu.Usual[m]; now < (1-differs)*usual || now > (1+differs)*usual {
				return true
			}
		}
	}
	return false
}

// nextUsual returns the usual value after a new value. The weight of the new value is rise if it is higher, fall if it
// is lower.
func nextUsual(usual, now, rise, fall float32) float32 {
	switch {
	case now != now:
		return usual
	case usual != usual:
		return now
	case now > usual:
		return usual + (now-usual)*rise
	}
	return usual + (now-usual)*fall
}
