package stacks

import (
	"fmt"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/stacks/frames"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const (
	// restless is the number of times that a thread begins to wait within Between from which on it works in small steps:
	// one that waits for ever looks at its timeouts now and then.
	restless = 3
	// someBytes is what a process reads and writes within Between without work: a line of a log.
	someBytes = 4 << 10
)

// stir is what the kernel has counted of a process or a thread between two looks at the same place.
type stir struct {
	took     time.Duration
	cpu      float64 // share of a CPU
	runs     bool    // it ran, or waited for a CPU, at the later look
	switches uint64  // how often it has begun to wait
	bytes    uint64  // that it has read and written
	unknown  bool    // something of it is not known
}

// scaled is a limit for the time between two looks.
func (s *stir) scaled(limit uint64) uint64 {
	return uint64(float64(limit) * max(1, s.took.Seconds()/Between.Seconds()))
}

// steps reports whether it has waited again and again.
func (s *stir) steps() bool { return s.switches >= s.scaled(restless) }

// computes reports whether it has used a CPU, or would if the node were not busy.
func (s *stir) computes() bool { return s.cpu >= idle || s.runs }

// transfers reports whether it has read or written.
func (s *stir) transfers() bool { return s.bytes > s.scaled(someBytes) }

// works reports whether the kernel has counted work.
func (s *stir) works() bool { return s.steps() || s.computes() || s.transfers() }

// still reports whether nothing of it moves, as far as the kernel counts.
func (s *stir) still() bool { return !s.works() && !s.unknown }

// words say what was counted: "has begun to wait 467 times".
func (s *stir) words() string {
	switch {
	case s.transfers():
		return "has read or written " + sizeOf(s.bytes)
	case s.runs && s.cpu < idle:
		return "runs, and gets little of a CPU"
	case s.computes():
		return fmt.Sprintf("has used %.0f%% of a CPU", 100*s.cpu)
	case s.steps():
		return fmt.Sprintf("has begun to wait %d times: it works in small steps", s.switches)
	}
	return ""
}

// stirOf compares what the kernel counts of a thread.
func stirOf(was, is *wire.ThreadStack, from, to uint64) (s stir) {
	if from == 0 || to <= from {
		return stir{unknown: true}
	}
	s.took = time.Duration(to-from) * time.Millisecond
	ran, knowsCPU := grown(was.CPUTicks, is.CPUTicks)
	switches, knowsSwitches := grown(was.Switches, is.Switches)
	s.cpu, s.switches = float64(time.Duration(ran)*ticks)/float64(s.took), switches
	s.unknown, s.runs = !knowsCPU || !knowsSwitches, is.State == "R"
	return s
}

// grown is the difference of two counters; false: it is not known.
func grown(was, is *uint64) (by uint64, known bool) {
	if was == nil || is == nil || *is < *was {
		return 0, false
	}
	return *is - *was, true
}

// deciding returns the thread that decides whether the main one goes on, at two looks: itself, or the one that has the
// interpreter's lock both times. Who waits for that lock looks at it every 5 ms.
func deciding(before, now *wire.ProcessStacks) (was, is *wire.ThreadStack) {
	was, is = main(before), main(now)
	a, b := holder(before), holder(now)
	if a == nil || b == nil || a.TID == 0 || a.TID != b.TID || !equalFrames(a, b) {
		return was, is
	}
	return a, b
}

// holder returns the thread that has the interpreter's lock; nil: none, or it is not known.
func holder(p *wire.ProcessStacks) *wire.ThreadStack {
	at := slices.IndexFunc(p.Threads, func(t wire.ThreadStack) bool { return t.GIL != nil && *t.GIL })
	if at < 0 {
		return nil
	}
	return &p.Threads[at]
}

// wholeStir is what the kernel has counted of a process: bytes and CPU of all its threads. Times at which a thread has
// begun to wait count for the main thread, and for those that run Python if the main one may wait for them.
func wholeStir(before, now *wire.ProcessStacks, from, to uint64) stir {
	was, is := main(before), main(now)
	if was == nil || is == nil {
		return stir{unknown: true}
	}
	was, is = deciding(before, now)
	s := stirOf(was, is, from, to)
	s.bytes, _ = grown(before.IOBytes, now.IOBytes)
	threads := map[int]*wire.ThreadStack{}
	for i := range before.Threads {
		threads[before.Threads[i].TID] = &before.Threads[i]
	}
	for i := range now.Threads {
		t := &now.Threads[i]
		if t == is || t.TID == 0 || threads[t.TID] == nil {
			continue
		}
		other := stirOf(threads[t.TID], t, from, to)
		s.cpu += other.cpu
		if len(t.Frames) > 0 && frames.WaitsForThread(is.Frames) {
			s.switches = max(s.switches, other.switches)
		}
	}
	return s
}

// stirs are what the kernel has counted of a rank and of its descendants.
type stirs struct {
	own    stir
	worker *wire.ProcessStacks // that works; nil: none is seen to
	of     stir                // what was counted of it
}

// work returns what the kernel has counted of a rank between the looks.
func (p *Pair) work(r *Rank) (s stirs) {
	before := p.before[process{r.Node, r.ProcessID}]
	if before == nil || before.Process == nil || r.Process == nil {
		return stirs{own: stir{unknown: true}}
	}
	s.own = wholeStir(before.Process, r.Process, before.readMS, r.readMS)
	was := map[wire.ProcessID]*wire.ProcessStacks{}
	for i := range before.Workers {
		was[before.Workers[i].ProcessID] = &before.Workers[i]
	}
	for i := range r.Workers {
		w := &r.Workers[i]
		if was[w.ProcessID] == nil || halted(w) {
			continue
		}
		if of := wholeStir(was[w.ProcessID], w, before.readMS, r.readMS); of.works() || elsewhere(was[w.ProcessID], w) {
			s.worker, s.of = w, of
			break
		}
	}
	return s
}

// goesOn reports whether a rank was elsewhere at another look, or the kernel has counted steps or bytes of it or of its
// descendants: an endless loop has neither, nor has a wait for others to come, which polls.
func (p *Pair) goesOn(r *Rank) bool {
	s := p.work(r)
	steps := s.own.steps() && !frames.Meets(r.frames())
	return p.Motion(r) == Moves || steps || s.own.transfers() ||
		s.worker != nil && (s.of.steps() || s.of.transfers() || !s.of.works())
}

// elsewhere reports whether the main thread of a process was in another line before.
func elsewhere(before, now *wire.ProcessStacks) bool {
	was, is := main(before), main(now)
	return was != nil && is != nil && (is.Moving || !equalFrames(was, is))
}

// sizeOf writes a number of bytes.
func sizeOf(n uint64) string {
	switch {
	case n < 1<<20:
		return fmt.Sprintf("%d KiB", n>>10)
	case n < 10<<30:
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d GiB", n>>30)
}
