package progress

import (
	"math"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster/progress"
	"github.com/nvnodetop/nvnodetop/internal/joblog/progress/forms"
)

// clockTime is a time of one of several clocks; only times of one kind can be compared.
type clockTime struct {
	kind    byte // 0: none
	seconds float64
}

// arrival is the kind of the clock of arrivals.
const arrival = 9

// paces is how fast the steps were, over time.
type paces struct {
	recent []paceSample // oldest first; at most maxPaces
	from   clockTime    // when step was reached
	step   float64
	pauses bool // an evaluation or a checkpoint lies within the interval at hand

	// Of lines without a time that come together, only the last one was written when they came. It ends an interval
	// when the next ones come. A pause after it lies in the next interval.
	last     clockTime
	lastStep float64
	pausing  bool
}

// paceSample is the pace of some steps.
type paceSample struct {
	perStep float64   // seconds
	steps   float64   // how many
	since   clockTime // their begin; none: the log says the pace
}

// maxPaces is the number of samples kept. When there are more, two neighbors become one.
const maxPaces = 120

// clone returns a copy that can be changed.
func (p *paces) clone() paces {
	c := *p
	c.recent = slices.Clone(p.recent)
	return c
}

// pause notes that the program does something else than steps.
func (p *paces) pause() { p.pausing = true }

// shortest is the shortest time over which a pace is counted: many clocks have whole seconds only.
const shortest = 10

// note takes a line that says the step at a time. before is the line before it.
func (p *paces) note(s, before *forms.Said, isSame bool, at clockTime) {
	if !isSame {
		p.recent = nil
	}
	now := s.Num[forms.Step]
	if at.kind == arrival {
		p.noteArrival(now, before.Num[forms.Step], isSame, at)
		return
	}
	p.pauses, p.pausing = p.pauses || p.pausing, false
	took := at.seconds - p.from.seconds
	switch isOn := isSame && now > before.Num[forms.Step] && !p.pauses; {
	case isOn && at.kind != 0 && at.kind == p.from.kind:
		if took >= 0 && took < shortest {
			return
		}
		if steps := now - p.step; took > 0 {
			p.addSample(paceSample{perStep: took / steps, steps: steps, since: p.from})
		}
	case at.kind == 0 && s.Knows(forms.Seconds) && s.Num[forms.Seconds] > 0 && (isOn || len(p.recent) == 0):
		p.addSample(paceSample{perStep: s.Num[forms.Seconds], steps: 1})
	case isSame && now == before.Num[forms.Step]: // another rank, or a line more about the same step
		return
	}
	p.from, p.step, p.pauses = at, now, false
}

// noteArrival takes a line without a time, which came at this time.
func (p *paces) noteArrival(now, before float64, isSame bool, at clockTime) {
	if p.last.kind == arrival && at.seconds > p.last.seconds {
		p.endInterval()
	}
	p.pauses, p.pausing = p.pauses || p.pausing, false
	switch {
	case isSame && now == before: // another rank, or a line more about the same step
		return
	case !isSame, now < before, p.from.kind != arrival:
		p.from, p.step, p.pauses = at, now, false
	}
	p.last, p.lastStep = at, now
}

// endInterval ends the interval at hand with the last line that came, if it is long enough.
func (p *paces) endInterval() {
	took, steps := p.last.seconds-p.from.seconds, p.lastStep-p.step
	if took > 0 && !p.pauses {
		if took < shortest {
			return
		}
		p.addSample(paceSample{perStep: took / steps, steps: steps, since: p.from})
	}
	p.from, p.step, p.pauses = p.last, p.lastStep, false
}

// addSample adds a sample.
func (p *paces) addSample(s paceSample) {
	if p.recent = append(p.recent, s); len(p.recent) < maxPaces {
		return
	}
	kept := make([]paceSample, 0, maxPaces)
	half := len(p.recent) / 2
	for i := 0; i+1 < half; i += 2 {
		a, b := p.recent[i], p.recent[i+1]
		a.perStep = (a.perStep*a.steps + b.perStep*b.steps) / (a.steps + b.steps)
		a.steps += b.steps
		kept = append(kept, a)
	}
	p.recent = append(kept, p.recent[half/2*2:]...)
}

const (
	// fewPaces is how many samples a pace by counting needs, and manyNow the number of the last ones that count.
	fewPaces, manyNow = 3, 16
	// outlier is how many times the usual pace a sample must be to be a pause: an evaluation, a checkpoint.
	outlier = 3.0
)

// counted returns the pace of the last steps, by the times of their lines; 0: unknown. since is the sample from which
// on the pace has changed.
func (p *paces) counted(since int) float64 {
	of := p.recent[max(len(p.recent)-manyNow, since):]
	if len(of) < fewPaces {
		return 0
	}
	return usualPace(of)
}

// believed returns the pace that the log says, unless it is one of a step with an evaluation or a checkpoint within.
func (p *paces) believed(said float64) float64 {
	of := p.recent[max(len(p.recent)-manyNow, 0):]
	if len(of) < fewPaces {
		return said
	}
	if usual := usualPace(of); said > outlier*usual {
		return usual
	}
	return said
}

// usualPace is the pace of all samples together, without outliers.
func usualPace(of []paceSample) float64 {
	all := make([]float64, len(of))
	for i, s := range of {
		all[i] = s.perStep
	}
	slices.Sort(all)
	most := outlier * all[len(all)/2]
	time, steps := 0.0, 0.0
	for _, s := range of {
		if s.perStep <= most {
			time, steps = time+s.perStep*s.steps, steps+s.steps
		}
	}
	return time / steps
}

const (
	// leastChange is how much slower a pace must be. Each side of the change has at least fewChange samples.
	leastChange, fewChange = 1.15, 8
	// apart is the share of samples on each side that must be on their side of the limit between the two.
	apart = 0.85
)

// slower finds the clearest change to a slower pace that lasts until now, and the sample that begins it; nil: there is
// none. at is the time of the last line.
func (p *paces) slower(at time.Time) (best *progress.Slower, since int) {
	clearest := 0
	for i := fewChange; i <= len(p.recent)-fewChange; i++ {
		begin := p.recent[i].since
		if begin.kind == 0 || begin.kind != p.from.kind {
			continue
		}
		before, after := usualPace(p.recent[:i]), usualPace(p.recent[i:])
		if after < before*leastChange {
			continue
		}
		if clear := p.clearness(i, math.Sqrt(before*after)); clear > clearest {
			ago := time.Duration((p.from.seconds - begin.seconds) * float64(time.Second))
			clearest, since, best = clear, i, &progress.Slower{Before: before, Since: at.Add(-ago)}
		}
	}
	return best, since
}

// clearness returns how many samples before a place are faster than a limit, and after it slower; 0: not most on each
// side.
func (p *paces) clearness(at int, limit float64) int {
	fast, slow := 0, 0
	for i, s := range p.recent {
		switch {
		case i < at && s.perStep < limit:
			fast++
		case i >= at && s.perStep > limit:
			slow++
		}
	}
	if float64(fast) < apart*float64(at) || float64(slow) < apart*float64(len(p.recent)-at) {
		return 0
	}
	return fast + slow
}
