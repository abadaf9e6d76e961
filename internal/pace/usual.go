package pace

import "time"

// follow learns the usual values of the group and its GPUs.
func (g *Group) follow(passed time.Duration, young bool) {
	if !g.Works || g.Quiet() || passed == 0 || !g.step(passed) || young {
		return
	}
	rise, fall, seconds := weightOf(passed, rises), weightOf(passed, falls), float32(passed.Seconds())
	if p := share(g.Median[Power], g.Usual[Power]); !(p < troubled) {
		fall := fall
		if g.differs() {
			fall = 0
		}
		for m := range Measures {
			g.Usual[m] = followed(g.Usual[m], g.Median[m], rise, fall)
		}
	}
	late := g.Rate() < steady // one GPU may slow all
	for _, gpu := range g.GPUs {
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
				gpu.Usual[m] = followed(usual, now, rise, fall)
			}
		}
	}
}

// differs reports whether a GPU is not in its usual relation to the others: it may slow all of them.
func (g *Group) differs() bool {
	for _, gpu := range g.GPUs {
		for m, now := range gpu.Share {
			if usual := gpu.Usual[m]; now < (1-differs)*usual || now > (1+differs)*usual {
				return true
			}
		}
	}
	return false
}

// followed returns the usual value after a new value. The new value has one weight if it is higher, another if it is
// lower.
func followed(usual, now, rise, fall float32) float32 {
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
