package pace

import (
	"math"
	"slices"
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

const (
	// newRoles stands for the share of the GPUs that has changed its role when two roles are seen first, fewSwaps is the
	// share up to which the roles are told: after 5 minutes, if none changes.
	newRoles, fewSwaps = 0.12, 0.1

	noRole uint8 = iota - 1
	busier       // with more traffic
	calmer
)

// Role is what some GPUs of a job do, at the last comparison.
type Role struct {
	GPUs int
	Util float32 // the mean of their utilizations, in percent; NaN: unknown
}

// levels counts GPUs by their traffic: two classes for each doubling.
type levels [1 << (8 + 1)]uint32

// trafficClass is the exponent of the number and the first bit after its point.
func trafficClass(traffic float32) uint32 { return math.Float32bits(traffic) >> 22 }

// noteRoles notes when GPUs of the job were last seen to have two roles.
func (j *Job) noteRoles(at time.Time, passed time.Duration, gpus []*GPU) {
	j.swaps *= 1 - weightOf(passed, apart)
	if !j.Split.IsZero() && !j.inRoles(at) { // all are compared again: what was usual within a role does not count
		j.Split = time.Time{}
		j.forgetUsual(gpus)
	}
	low, differ := j.twoLevels(gpus)
	if j.differ = differ; !differ {
		j.unlike = max(j.unlike-passed/2, 0)
		return
	}
	if least := max(persists, leastLevels*passed); j.unlike+passed < least {
		j.unlike += passed
		j.differ = j.unlike >= least/2
	} else {
		if j.unlike = least; j.across && !j.inRoles(at) { // what was usual beside the other role does not count
			j.forgetUsual(gpus)
		}
		if !j.inRoles(at) {
			j.swaps = newRoles
		}
		j.Split = at
		j.assignRoles(passed, gpus, low)
	}
}

// forgetUsual drops what is usual, as other GPUs are compared from now on.
func (j *Job) forgetUsual(gpus []*GPU) {
	j.Groups = nil
	for _, g := range gpus {
		g.Share, g.Usual, g.compared = noShares, noShares, 0
	}
}

// assignRoles gives GPUs their roles, those that they are seen in for most of the time. low is the highest class of the
// lower level. Which role has more traffic may change.
func (j *Job) assignRoles(passed time.Duration, gpus []*GPU, low uint32) {
	same, other := 0, 0
	for _, g := range gpus {
		switch g.role {
		case noRole:
		case currentRole(g, low):
			same++
		default:
			other++
		}
	}
	for _, g := range gpus {
		r := currentRole(g, low)
		if other > same {
			r = [...]uint8{noRole, calmer, busier}[r]
		}
		switch {
		case r == noRole:
		case g.role == noRole:
			g.role = r
		case g.role == r:
			g.sure = min(g.sure+passed, persists)
		case g.sure > passed:
			g.sure -= passed
		default:
			g.role, g.sure = r, 0
			j.swaps += 1 / float32(len(gpus))
		}
	}
}

// currentRole is the role of a GPU with the traffic that it has now.
func currentRole(g *GPU, low uint32) uint8 {
	switch v := g.Mean[Link]; {
	case !(v >= 0):
		return noRole
	case trafficClass(v) <= low:
		return calmer
	}
	return busier
}

// Roles returns the two roles of the job's GPUs, if it was seen to have two not long ago; otherwise nil, and also if
// the GPUs change their roles, or are not known to exchange data, as those of programs that work alone.
func (j *Job) Roles(gpus []*GPU) []Role {
	if !j.inRoles(j.at) || j.swaps > fewSwaps ||
		!slices.ContainsFunc(j.Groups, func(g Group) bool { return g.Evidence != None }) {
		return nil
	}
	all := make([]Role, 2)
	for _, g := range gpus {
		if g.role != noRole {
			all[g.role-busier].GPUs++
			all[g.role-busier].Util += g.Mean[Util]
		}
	}
	for i := range all {
		if all[i].GPUs == 0 { // they do not report now
			return nil
		}
		all[i].Util /= float32(all[i].GPUs)
	}
	return all
}

// twoLevels reports whether the GPUs exchange data at two levels now, and the highest class of the lower one.
func (j *Job) twoLevels(gpus []*GPU) (uint32, bool) {
	var count levels
	low, high, n := uint32(len(count)), uint32(0), uint32(0)
	for _, g := range gpus {
		v := g.Mean[Link]
		if !(v >= 0) || g.Out || g.Lanes.Instead() && g.KernelsWait() { // where NVLink fell back to PCIe it is no role
			continue
		}
		c := trafficClass(v)
		count[c]++
		low, high, n = min(low, c), max(high, c), n+1
	}
	usual := float32(LeastLink)
	for i := range j.Groups {
		if link := busyRate * j.Groups[i].Usual[Link]; link > usual { // unknown where GPUs are not busy
			usual = link
		}
	}
	least, below := max(fewest, n/rolePart), uint32(0)
	for c := low; c < high; c++ {
		if below += count[c]; count[c+1] == 0 && below >= least && n-below >= least && high >= trafficClass(usual) {
			return c, true
		}
	}
	return 0, false
}

// inRoles reports whether GPUs of the job were seen to have two roles not long ago.
func (j *Job) inRoles(at time.Time) bool { return !j.Split.IsZero() && at.Sub(j.Split) <= apart }
