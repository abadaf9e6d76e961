package cluster

import "slices"

// Missing lists the job's GPUs on one node that are not seen. The zero value means none, as far as is known.
type Missing struct {
	Count   int
	Numbers []int // of the missing GPUs, in order; nil if they are unknown
	Of      int   // GPUs that SLURM allocated to the job on the node

	// Certain is false if SLURM may just number the GPUs differently from the driver.
	Certain bool

	// Hidden says that the probe runs in the cgroup of another job, Cgroup, and sees none of this job's GPUs: all count
	// as missing.
	Hidden bool
	Cgroup string
}

// Missing compares the GPUs that SLURM allocated to the job on node n with the GPUs in the node's last report. It
// reports none missing if either side is unknown. That is the case if SLURM does not say which GPUs the job has, if the
// driver does not work, if MIG is on (SLURM then counts instances), or if the probe is in an unknown job, whose cgroup
// may hide GPUs.
func (j *Job) Missing(n *Node) Missing {
	count, _ := j.GPUsOn(n.Name)
	if count == 0 || n.Hello == nil || n.Hello.Fault != "" || n.Hello.SLUID != "" || !n.HasNumbers() {
		return Missing{}
	}
	m := Missing{Of: count}
	switch share := j.Share(n); {
	case share.Known && !share.all:
		m = j.completeMissing(n, m)
	case j.inCgroup(n): // the number of GPUs is known, but not their identity
		m = m.withCount(count-len(n.GPUs), false)
	default:
		return Missing{}
	}
	if m.Count > 0 && n.AnyGPU(mayHaveMIG) { // last: it checks all cards, for each node and frame
		return Missing{}
	}
	return m
}

// completeMissing completes m if SLURM's indices are minor numbers.
func (j *Job) completeMissing(n *Node, m Missing) Missing {
	minors := j.Minors[n.Name]
	for _, minor := range minors {
		if !n.HasGPU(minor) {
			m.Numbers = append(m.Numbers, minor)
		}
	}
	slices.Sort(m.Numbers)
	switch {
	case len(m.Numbers) == 0:
		return Missing{}
	case j.areGPUsHidden(n, len(m.Numbers)):
		m.Count, m.Certain, m.Hidden, m.Cgroup = len(m.Numbers), true, true, n.Hello.Job
	case j.SeesOnlyIts(n):
		return m.withCount(m.Of-n.countNumbered(), true)
	case n.seesAllGPUs(len(minors)):
		longer := 0 // numbers beyond the end of a list as long as the driver's
		for _, minor := range minors {
			if minor >= len(n.GPUs) {
				longer++
			}
		}
		if longer > 0 {
			return m.withCount(min(longer, len(m.Numbers)), n.numberedByIndex())
		}
		m.Count = len(m.Numbers)
	default:
		return Missing{}
	}
	return m
}

// withCount returns m with count GPUs that are certainly missing. It keeps their numbers if SLURM and the driver number
// GPUs alike.
func (m Missing) withCount(count int, agree bool) Missing {
	if count <= 0 {
		return Missing{}
	}
	m.Count, m.Certain = count, true
	if !agree || len(m.Numbers) != count {
		m.Numbers = nil
	}
	return m
}

// areGPUsHidden reports whether the node's probe is in the cgroup of another job and sees none of this job's GPUs.
func (j *Job) areGPUsHidden(n *Node, missing int) bool {
	return n.Hello.Job != "" && n.Hello.Job != j.Number && missing == len(j.Minors[n.Name]) &&
		n.countNumbered() == len(n.GPUs)
}

// SeesOnlyIts reports whether the node's probe sees the job's GPUs and no others. A probe in the cgroup of another job
// may see some of them, if the jobs share GPUs.
func (j *Job) SeesOnlyIts(n *Node) bool {
	minors := j.Minors[n.Name]
	if len(n.GPUs) > len(minors) || n.Hello.Job != "" && n.Hello.Job != j.Number {
		return false
	}
	return n.Hello.Job != "" || !n.AnyGPU(func(g *GPU) bool {
		return g.Number != NoNumber && !slices.Contains(minors, g.Number)
	})
}

// seesAllGPUs reports whether the node's probe sees all GPUs of the node: it is in no job's cgroup, or it sees more
// GPUs than the job has.
func (n *Node) seesAllGPUs(minors int) bool { return n.Hello.Job == "" || len(n.GPUs) > minors }

// numberedByIndex reports whether the number of each GPU is its index in NVML's list.
func (n *Node) numberedByIndex() bool {
	return !n.AnyGPU(func(g *GPU) bool { return g.Number != g.Card.Index })
}

// HasGPU reports whether a GPU with that number is seen.
func (n *Node) HasGPU(number int) bool {
	return n.AnyGPU(func(g *GPU) bool { return g.Number == number })
}

// countNumbered returns how many GPUs of the node have a number.
func (n *Node) countNumbered() int {
	count := 0
	for i := range n.GPUs {
		if n.GPUs[i].Number != NoNumber {
			count++
		}
	}
	return count
}

// AnyGPU reports whether any GPU satisfies a test. It does not copy the GPUs, which are large.
func (n *Node) AnyGPU(so func(*GPU) bool) bool {
	for i := range n.GPUs {
		if so(&n.GPUs[i]) {
			return true
		}
	}
	return false
}

func mayHaveMIG(g *GPU) bool { return g.Card.MIG || g.Card.MIGUnknown || g.Instance() }
