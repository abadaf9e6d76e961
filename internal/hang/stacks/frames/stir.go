package frames

import (
	"fmt"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const (
	// UsualGap is the time between two looks that the limits are meant for.
	UsualGap = 5 * time.Second
	// IdleShare is the share of a CPU below which a thread is said to wait.
	IdleShare = 0.05
	// ticksPerSecond is the unit of CPU times.
	ticksPerSecond = 10 * time.Millisecond
	// restless is how often a thread must begin to wait within Usual to count as working in small steps: even one that
	// waits forever checks its timeouts now and then.
	restless = 3
	// someBytes is how much a process may read and write within Usual without counting as work: a line of a log.
	someBytes = 4 << 10
)

// Stir is what the kernel counted for a process or a thread between two looks at the same place.
type Stir struct {
	Took     time.Duration
	CPU      float64 // share of a CPU
	Runs     bool    // at the later look it ran, or waited for a CPU
	Switches uint64  // how often it began to wait
	Bytes    uint64  // read and written
	Known    KnownCounters
}

// KnownCounters says which of the counters are known.
type KnownCounters struct{ CPU, Switches, Bytes bool }

// scaledLimit scales a limit to the time between the two looks.
func (s *Stir) scaledLimit(limit uint64) uint64 {
	return uint64(float64(limit) * max(1, s.Took.Seconds()/UsualGap.Seconds()))
}

// Steps reports whether it has waited again and again.
func (s *Stir) Steps() bool { return s.Switches >= s.scaledLimit(restless) }

// Computes reports whether it used a CPU, or would have if the node were not busy.
func (s *Stir) Computes() bool { return s.CPU >= IdleShare || s.Runs }

// Transfers reports whether it has read or written.
func (s *Stir) Transfers() bool { return s.Bytes > s.scaledLimit(someBytes) }

// Works reports whether the kernel has counted work.
func (s *Stir) Works() bool { return s.Steps() || s.Computes() || s.Transfers() }

// IsStill reports whether nothing in it moves, as far as the kernel counts.
func (s *Stir) IsStill() bool { return !s.Works() && !s.IsUnknown() }

// IsUnknown reports whether something about its threads is not known. Bytes do not matter: they are counted per
// process.
func (s *Stir) IsUnknown() bool { return !s.Known.CPU || !s.Known.Switches }

// Words says what was counted: "has begun to wait 467 times".
func (s *Stir) Words() string {
	switch {
	case s.Transfers():
		return "has read or written " + BytesText(s.Bytes)
	case s.Runs && s.CPU < IdleShare:
		return "runs, and gets little of a CPU"
	case s.Computes():
		return fmt.Sprintf("has used %.0f%% of a CPU", 100*s.CPU)
	case s.Steps():
		return fmt.Sprintf("has begun to wait %d times: it works in small steps", s.Switches)
	}
	return ""
}

// ThreadStir compares the kernel's counters of a thread.
func ThreadStir(was, is *wire.ThreadStack, from, to uint64) (s Stir) {
	if from == 0 || to <= from {
		return Stir{}
	}
	s.Took, s.Runs = time.Duration(to-from)*time.Millisecond, is.State == "R"
	var ran uint64
	ran, s.Known.CPU = counterGrowth(was.CPUTicks, is.CPUTicks)
	s.Switches, s.Known.Switches = counterGrowth(was.Switches, is.Switches)
	s.CPU = float64(time.Duration(ran)*ticksPerSecond) / float64(s.Took)
	return s
}

// counterGrowth returns the difference of two counters; false: it is not known.
func counterGrowth(was, is *uint64) (by uint64, known bool) {
	if was == nil || is == nil || *is < *was {
		return 0, false
	}
	return *is - *was, true
}

// DecidingThreads returns the thread that decides whether the main thread goes on, at both looks: the main thread
// itself, or the one that holds the interpreter's lock both times. A thread that waits for that lock checks it every 5
// ms.
func DecidingThreads(before, now *wire.ProcessStacks) (was, is *wire.ThreadStack) {
	was, is = MainThread(before), MainThread(now)
	a, b := LockHolder(before), LockHolder(now)
	if a == nil || b == nil || a.TID == 0 || a.TID != b.TID || !slices.Equal(a.Frames, b.Frames) {
		return was, is
	}
	return a, b
}

// LockHolder returns the thread that holds the interpreter's lock; nil: there is none, or it is not known.
func LockHolder(p *wire.ProcessStacks) *wire.ThreadStack {
	at := slices.IndexFunc(p.Threads, func(t wire.ThreadStack) bool { return t.GIL != nil && *t.GIL })
	if at < 0 {
		return nil
	}
	return &p.Threads[at]
}

// ProcessStir returns what the kernel counted for a process: the bytes and CPU time of all its threads. How often a
// thread began to wait counts for the main thread, and for threads that run Python if the main one may wait for them.
func ProcessStir(before, now *wire.ProcessStacks, from, to uint64) Stir {
	was, is := MainThread(before), MainThread(now)
	if was == nil || is == nil {
		return Stir{}
	}
	was, is = DecidingThreads(before, now)
	s := ThreadStir(was, is, from, to)
	s.Bytes, s.Known.Bytes = counterGrowth(before.IOBytes, now.IOBytes)
	threads := map[int]*wire.ThreadStack{}
	for i := range before.Threads {
		threads[before.Threads[i].TID] = &before.Threads[i]
	}
	for i := range now.Threads {
		t := &now.Threads[i]
		if t == is || t.TID == 0 || threads[t.TID] == nil {
			continue
		}
		other := ThreadStir(threads[t.TID], t, from, to)
		s.CPU += other.CPU
		if len(t.Frames) > 0 && WaitsForThread(is.Frames) {
			s.Switches = max(s.Switches, other.Switches)
		}
	}
	return s
}

// BytesText writes a number of bytes.
func BytesText(n uint64) string {
	switch {
	case n < 1<<20:
		return fmt.Sprintf("%d KiB", n>>10)
	case n < 10<<30:
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d GiB", n>>30)
}

// MainThread returns the first thread of a process; nil: it is not known.
func MainThread(p *wire.ProcessStacks) *wire.ThreadStack {
	if p == nil || len(p.Threads) == 0 {
		return nil
	}
	at := slices.IndexFunc(p.Threads, func(t wire.ThreadStack) bool { return t.Main })
	return &p.Threads[max(at, 0)]
}
