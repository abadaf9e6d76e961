package shapes

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// Program says what a GPU of the job does at a moment of the watch. The GPUs of all nodes count from 0. It may be asked
// about any moment, in any order. A Work is the program of a GPU that always does the same.
type Program interface {
	at(at time.Duration, gpu int) Work
}

// does is a Program.
type does func(at time.Duration, gpu int) Work

func (d does) at(at time.Duration, gpu int) Work { return d(at, gpu) }

func (w Work) at(time.Duration, int) Work { return w }

// span is a period of time.
type span struct{ from, to time.Duration }

func (s span) has(at time.Duration) bool { return at >= s.from && at < s.to }

func within(spans []span, at time.Duration) (span, bool) {
	i, _ := slices.BinarySearchFunc(spans, at, func(s span, at time.Duration) int {
		if s.to <= at {
			return -1
		}
		return 1
	})
	if i < len(spans) && spans[i].has(at) {
		return spans[i], true
	}
	return span{}, false
}

// about returns a time that varies by a share of it.
func about(r *rand.Rand, d time.Duration, by float64) time.Duration {
	return time.Duration(float64(d) * (1 + by*(2*r.Float64()-1)))
}

// every returns spans at a mean interval, each of about the same length.
func (r *rig) every(often, lasts time.Duration) []span {
	var spans []span
	for at := time.Duration(float64(often) * (0.3 + 0.7*r.Float64())); at < r.Length; {
		s := span{at, at + about(r.Rand, lasts, 0.1)}
		spans = append(spans, s)
		at = s.from + about(r.Rand, often, 0.04)
	}
	return spans
}

// each gives the GPUs different works, by turns.
func each(works ...Work) does {
	return func(_ time.Duration, gpu int) Work { return works[gpu%len(works)] }
}

// only is a program that differs on some GPUs.
func only(other, all Program, of ...int) does {
	return func(at time.Duration, gpu int) Work {
		if slices.Contains(of, gpu) {
			return other.at(at, gpu)
		}
		return all.at(at, gpu)
	}
}

// where is a program that differs on the GPUs that a function picks.
func where(picks func(gpu int) bool, other, all Program) does {
	return func(at time.Duration, gpu int) Work {
		if picks(gpu) {
			return other.at(at, gpu)
		}
		return all.at(at, gpu)
	}
}

// first picks the first GPUs of the job, onNode those of a node of 8.
func first(n int) func(int) bool  { return func(gpu int) bool { return gpu < n } }
func onNode(n int) func(int) bool { return func(gpu int) bool { return gpu/8 == n } }

// from is a program that changes at a moment.
func from(when time.Duration, before, after Program) does {
	return func(at time.Duration, gpu int) Work {
		if at < when {
			return before.at(at, gpu)
		}
		return after.at(at, gpu)
	}
}

// pauses is a program that does something else in these spans. The other program is asked with the time since the span
// began. GPUs enter and leave a span up to a second apart.
func pauses(spans []span, during, usual Program) does {
	return func(at time.Duration, gpu int) Work {
		late := time.Duration(float64(time.Second) * unit(uint64(gpu), 17))
		if s, in := within(spans, at-late); in {
			return during.at(at-late-s.from, gpu)
		}
		return usual.at(at, gpu)
	}
}

// part is a part of a cycle.
type part struct {
	lasts time.Duration
	does  Program
}

// cycle repeats its parts. The parts are asked with the time since the part began.
func cycle(parts ...part) does {
	whole := time.Duration(0)
	for _, p := range parts {
		whole += p.lasts
	}
	return func(at time.Duration, gpu int) Work {
		into := at % whole
		for _, p := range parts {
			if into < p.lasts {
				return p.does.at(into, gpu)
			}
			into -= p.lasts
		}
		panic("unreachable")
	}
}

// sequence runs its parts once, the last one forever.
func sequence(parts ...part) does {
	return func(at time.Duration, gpu int) Work {
		for _, p := range parts[:len(parts)-1] {
			if at < p.lasts {
				return p.does.at(at, gpu)
			}
			at -= p.lasts
		}
		return parts[len(parts)-1].does.at(at, gpu)
	}
}

// averaged is the driver's view of a program with short steps: the average of a window before the moment.
func averaged(window time.Duration, p Program) does {
	const of = 10
	return func(at time.Duration, gpu int) Work {
		out := p.at(at, gpu)
		for i := 1; i < of; i++ {
			out = mix(out, p.at(max(at-window*time.Duration(i)/of, 0), gpu), 1/float64(i+1))
		}
		return out
	}
}

// shifted is a program that each GPU runs with its own delay.
func shifted(delays []time.Duration, p Program) does {
	return func(at time.Duration, gpu int) Work { return p.at(at+delays[gpu%len(delays)], gpu) }
}

// wobbling varies the share of the time for which each GPU works: its own walk with this time constant.
func wobbling(seed uint64, slowly time.Duration, by float64, p Program) does {
	return func(at time.Duration, gpu int) Work {
		x := float64(at) / float64(slowly)
		i, f := math.Floor(x), x-math.Floor(x)
		f = f * f * (3 - 2*f)
		a, b := unit(seed, uint64(gpu), uint64(i)), unit(seed, uint64(gpu), uint64(i)+1)
		w := p.at(at, gpu)
		if w.Util < 5 {
			return w
		}
		return mix(w, w.with(func(w *Work) {
			w.Util, w.Memory, w.Power, w.NVLink, w.Net = 0, 0, ready.Power, 0, 0
		}), by*(a+f*(b-a)))
	}
}

// unit is a number from 0 to 1 that depends on these numbers alone.
func unit(of ...uint64) float64 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, v := range of {
		h ^= v + 0x9e3779b97f4a7c15 + h<<6 + h>>2
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
	}
	return float64(h>>11) / (1 << 53)
}
