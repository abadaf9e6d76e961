package pace

import (
	"math"
	"time"
)

// Jobs may have two roles that exchange data without being in step: prefill and decode, training and generation,
// teacher and student. GPUs in step exchange the same amount in each step, so two levels of traffic that persist are
// two roles.
const (
	// fewest is the least number of GPUs with a role; one GPU that differs may be slow. In large jobs it is the part
	// 1/rolePart of all.
	fewest   = 2
	rolePart = 16

	// persists is the time for which the levels must differ, in samples as well: nodes report at different moments of an
	// interval, so one of them may have paused for a sample or two more than another.
	persists    = time.Minute
	leastLevels = 3

	// busyRate is the share of the usual traffic that the higher level has at least: in a pause, as for a checkpoint,
	// all have less.
	busyRate = 0.2
)

// levels counts GPUs by their traffic: two classes for each doubling.
type levels [1 << (8 + 1)]uint32

// class is the exponent of the number and the first bit after its point.
func class(traffic float32) uint32 { return math.Float32bits(traffic) >> 22 }

// roles notes when GPUs of the job were last seen to have two roles.
func (j *Job) roles(at time.Time, passed time.Duration, gpus []*GPU) {
	if !j.twoLevels(gpus) {
		j.unlike = max(j.unlike-passed/2, 0)
		return
	}
	if least := max(persists, leastLevels*passed); j.unlike+passed < least {
		j.unlike += passed
	} else {
		if j.unlike = least; j.across && !j.inRoles(at) { // what was usual beside the other role does not count
			j.Groups = nil
			for _, g := range gpus {
				g.Share, g.Usual, g.compared = noShares, noShares, 0
			}
		}
		j.Split = at
	}
}

// twoLevels reports whether the GPUs exchange data at two levels now.
func (j *Job) twoLevels(gpus []*GPU) bool {
	var count levels
	low, high, n := uint32(len(count)), uint32(0), uint32(0)
	for _, g := range gpus {
		v := g.Mean[Link]
		if !(v >= 0) || g.Out || g.Lanes.Instead() && g.KernelsWait() { // where NVLink fell back to PCIe it is no role
			continue
		}
		c := class(v)
		count[c]++
		low, high, n = min(low, c), max(high, c), n+1
	}
	usual := float32(LeastLink)
	for i := range j.Groups {
		usual = max(usual, busyRate*j.Groups[i].Usual[Link])
	}
	least, below := max(fewest, n/rolePart), uint32(0)
	for c := low; c < high; c++ {
		if below += count[c]; count[c+1] == 0 && below >= least && n-below >= least && high >= class(usual) {
			return true
		}
	}
	return false
}

// inRoles reports whether GPUs of the job were seen to have two roles not long ago.
func (j *Job) inRoles(at time.Time) bool { return !j.Split.IsZero() && at.Sub(j.Split) <= apart }
