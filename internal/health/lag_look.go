package health

import (
	"math"

	"github.com/nvnodetop/nvnodetop/internal/cluster/pace"
)

// ends is the share of a ratio at which a reported difference ends, or half of the difference if that is less. At the
// limit itself, a fault would begin and end again and again.
const ends = 0.9

// gpuComparison has the values by which one GPU of a group is judged.
type gpuComparison struct {
	peer
	ratio  float32 // lag_ratio
	others float32 // how much of their usual work the others do; NaN: unknown
	fell   float32 // likewise, by the measure that fell the most
	waits  bool    // they wait, whatever is usual for them
	parted bool    // the few GPUs are out of step: the others wait only if everything that they do is less
	told   bool    // it is reported to lag, and goes on lagging until each ratio is far from its limit
}

// upperLimit returns the limit that a ratio must be below. lowerLimit returns one that it must be above.
func (l *gpuComparison) upperLimit(limit float32) float32 {
	switch {
	case !l.told:
		return limit
	case limit < 1:
		return min(limit/ends, (1+limit)/2)
	}
	return limit / ends
}

func (l *gpuComparison) lowerLimit(limit float32) float32 {
	switch {
	case !l.told:
		return limit
	case limit > 1:
		return max(limit*ends, (1+limit)/2)
	}
	return limit * ends
}

// newLook returns the values by which a GPU is judged. told says that it is reported to lag.
func (p peer) newLook(ratio float32, told bool) gpuComparison {
	g := p.group
	l := gpuComparison{peer: p, ratio: ratio, parted: g.FellOut(), told: told}
	least, greatest := g.Slowed(p.GPU)
	if l.others, l.fell = least, least; l.parted {
		l.others = greatest
	}
	full := g.Others(p.GPU, pace.Util)
	if full >= pace.FullFrom && g.Usual[pace.Util] > full { // it is the lowest of several, and wanders around the limit
		full = g.Usual[pace.Util]
	}
	l.waits = full >= 100*l.lowerLimit(waitUtil) &&
		g.Others(p.GPU, pace.Power) < l.upperLimit(waitPower)*p.Limit &&
		g.Others(p.GPU, pace.Memory) < 100*l.upperLimit(waitMemory)
	return l
}

// clocksLow reports whether a busy GPU clocks much lower than the others, which wait for it, and draws less power.
func (l *gpuComparison) clocksLow() bool {
	return l.waits && l.Share[pace.Clock] < l.upperLimit(slowClock) && l.Share[pace.Power] < l.upperLimit(1) &&
		l.Mean[pace.Util] >= pace.FullFrom && l.Mean[pace.Power] < coolPower*l.Limit
}

// isBelow reports whether a GPU has less than usual and less than the others by a factor. isAbove reports whether it
// has more.
func (l *gpuComparison) isBelow(m pace.Measure, factor float32) bool {
	return l.Share[m] < l.upperLimit(factor)*min(l.Usual[m], 1)
}
func (l *gpuComparison) isAbove(m pace.Measure, factor float32) bool {
	return l.Share[m] > l.lowerLimit(factor)*max(l.Usual[m], 1)
}

// othersMayWait reports whether the others may be waiting for this GPU. GPUs that wait have a higher clock: if the
// others have a lower one, they are slow themselves.
func (l *gpuComparison) othersMayWait() bool {
	return !l.exchangesAsEver() && !(l.Mean[pace.Clock] > l.upperLimit(raised)*l.group.Lower[pace.Clock])
}

// exchangesAsEver reports whether the GPU sends as much over its links as is usual for the group, while most send
// hardly anything. It then works with a few others, as one pair of several does: a GPU that all wait for sends as
// seldom as they do.
func (l *gpuComparison) exchangesAsEver() bool {
	return l.Mean[pace.Link] >= same*l.group.Usual[pace.Link] && l.group.Rate() < hardly
}

// waitsToo reports whether this GPU also has less than usual, as if all waited for another node. Nodes that are
// compared each on its own may work together.
func (l *gpuComparison) waitsToo(m pace.Measure) bool {
	return l.group.Part && (l.shareOfUsual(m) < same || l.shareOfUsual(pace.Clock) > raised)
}

// othersOnlyWait reports whether the others only wait, whatever their links show, as during an evaluation or a
// checkpoint on one rank. A slow GPU lets the others continue from time to time.
func (l *gpuComparison) othersOnlyWait() bool {
	of := l.group
	return of.Others(l.GPU, pace.Memory) <= standMemory &&
		of.Others(l.GPU, pace.Power) < standPower*of.UsualOthers(l.GPU, pace.Power)
}

