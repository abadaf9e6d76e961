package pace

import (
	"math"
	"slices"
	"time"
)

// Jobs may have two roles that exchange data without being in step: prefill and decode, training and generation,
// teacher and student. GPUs in step exchange the same amount in each step, so two lasting levels of traffic are two
// roles.
const (
	// fewest is the least number of GPUs with a role: a single GPU that differs may be slow. In large jobs the least
	// number is the part 1/rolePart of all.
	fewest   = 2
	rolePart = 16

	// persists is how long the levels must differ. It also counts in samples: nodes report at different moments of an
	// interval, so one of them may have paused for a sample or two more than another.
	persists    = time.Minute
	leastLevels = 3

	// busyRate is the least share of the usual traffic on the higher level. In a pause, as for a checkpoint, all have
	// less.
	busyRate = 0.2
)

const (
	// newRoles is the assumed share of the GPUs that have changed their role, at the time when two roles are first
	// seen. fewSwaps is the largest share at which the roles are reported: that takes 5 minutes if no GPU changes its
	// role.
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

// trafficHistogram counts GPUs by their traffic, in two classes per factor of two.
type trafficHistogram [1 << (8 + 1)]uint32

// trafficClass returns the exponent of the number and the first bit of its fraction.
func trafficClass(traffic float32) uint32 { return math.Float32bits(traffic) >> 22 }

// noteRoles notes when GPUs of the job were last seen to have two roles.
func (j *Job) noteRoles(at time.Time, passed time.Duration, gpus []*GPU) {
	j.swaps *= 1 - weightOf(passed, apart)
	if !j.Split.IsZero() && !j.inRoles(at) { // all are compared again: what was usual within a role no longer counts
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
		if j.unlike = least; j.across && !j.inRoles(at) { // what was usual beside the other role no longer counts
			j.forgetUsual(gpus)
		}
		if !j.inRoles(at) {
			j.swaps = newRoles
		}
		j.Split = at
		j.assignRoles(passed, gpus, low)
	}
}

// forgetUsual drops the usual values, because the GPUs are compared with other GPUs from now on.
func (j *Job) forgetUsual(gpus []*GPU) {
	j.Groups = nil
	for _, g := range gpus {
		g.Share, g.Usual, g.compared = noShares, noShares, 0
	}
}

// assignRoles gives each GPU the role in which it is seen most of the time. low is the highest class of the lower
// level. The role with more traffic may change.
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

// currentRole returns the role of a GPU according to its present traffic.
func currentRole(g *GPU, low uint32) uint8 {
	switch v := g.Mean[Link]; {
	case !(v >= 0):
		return noRole
	case trafficClass(v) <= low:
		return calmer
	}
	return busier
}

// Roles returns the two roles of the job's GPUs, if the job was recently seen to have two. It returns nil otherwise, or
// if the GPUs change their roles, or if they are not known to exchange data, like those of programs that work alone.
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
		if all[i].GPUs == 0 { // its GPUs do not report now
			return nil
		}
		all[i].Util /= float32(all[i].GPUs)
	}
	return all
}

// twoLevels reports whether the GPUs exchange data at two levels now, and the highest class of the lower one.
func (j *Job) twoLevels(gpus []*GPU) (uint32, bool) {
	var count trafficHistogram
	low, high, n := uint32(len(count)), uint32(0), uint32(0)
	for _, g := range gpus {
		v := g.Mean[Link]
		if !(v >= 0) || g.Out || g.Lanes.Instead() && g.KernelsWait() { // NVLink that fell back to PCIe is no role
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
