package cluster

import "slices"

// Missing says which of a job's GPUs on one node nobody sees. The zero value: none that is known.
type Missing struct {
	Count   int   // how many
	Numbers []int // which, in order; nil when the numbers cannot be told
	Of      int   // GPUs that SLURM gave to the job on the node

	// Certain: they are not there. Otherwise SLURM may just number the GPUs in another way than the driver.
	Certain bool

	// Hidden: the probe runs in the cgroup of another job, Cgroup, and sees only that job's GPUs. All of this job's count as missing.
	Hidden bool
	Cgroup string
}

// Missing compares the GPUs that SLURM gave to the job on node n with those in the node's last report. Nothing is missing where one of
// the two is not known: SLURM does not say which GPUs they are, the driver is away, or a GPU has MIG on (SLURM then counts instances).
func (j *Job) Missing(n *Node) Missing {
	minors := j.Minors[n.Name]
	if len(minors) == 0 || n.Hello == nil || n.Hello.Fault != "" || !n.hasNumbers() || slices.ContainsFunc(n.GPUs, mayHaveMIG) {
		return Missing{}
	}
	m := Missing{Of: len(minors)}
	for _, minor := range minors {
		if !n.has(minor) {
			m.Numbers = append(m.Numbers, minor)
		}
	}
	slices.Sort(m.Numbers)
	switch {
	case len(m.Numbers) == 0:
		return Missing{}
	case j.hidden(n, len(m.Numbers)):
		m.Count, m.Certain, m.Hidden, m.Cgroup = len(m.Numbers), true, true, n.Hello.Job
	case j.onlyIts(n):
		return m.counted(m.Of-n.placed(), true)
	case n.whole(len(minors)):
		longer := 0 // numbers that a list as long as the driver's does not have
		for _, minor := range minors {
			if minor >= len(n.GPUs) {
				longer++
			}
		}
		if longer > 0 {
			return m.counted(min(longer, len(m.Numbers)), n.numberedByIndex())
		}
		m.Count = len(m.Numbers)
	default:
		return Missing{}
	}
	return m
}

// counted is m where count GPUs are missing for certain. Their numbers are told where those of SLURM and of the driver agree.
func (m Missing) counted(count int, agree bool) Missing {
	if count <= 0 {
		return Missing{}
	}
	m.Count, m.Certain = count, true
	if !agree || len(m.Numbers) != count {
		m.Numbers = nil
	}
	return m
}

// hidden reports whether the node's probe sits in the cgroup of another job, where it sees none of this job's GPUs.
func (j *Job) hidden(n *Node, missing int) bool {
	return n.Hello.Job != "" && n.Hello.Job != j.Number && missing == len(j.Minors[n.Name]) && n.placed() == len(n.GPUs)
}

// onlyIts reports whether the node's probe sees the job's GPUs and no others.
func (j *Job) onlyIts(n *Node) bool {
	minors := j.Minors[n.Name]
	if len(n.GPUs) > len(minors) {
		return false
	}
	return n.Hello.Job == j.Number && n.Hello.Job != "" || !slices.ContainsFunc(n.GPUs, func(g GPU) bool {
		return g.Number != NoNumber && !slices.Contains(minors, g.Number)
	})
}

// whole reports whether the node's probe sees all GPUs of the node: it is in no job's cgroup, or sees more than the job has.
func (n *Node) whole(minors int) bool { return n.Hello.Job == "" || len(n.GPUs) > minors }

// numberedByIndex reports whether the driver's numbers of the GPUs are those of NVML's list.
func (n *Node) numberedByIndex() bool {
	return !slices.ContainsFunc(n.GPUs, func(g GPU) bool { return g.Number != g.Card.Index })
}

// has reports whether the GPU with that number has been seen.
func (n *Node) has(number int) bool {
	return slices.ContainsFunc(n.GPUs, func(g GPU) bool { return g.Number == number })
}

// placed is how many GPUs of the node have a number.
func (n *Node) placed() int {
	count := 0
	for i := range n.GPUs {
		if n.GPUs[i].Number != NoNumber {
			count++
		}
	}
	return count
}

func mayHaveMIG(g GPU) bool { return g.Card.MIG || g.Card.MIGUnknown }
