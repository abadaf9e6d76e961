package process

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// used is the CPU time that relatives had used when their node read it.
type used struct {
	at    time.Duration // on the clock of the node; 0: not known
	ticks map[wire.ProcessID]uint64
}

func usedBy(r *wire.Reply) used {
	u := used{at: time.Duration(r.ReadMS) * time.Millisecond, ticks: map[wire.ProcessID]uint64{}}
	for i := range r.Family {
		if k := &r.Family[i]; k.CPUTicks != nil {
			u.ticks[k.ProcessID] = *k.CPUTicks
		}
	}
	return u
}

// ticksPerSecond is the unit of wire.Relative.CPUTicks.
const ticksPerSecond = 100

// leastWindow is the shortest time from which a share is worked out: a node needs some milliseconds to read all
// processes.
const leastWindow = 500 * time.Millisecond

// mostWindow is the longest: the other processes have their shares of the last seconds.
const mostWindow = time.Minute

// measure works out the shares of the CPU since the answer before this one. Where that came a moment ago, its shares
// are repeated.
func (f *family) measure(old *family) {
	window := f.used.at - old.used.at
	// not known, the node has booted since, or nobody looked
	if old.used.at == 0 || f.used.at == 0 || window < 0 || window > mostWindow {
		return
	}
	repeats := window < leastWindow
	for _, w := range f.kin {
		id := wire.ProcessID{PID: w.PID, StartTicks: w.StartTicks}
		before, known := old.used.ticks[id]
		now, knownNow := f.used.ticks[id]
		switch {
		case repeats:
			w.CPUPercent = old.share(id)
		case known && knownNow && now >= before:
			w.CPUPercent = new(100 * float64(now-before) / ticksPerSecond / window.Seconds())
		}
	}
	if repeats {
		f.used = old.used
	}
}

// share is what is known of a relative's share of the CPU.
func (f *family) share(id wire.ProcessID) *float64 {
	for _, w := range f.kin {
		if w.PID == id.PID && w.StartTicks == id.StartTicks {
			return w.CPUPercent
		}
	}
	return nil
}