// slowsOthers reports whether a GPU has less by a factor, and the others do less because of it.
func (l *gpuComparison) slowsOthers(m pace.Measure, factor float32) bool {
	others := l.others
	if m == pace.Clock { // its lower clock is proof enough
		others = l.fell
	}
	if l.told && l.Now(m) >= same*l.group.Usual[m]*l.Usual[m] { // it has recovered; the averages show that later
		return false
	}
	return l.isBelow(m, factor) && l.shareOfUsual(m) < l.upperLimit(factor+nearly) &&
		others <= l.upperLimit(1-follows*(1-l.Share[m]/l.Usual[m]))
}

// shareOfUsual returns the GPU's value as a share of its own usual value; NaN: unknown.
func (l *gpuComparison) shareOfUsual(m pace.Measure) float32 {
	return l.Mean[m] / (l.group.Usual[m] * l.Usual[m])
}

// costsOthers reports whether the others do less, and the rate of steps is lower by as much as they wait. A load that
// wanders between GPUs costs little.
func (l *gpuComparison) costsOthers() bool {
	wait := max(1-l.Usual[pace.Power]/l.Share[pace.Power], 1-felt)
	return l.others < l.upperLimit(felt) && !(l.group.Rate() > l.upperLimit(1-wait))
}

// keepsPower reports whether the GPU draws as much power as always and reads no more than the others, while their power
// fell: they wait for it.
func (l *gpuComparison) keepsPower() bool {
	usual := l.group.UsualOthers(l.GPU, pace.Power)
	return l.shareOfUsual(pace.Power) >= same && l.group.Others(l.GPU, pace.Power) < l.upperLimit(fallen)*usual &&
		!(l.Share[pace.Memory] > l.upperLimit(harder)*l.Usual[pace.Memory])
}

// standsOut reports whether at most a quarter of the others differ half as much from what is usual for them as this GPU
// does. If its whole node does, the node does not count. If the load of all GPUs wanders, the highest and the lowest
// are no fault.
func (l *gpuComparison) standsOut(m pace.Measure) bool {
	if l.told {
		return true
	}
	own, odd, beside, here := differenceOf(l.GPU, m).by, 0, 0, 0
	most := max(1, len(l.group.GPUs)/4)
	for _, its := range l.all.of(l.group, m) {
		near := its.node == l.GPU.Node
		if near {
			here++
		}
		switch {
		case math.Abs(its.by) <= math.Abs(own)/2 || its.gpu == l.GPU:
		case near && its.by*own > 0:
			beside++
		case odd == most:
			return false
		default:
			odd++
		}
	}
	if beside+1 < here {
		odd += beside
	}
	return odd <= most
}

// differences has, for each measure, how much the GPUs of a group differ from what is usual for them. Each GPU that may
// be slow is compared with all others. There may be thousands of them, so what is compared lies side by side.
type differences [pace.Shares][]difference

type difference struct {
	by   float64
	node int
	gpu  *pace.GPU
}

func differenceOf(g *pace.GPU, m pace.Measure) difference {
	return difference{float64(g.Share[m]/g.Usual[m]) - 1, g.Node, g}
}

// of returns the differences of a group, which it computes once.
func (d *differences) of(group *pace.Group, m pace.Measure) []difference {
	if d[m] == nil {
		d[m] = make([]difference, len(group.GPUs))
		for i, g := range group.GPUs {
			d[m][i] = differenceOf(g, m)
		}
	}
	return d[m]
}

// stepsTakeLonger reports whether each step of few GPUs moves as much as it always did, perhaps in more time. Another
// program would read and send in another proportion.
func (l *gpuComparison) stepsTakeLonger() bool {
	others := func(m pace.Measure) float32 { return l.group.Others(l.GPU, m) / l.group.UsualOthers(l.GPU, m) }
	same := func(a, b float32) bool { return a <= oneRate*b && b <= oneRate*a }
	return same(others(pace.Memory), others(pace.Link)) && same(l.shareOfUsual(pace.Memory), others(pace.Link))
}

// alwaysDiffered reports whether the GPU was never seen to be like the others: it always had less of this measure, or
// more if the measure is power or memory traffic.
func (l *gpuComparison) alwaysDiffered(m pace.Measure) bool {
	usual := l.Usual[m]
	if m == pace.Power || m == pace.Memory {
		return !(usual <= 1/costly)
	}
	return !(usual >= costly)
}
