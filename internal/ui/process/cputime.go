package process

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// relativesTime is the CPU time that relatives had used at the time of a node's answer.
type relativesTime struct {
	at    time.Duration // on the clock of the node; 0: unknown
	ticks map[wire.ProcessID]uint64
}

func usedBy(r *wire.Reply) relativesTime {
	u := relativesTime{at: time.Duration(r.ReadMS) * time.Millisecond, ticks: map[wire.ProcessID]uint64{}}
	for i := range r.Family {
		if k := &r.Family[i]; k.CPUTicks != nil {
			u.ticks[k.ProcessID] = *k.CPUTicks
		}
	}
	return u
}

// ticksPerSecond is the unit of wire.Relative.CPUTicks.
const ticksPerSecond = 100

// leastWindow is the shortest time over which a share is computed, because a node needs some milliseconds to read all
// processes.
const leastWindow = 500 * time.Millisecond

// mostWindow is the longest time: the shares of the other processes also cover only the last seconds.
const mostWindow = time.Minute

// computeCPUShares computes the shares of the CPU since the previous answer. If that answer came a moment ago, its
// shares are reused.
func (f *family) computeCPUShares(old *family) {
	window := f.used.at - old.used.at
	// unknown, or the node has rebooted since, or nobody was looking
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
			w.CPUPercent = old.cpuShare(id)
		case known && knownNow && now >= before:
			w.CPUPercent = new(100 * float64(now-before) / ticksPerSecond / window.Seconds())
		}
	}
	if repeats {
		f.used = old.used
	}
}

// cpuShare returns a relative's share of the CPU; nil if unknown.
func (f *family) cpuShare(id wire.ProcessID) *float64 {
	for _, w := range f.kin {
		if w.PID == id.PID && w.StartTicks == id.StartTicks {
			return w.CPUPercent
		}
	}
	return nil
}
