package progress

import (
	"cmp"
	"math"
	"math/rand/v2"
	"time"
)

// load is the power of a GPU over time: watts[i] from i tenths of a second on.
type load []float64

const tenth = 0.1

// power is the load of a GPU up to a time, in seconds. r is the same for all GPUs of a job.
type power func(r *rand.Rand, till float64, gpu int) load

// draw adds a phase of this length.
func (l *load) draw(seconds, watts float64) {
	for range int(math.Round(seconds / tenth)) {
		*l = append(*l, watts)
	}
}

// mean is the mean power within a time, in seconds.
func (l load) mean(from, to float64) float64 {
	sum, n := 0.0, 0
	for i := int(math.Round(from / tenth)); i < int(math.Round(to/tenth)); i++ {
		if i >= 0 && i < len(l) {
			sum, n = sum+l[i], n+1
		}
	}
	return sum / float64(max(n, 1))
}

// shape is a job whose power is known, and the time of its step.
type shape struct {
	name  string
	want  float64                     // seconds a step; 0: nothing may be said
	found bool                        // it has to be found in most watches
	power power                       // of one GPU
	clock func(watts float64) float64 // of the SMs; nil: it is constant
	after float64                     // the step takes want from here on; before it takes before
	first float64                     // the step before that
	noise float64                     // of samples, as a share
	lost  float64                     // share of samples that are missing
	late  float64                     // the most that a sample comes late, in seconds
	own   map[int]power               // power of single GPUs
	gpus  int                         // 0: 4
}

// steps are steps of this length: a part at full power, and the rest at low power. Each may take longer by a share.
func steps(seconds, jitter, busy float64) power {
	return func(r *rand.Rand, till float64, _ int) (l load) {
		for float64(len(l))*tenth < till {
			now := seconds * (1 + jitter*(2*r.Float64()-1))
			l.draw(now*busy, 640)
			l.draw(now*(1-busy), 280)
		}
		return l
	}
}

// every puts a pause into a load after some seconds of work, again and again.
func every(after, lasts, watts float64, of power) power {
	return func(r *rand.Rand, till float64, gpu int) (l load) {
		work := of(r, till, gpu)
		for len(l) < int(till/tenth) {
			n := min(int(after/tenth), len(work))
			l, work = append(l, work[:n]...), work[n:]
			l.draw(lasts, watts)
		}
		return l
	}
}

func steady(watts float64) power {
	return func(_ *rand.Rand, till float64, _ int) (l load) {
		l.draw(till, watts)
		return l
	}
}

// atRandom holds a random power for a random time, again and again.
func atRandom(shortest, longest, low, high float64) power {
	return func(r *rand.Rand, till float64, gpu int) (l load) {
		own := rand.New(rand.NewPCG(r.Uint64(), uint64(gpu)))
		for float64(len(l))*tenth < till {
			l.draw(shortest+(longest-shortest)*own.Float64(), low+(high-low)*own.Float64())
		}
		return l
	}
}

// requests come at random, and each keeps the GPU busy for a while.
func requests(each, lasts float64) power {
	return func(r *rand.Rand, till float64, gpu int) (l load) {
		own := rand.New(rand.NewPCG(r.Uint64(), uint64(gpu)))
		for float64(len(l))*tenth < till {
			l.draw(own.ExpFloat64()*each, 120)
			l.draw(lasts*(0.5+own.Float64()), 500)
		}
		return l
	}
}

// walk goes up and down at random: its power returns to the mean within some seconds.
func walk(seconds float64) power {
	return func(r *rand.Rand, till float64, _ int) (l load) {
		v, keep := 0.0, math.Exp(-tenth/seconds)
		for float64(len(l))*tenth < till {
			v = keep*v + math.Sqrt(1-keep*keep)*r.NormFloat64()
			l.draw(tenth, max(450+100*v, 60))
		}
		return l
	}
}

// swings are a rhythm that is driven by noise: its period is about the same, but its phase and its height drift.
func swings(seconds, keeps float64) power {
	return func(r *rand.Rand, till float64, gpu int) (l load) {
		own := rand.New(rand.NewPCG(r.Uint64(), uint64(gpu)))
		var a, b float64
		keep, turn := math.Exp(-tenth/keeps), 2*math.Pi*tenth/seconds
		for float64(len(l))*tenth < till {
			n := math.Sqrt(1 - keep*keep)
			a, b = keep*(a*math.Cos(turn)-b*math.Sin(turn))+n*own.NormFloat64(),
				keep*(a*math.Sin(turn)+b*math.Cos(turn))+n*own.NormFloat64()
			l.draw(tenth, max(450+80*a, 60))
		}
		return l
	}
}

