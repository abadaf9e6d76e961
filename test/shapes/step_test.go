package shapes

import (
	"math"
	"time"
)

// cost is what a step costs one GPU, beside a healthy one.
type cost struct {
	slow float64 // how many times as long its part of the step takes
	by   reason
}

// reason says what makes the part of a GPU longer, and so what is seen of it.
type reason uint8

const (
	more   reason = iota // more of the same work: an expert with more tokens, longer sequences
	clock                // a lower SM clock
	unseen               // full clocks and full power, but less done
	host                 // its loader or its CPUs: it runs no kernel meanwhile
	link                 // its exchange: kernels run, and move little
)

// costs says what a step costs each GPU at a moment.
type costs func(at time.Duration, gpu int) cost

// inStep is a job whose GPUs meet in each step: all take as long as the slowest of their group. A group is this many
// GPUs one after the other. A GPU that is done spins. Traffic and memory reads are those of one step, spread over it.
func inStep(usual Work, together int, of costs) Program {
	return does(func(at time.Duration, gpu int) Work {
		longest := 0.0
		for g := gpu / together * together; g < (gpu/together+1)*together; g++ {
			longest = math.Max(longest, of(at, g).slow)
		}
		return usual.step(of(at, gpu), longest)
	})
}

// step is the work of a GPU that has a cost in a step that takes this many times as long as usual.
func (w Work) step(c cost, longest float64) Work {
	part := w // of the step in which it has something to do
	waits := spin.using(w.Used)
	waits.Clock = math.Max(waits.Clock, w.Clock)
	switch c.by {
	case clock:
		part.Util, part.Clock = 99, w.Clock/c.slow
		part.Power = 200 + (w.Power-200)/(c.slow*c.slow)
	case host:
		part = mix(w, ready.using(w.Used), 1-1/c.slow)
	case link:
		part = mix(w, waits.drawing(250), 1-1/c.slow)
	}
	out := mix(part, waits, 1-c.slow/longest)
	amount := 1 / longest // each step moves the same
	if c.by == more {     // but this GPU has more to do in it
		amount = c.slow / longest
	}
	out.Memory = w.Memory*amount + 0.5*(1-c.slow/longest)
	out.NVLink, out.Net = w.NVLink/longest, w.Net/longest
	out.TX, out.RX = w.TX/longest, w.RX/longest
	return out
}

// even costs all GPUs the same. these costs some GPUs more.
func even(time.Duration, int) cost { return cost{slow: 1} }

func these(slow float64, by reason, of ...int) costs {
	return func(_ time.Duration, gpu int) cost {
		for _, g := range of {
			if g == gpu {
				return cost{slow, by}
			}
		}
		return cost{slow: 1}
	}
}

// atOnset is a training that pauses now and then, whose steps cost more from onset on.
func atOnset(then costs) Program {
	return saves(17*mins, 45*sec, from(onset, inAll(even), inAll(then)))
}

// before is such a training whose steps have cost that since before the watch began.
func atFirst(of costs) Program { return saves(17*mins, 45*sec, inAll(of)) }

// inAll is a training whose GPUs are all in one group.
func inAll(of costs) Program { return trainsIn(train, of) }

func trainsIn(usual Work, of costs) Program {
	return drawn(func(r *rig) does { return inStep(usual, r.world(), of).begin(r) })
}

// walk is a number from 0 to 1 that wanders, with a time constant.
func walk(seed uint64, gpu int, at, slowly time.Duration) float64 {
	x := float64(at) / float64(slowly)
	i, f := math.Floor(x), x-math.Floor(x)
	f = f * f * (3 - 2*f)
	a, b := unit(seed, uint64(gpu), uint64(i)), unit(seed, uint64(gpu), uint64(i)+1)
	return a + f*(b-a)
}

// loads gives each GPU a load that wanders: of a step's time, between least and 1.
func loads(seed uint64, slowly time.Duration, least float64) costs {
	return func(at time.Duration, gpu int) cost {
		return cost{least + (1-least)*walk(seed, gpu, at, slowly), more}
	}
}
