package shapes

import (
	"math"
	"slices"
	"time"
)

// Program says what the GPUs of a job do. It draws its random times when a watch begins. A Work is the program of a GPU
// that always does the same.
type Program interface{ begin(r *rig) does }

// does says what a GPU does at a moment of the watch. The GPUs of all nodes count from 0. It may be asked about any
// moment, in any order. It is a Program without random times.
type does func(at time.Duration, gpu int) Work

// drawn is a Program with random times, or made of other programs.
type drawn func(r *rig) does

func (d does) begin(*rig) does    { return d }
func (d drawn) begin(r *rig) does { return d(r) }
func (w Work) begin(*rig) does    { return func(time.Duration, int) Work { return w } }

// choice is one of several programs at each moment: pick says which, and the time to ask it about.
func choice(pick func(at time.Duration, gpu int) (int, time.Duration), of ...Program) Program {
	return drawn(func(r *rig) does {
		begun := make([]does, len(of))
		for i, p := range of {
			begun[i] = p.begin(r)
		}
		return func(at time.Duration, gpu int) Work {
			i, at := pick(at, gpu)
			return begun[i](at, gpu)
		}
	})
}

// pick says which GPUs do something else, and when.
type pick func(at time.Duration, gpu int) bool

// where is a program that differs on the GPUs that a function picks.
func where(picked pick, other, all Program) Program {
	return choice(func(at time.Duration, gpu int) (int, time.Duration) {
		if picked(at, gpu) {
			return 0, at
		}
		return 1, at
	}, other, all)
}

// only is a program that differs on some GPUs.
func only(other, all Program, of ...int) Program {
	return where(func(_ time.Duration, gpu int) bool { return slices.Contains(of, gpu) }, other, all)
}

// gpus are the GPUs of the job from one number up to another, without it. node are those of a node of 8.
func gpus(from, to int) (list []int) {
	for gpu := from; gpu < to; gpu++ {
		list = append(list, gpu)
	}
	return list
}

func node(n int) []int { return gpus(8*n, 8*n+8) }

// from is a program that changes at a moment.
func from(when time.Duration, before, after Program) Program {
	return where(func(at time.Duration, _ int) bool { return at < when }, before, after)
}

// groups gives each group of GPUs a program that depends on no other group, by turns.
func groups(together int, of ...Program) Program {
	return drawn(func(r *rig) does {
		programs := make([]does, r.world()/together)
		for i := range programs {
			programs[i] = of[i%len(of)].begin(r)
		}
		return func(at time.Duration, gpu int) Work { return programs[gpu/together](at, gpu) }
	})
}

// own gives each GPU a program that depends on no other, by turns.
func own(of ...Program) Program { return groups(1, of...) }

// pauses is a program that does something else at these times. The other program is asked with the time since the pause
// began. GPUs enter and leave a pause up to a second apart.
func pauses(when times, other, usual Program) Program {
	return drawn(func(r *rig) does {
		spans := when(r)
		return choice(func(at time.Duration, gpu int) (int, time.Duration) {
			late := scattered(time.Second, uint64(gpu), 17)
			if i, in := within(spans, at-late); in {
				return 0, at - late - spans[i].from
			}
			return 1, at
		}, other, usual).begin(r)
	})
}

// part is a part of a program. It is asked with the time since it began.
type part struct {
	lasts time.Duration
	does  Program
}

// sequence runs its parts once, the last one forever.
func sequence(parts ...part) Program {
	var programs []Program
	for _, p := range parts {
		programs = append(programs, p.does)
	}
	return choice(func(at time.Duration, _ int) (int, time.Duration) {
		for i, p := range parts[:len(parts)-1] {
			if at < p.lasts {
				return i, at
			}
			at -= p.lasts
		}
		return len(parts) - 1, at
	}, programs...)
}

// cycle repeats its parts.
func cycle(parts ...part) Program {
	whole := time.Duration(0)
	for _, p := range parts {
		whole += p.lasts
	}
	return choice(func(at time.Duration, _ int) (int, time.Duration) { return 0, at % whole }, sequence(parts...))
}

// shifted is a program that each GPU runs ahead of the one before it.
func shifted(by time.Duration, p Program) Program {
	return choice(func(at time.Duration, gpu int) (int, time.Duration) {
		return 0, at + time.Duration(gpu)*by
	}, p)
}

// averaged is the driver's view of a program with short steps: the average of a window before the moment.
func averaged(window time.Duration, p Program) Program {
	const of = 10
	return drawn(func(r *rig) does {
		p := p.begin(r)
		return func(at time.Duration, gpu int) Work {
			out := p(at, gpu)
			for i := 1; i < of; i++ {
				out = mix(out, p(max(at-window*time.Duration(i)/of, 0), gpu), 1/float64(i+1))
			}
			return out
		}
	})
}

// wobbling varies the share of the time for which each GPU works: its own walk with this time constant.
func wobbling(seed uint64, slowly time.Duration, by float64, p Program) Program {
	return drawn(func(r *rig) does {
		p := p.begin(r)
		return func(at time.Duration, gpu int) Work {
			x := float64(at) / float64(slowly)
			i, f := math.Floor(x), x-math.Floor(x)
			f = f * f * (3 - 2*f)
			a, b := unit(seed, uint64(gpu), uint64(i)), unit(seed, uint64(gpu), uint64(i)+1)
			w := p(at, gpu)
			if w.Util < 5 {
				return w
			}
			return mix(w, w.with(func(w *Work) {
				w.Util, w.Memory, w.Power, w.NVLink, w.Net = 0, 0, ready.Power, 0, 0
			}), by*(a+f*(b-a)))
		}
	})
}