// accumulated are steps of several batches, the last of which is followed by the exchange of gradients.
func accumulated(batch float64, batches int, exchange float64) power {
	return func(r *rand.Rand, till float64, _ int) (l load) {
		for float64(len(l))*tenth < till {
			for range batches {
				l.draw(0.85*batch*(1+0.02*(2*r.Float64()-1)), 640)
				l.draw(0.15*batch, 380)
			}
			l.draw(exchange, 220)
		}
		return l
	}
}

// alternating are steps that are long and short in turn.
func alternating(short, long float64) power {
	return func(r *rand.Rand, till float64, _ int) (l load) {
		for float64(len(l))*tenth < till {
			for _, seconds := range []float64{short, long} {
				now := seconds * (1 + 0.01*(2*r.Float64()-1))
				l.draw(0.7*now, 640)
				l.draw(0.3*now, 280)
			}
		}
		return l
	}
}

// bubbles are the steps of a pipeline: each GPU waits at its own time.
func bubbles(seconds float64) power {
	return func(r *rand.Rand, till float64, gpu int) (l load) {
		l.draw(float64(gpu)*seconds/32, 280)
		for float64(len(l))*tenth < till {
			now := seconds * (1 + 0.02*(2*r.Float64()-1))
			l.draw(0.4*now, 600)
			l.draw(float64(gpu)/8*0.1*now, 200)
			l.draw(0.4*now, 640)
			l.draw((0.2-float64(gpu)/8*0.1)*now, 200)
		}
		return l
	}
}

// faster continues one load with another.
func faster(at float64, one, other power) power {
	return func(r *rand.Rand, till float64, gpu int) load {
		l := one(r, at, gpu)[:int(at/tenth)]
		return append(l, other(r, till-at, gpu)...)
	}
}

// thermostat is a GPU that becomes too hot, slows down, and cools: at 100 % utilization all the time.
func thermostat(seconds float64) power {
	return func(r *rand.Rand, till float64, gpu int) (l load) {
		own := seconds * (1 + 0.03*float64(gpu))
		for float64(len(l))*tenth < till {
			l.draw(own*0.6, 650)
			l.draw(own*0.4, 420)
		}
		return l
	}
}

// together is the power of one GPU for all.
func together(of power) power {
	return func(r *rand.Rand, till float64, _ int) load { return of(r, till, 0) }
}

// alone are steps of GPUs that do not wait for each other.
func alone(seconds float64) power {
	return func(r *rand.Rand, till float64, gpu int) load {
		return steps(seconds, 0.08, 0.7)(rand.New(rand.NewPCG(r.Uint64(), uint64(gpu))), till, gpu)
	}
}

// record is a watch of the shape: what each GPU has shown up to a moment.
func (s *shape) record(seed uint64, seconds float64, poll time.Duration, window float64) []PowerPast {
	gpus := make([]PowerPast, cmp.Or(s.gpus, 4))
	every := poll.Seconds()
	missing := rand.New(rand.NewPCG(seed, 99))
	phase := every * missing.Float64()
	var lost []bool
	var late []float64
	for t := phase; t < seconds; t += every {
		lost, late = append(lost, missing.Float64() < s.lost), append(late, s.late*missing.Float64())
	}
	for i := range gpus {
		of := s.power
		if s.own[i] != nil {
			of = s.own[i]
		}
		l := of(rand.New(rand.NewPCG(seed, 1)), seconds+10, i)
		noise := rand.New(rand.NewPCG(seed, uint64(i)+7))
		before := math.NaN()
		g := &gpus[i]
		for k := range lost {
			t := phase + every*float64(k) + late[k]
			mean, now, clock := math.NaN(), math.NaN(), math.NaN()
			if !lost[k] {
				if t-before < 1.5*every {
					mean = l.mean(before, t) * (1 + 0.2*s.noise*noise.NormFloat64())
				}
				now, clock = l.mean(t-window, t)*(1+s.noise*noise.NormFloat64()), 1980
				if s.clock != nil {
					clock = s.clock(now)
				}
				before = t
			}
			g.Mean, g.Now = append(g.Mean, float32(mean)), append(g.Now, float32(now))
			g.Clock = append(g.Clock, float32(clock))
		}
	}
	return gpus
}
