package pace

import (
	"math"
	"slices"
	"time"
)

// Amounts are what the GPUs of a group do in a minute: the medians of the measures, the traffic of their nodes, and the
// memory in use. NaN means unknown.
type Amounts [amounts]float32

// Amounts besides the Measures.
const (
	Net  = Measures     // bytes per second over the networks of a node, both ways
	Used = Measures + 1 // bytes of GPU memory

	amounts = Measures + 2
)

// Slower is a group whose steps take longer than before. Each step of a program moves the same data. So if everything
// that the GPUs move falls alike, the same program makes fewer steps. Other work moves its data in another proportion,
// or uses another amount of memory.
type Slower struct {
	Since time.Time
	Rate  float32 // rate of steps, as a share of the earlier rate
	Then  Amounts // before
	Now   Amounts
}

// groupPast is how a group worked, minute by minute.
type groupPast struct {
	over  []minute // oldest first; replaced, never changed
	open  minute   // its Amounts are sums
	count int      // samples in it
	slow  *Slower  // replaced, never changed; nil: the steps do not take longer
}

type minute struct {
	number int64 // since the epoch
	Amounts
}

func (m *minute) startTime() time.Time { return time.Unix(60*m.number, 0).UTC() }

const (
	// recallsMinutes is the number of minutes kept. The last freshMinutes are compared with at least leastMinutes
	// before them.
	recallsMinutes, freshMinutes, leastMinutes = 45, 5, 12

	// slowRate is the rate of steps at which a group becomes slower, recoveredRate the rate at which it no longer is.
	slowRate, recoveredRate = 0.85, 0.92

	// alike is the largest ratio of two shares that show the same rate of steps. weaker is the largest share of the
	// power: GPUs that wait draw less. sameUse is how much the memory in use may differ.
	alike, weaker, sameUse = 1.15, 0.95, 0.03

	// steadyBy is how far minutes may be from their median if the pace is steady. steadyPart is the part of the earlier
	// minutes that must be within it.
	steadyBy, steadyPart = 0.1, 0.75

	// freed is the share of the memory in use below which the program has ended.
	freed = 0.5
)

// rates are the amounts that are the same in each step, and the least value that shows a rate.
var rates = [...]struct {
	of    Measure
	least float32
}{{Memory, 10}, {Link, LeastLink}, {Net, leastBoth}}

// Slower returns how much slower the group has become, nil if it has not.
func (g *Group) Slower() *Slower { return g.past.slow }

// recordMoment adds the moment of the last comparison to the past. A pause is not recorded.
func (g *Group) recordMoment(young bool) {
	if n := len(g.past.over); n > 0 && g.Used < freed*g.past.over[n-1].Amounts[Used] {
		g.past = groupPast{}
	}
	if young || g.Paused || g.Rests() && g.at.Sub(g.Halted) <= longestPause || !(g.Median[Util] > IdleMost) {
		return
	}
	p := &g.past
	if number := g.at.Unix() / 60; number != p.open.number {
		p.closeMinute()
		p.open, p.count = minute{number: number}, 0
	}
	p.count++
	now := g.currentAmounts()
	for m, v := range now {
		p.open.Amounts[m] += v
	}
}

func (g *Group) currentAmounts() Amounts {
	var now Amounts
	copy(now[:], g.Median[:])
	now[Used] = g.Used
	nodes, last, sum := 0, Everywhere, float32(0)
	for _, gpu := range g.GPUs {
		if gpu.Node != last && !gpu.Shared {
			nodes, last, sum = nodes+1, gpu.Node, sum+gpu.host.TX+gpu.host.RX
		}
	}
	now[Net] = sum / float32(nodes) // NaN if there are none
	return now
}

// closeMinute ends a minute, and compares the last minutes with those before.
func (p *groupPast) closeMinute() {
	if p.count == 0 {
		return
	}
	m := p.open
	for i := range m.Amounts {
		m.Amounts[i] /= float32(p.count)
	}
	over := p.over[max(len(p.over)-recallsMinutes+1, 0):]
	if n := len(over); n > 0 && !(mayBeOne(m.Amounts[Used]/over[n-1].Amounts[Used], sameUse)) {
		over, p.slow = nil, nil // another program, or another size of its work
	}
	p.over = append(slices.Clip(over), m)
	if p.slow != nil {
		p.goOn()
		return
	}
	p.findSlowdown()
}

// findSlowdown finds out whether steps have taken longer in the last minutes.
func (p *groupPast) findSlowdown() {
	n := len(p.over) - freshMinutes
	if n < leastMinutes || p.over[len(p.over)-1].number-p.over[n].number > 2*freshMinutes {
		return
	}
	then, now := medianAmounts(p.over[:n]), medianAmounts(p.over[n:])
	if !areSteady(p.over[:n], then, steadyPart) || !areSteady(p.over[n:], now, 1) {
		return
	}
	rate, told := rateOf(then, now)
	if !told || rate > slowRate || !(now[Power] <= weaker*then[Power]) {
		return
	}
	justBefore := medianAmounts(p.over[n-freshMinutes-1 : n-1])
	if sudden, told := rateOf(justBefore, now); !told || sudden > slowRate {
		return // it fell gradually: the work itself changes
	}
	since := n
	for since > 0 && mayBeOne(p.over[since-1].Amounts[Power]/now[Power], steadyBy) {
		since--
	}
	p.slow = &Slower{Since: p.over[since].startTime(), Rate: rate, Then: then, Now: now}
}

// goOn finds out whether steps still take longer. The comparison keeps using the values from before the slowdown.
func (p *groupPast) goOn() {
	const few = 3
	last := p.over[max(len(p.over)-few, 0):]
	now := medianAmounts(last)
	switch rate, told := rateOf(p.slow.Then, now); {
	case told && rate > recoveredRate:
		p.slow, p.over = nil, slices.Clone(last)
	case told:
		p.slow = &Slower{Since: p.slow.Since, Rate: rate, Then: p.slow.Then, Now: now}
	}
}

// rateOf returns the rate of steps as a share of the earlier rate, and whether two measures agree on it.
func rateOf(then, now Amounts) (rate float32, told bool) {
	least, most, n := float32(math.Inf(1)), float32(0), 0
	for _, m := range rates {
		if then[m.of] >= m.least {
			r := now[m.of] / then[m.of]
			least, most, rate, n = min(least, r), max(most, r), rate+r, n+1
		}
	}
	return rate / float32(n), n > 1 && most <= alike*least
}

// medianAmounts returns the medians of some minutes.
func medianAmounts(of []minute) (out Amounts) {
	column := make([]float32, len(of))
	for m := range out {
		for i := range of {
			column[i] = of[i].Amounts[m]
		}
		if out[m] = unknown; !slices.ContainsFunc(column, func(v float32) bool { return v != v }) {
			_, out[m] = bothMedians(column)
		}
	}
	return out
}

// areSteady reports whether at least a part of these minutes are near their median.
func areSteady(of []minute, median Amounts, part float32) bool {
	near := 0
	for i := range of {
		its := &of[i].Amounts
		if mayBeOne(its[Power]/median[Power], steadyBy) && !(math.Abs(float64(its[Link]/median[Link]-1)) > 2*steadyBy) {
			near++
		}
	}
	return float32(near) >= part*float32(len(of))
}

// mayBeOne reports whether a ratio is near 1; an unknown ratio may be.
func mayBeOne(ratio, by float32) bool { return !(ratio > 1+by || ratio < 1-by) }
