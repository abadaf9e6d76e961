package wire

import "github.com/nvnodetop/nvnodetop/internal/wire/metric"

// change applies the changes in l to p.
func (p *Process) change(l *processLine) {
	if l.State != "" {
		p.State = l.State
	}
	for _, a := range amounts {
		a.change(p, l)
	}
}

// expectedProcess returns a process of the last listing as it should be at the time of host: older.
func (m *reportMemory) expectedProcess(at int, host *Host) *Process {
	p := m.listing[at]
	then, known1 := m.listed.Get(metric.Uptime)
	now, known2 := host.Get(metric.Uptime)
	if p.ElapsedSec != nil && known1 && known2 {
		age := *p.ElapsedSec + int64(now-then)
		p.ElapsedSec = &age
	}
	return &p
}

// processFinder returns a function that finds a process in the last listing, or returns -1. Mostly it is at the same
// index.
func (m *reportMemory) processFinder() func(i int, p *Process) int {
	type key struct {
		pid   int
		start uint64
		gpu   int
	}
	var index map[key]int
	return func(i int, p *Process) int {
		if i < len(m.listing) && p.sameButAmounts(&m.listing[i]) {
			return i
		}
		if index == nil {
			index = make(map[key]int, len(m.listing))
			for at, was := range m.listing {
				index[key{was.PID, was.StartTicks, was.GPU}] = at
			}
		}
		if at, known := index[key{p.PID, p.StartTicks, p.GPU}]; known && p.sameButAmounts(&m.listing[at]) {
			return at
		}
		return -1
	}
}

// sameButAmounts reports whether p differs from base only in its amounts and its state, which a listing can express.
func (p *Process) sameButAmounts(base *Process) bool {
	return p.PID == base.PID && p.StartTicks == base.StartTicks && p.GPU == base.GPU && p.Type == base.Type &&
		(p.State == base.State || plainState(p.State)) && p.equalsIdentity(&base.Identity)
}

// plainState reports whether a state can be written as it is, and replaces another one.
func plainState(s string) bool { return len(s) == 1 && s[0] >= 'A' && s[0] <= 'z' && s[0] != '\\' }

func (id *Identity) equalsIdentity(other *Identity) bool {
	a, b := *id, *other
	a.UID, b.UID, a.Rank, b.Rank = nil, nil, nil, nil
	return a == b && equalPointees(id.UID, other.UID) && id.Rank.equalsRank(other.Rank)
}

func (r *Rank) equalsRank(other *Rank) bool {
	if r == nil || other == nil {
		return r == other
	}
	return r.Rank == other.Rank && r.From == other.From && r.Program == other.Program &&
		equalPointees(r.Local, other.Local) &&
		equalPointees(r.World, other.World)
}

// equalPointees reports whether both are nil or point to equal values.
func equalPointees[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// processBytes is how many bytes the text of processes takes. A Reader limits it: text may be left out of line after
// line, and still be kept.
func processBytes(list []Process) (bytes int) {
	for i := range list {
		p := &list[i]
		for _, s := range []string{p.Type, p.State, p.User, p.Name, p.Command, p.Directory, p.Job, p.Step,
			p.NoRank, p.CPUAffinity} {
			bytes += len(s)
		}
		if p.Rank != nil {
			bytes += len(p.Rank.From) + len(p.Rank.Program)
		}
	}
	return bytes
}
