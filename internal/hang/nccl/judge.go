package nccl

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
)

// Judge says what two answers about a job mean. Errors and dead processes show even without a first answer. names may
// be nil.
func Judge(first, second *Answer, names *Names) *Verdict {
	j := verdictBuilder{a: second, names: names, v: &Verdict{Version: second.Version, Partial: second.Cut || !second.JSON,
		Comms: len(second.Comms)}, seen: map[GPU]bool{}}
	if !second.JSON {
		j.v.Comms = 0
		for _, g := range second.Groups {
			j.v.Comms += g.Comms
		}
	}
	j.collectFacts()
	compared := first != nil && first.JSON == second.JSON
	if compared {
		j.v.Over = second.At.Sub(first.At)
		j.v.Partial = j.v.Partial || first.Cut
		j.v.Moved = countMoved(first, second, len(j.v.Dead) > 0)
		j.v.Coupled = coupledRanks(first, second)
		j.old = first
	}
	moves := j.v.Moved > 0 || compared && len(j.v.Dead) == 0 && !maps.Equal(first.countComms(), second.countComms())
	still := compared && !moves
	switch {
	case moves && len(j.v.Errors) == 0:
		j.v.State = Moving
	case len(j.v.Dead) > 0:
		j.v.State, j.v.Causes = RankDead, j.v.Dead
	case len(j.v.Errors) > 0:
		j.v.State, j.v.Causes = Failed, j.failedMembers()
	case compared && (first.Cut || second.Cut): // the rest may say who waits for whom
	case still:
		j.explainStandstill()
	}
	return j.v
}

// verdictBuilder is a Verdict under construction.
type verdictBuilder struct {
	a     *Answer
	names *Names
	v     *Verdict
	old   *Answer      // the first answer, if the two can be compared
	seen  map[GPU]bool // members
	left  []JobComm
	zero  bool // no rank has launched any operation
}

func (j *verdictBuilder) memberOf(g GPU) Member { return j.names.Member(g) }

func (j *verdictBuilder) describePart(c *Comm, few int) JobComm {
	p := JobComm{Number: c.Number, ID: c.ID, Size: c.Size, Few: few}
	for i := range c.Ranks {
		p.Members = append(p.Members, j.memberOf(c.Ranks[i].GPU))
	}
	return p
}

// collectFacts finds what needs no comparison.
func (j *verdictBuilder) collectFacts() {
	j.zero = j.a.JSON
	gone := map[GPU]UnknownReason{}
	miss := func(g GPU, why UnknownReason) {
		if had, found := gone[g]; g.PID != 0 && (!found || why > had) {
			gone[g] = why
		}
	}
	for i := range j.a.Comms {
		c := &j.a.Comms[i]
		left, starts, stays := 0, 0, 0
		for k := range c.Ranks {
			r := &c.Ranks[k]
			j.seen[r.GPU] = true
			j.zero = j.zero && !slices.ContainsFunc(r.Counts, func(n uint64) bool { return n > 0 })
			switch {
			case r.Error.Failed():
				j.v.Errors = append(j.v.Errors, Error{j.memberOf(r.GPU), c.Number, r.Error})
			case r.Init.Failed():
				j.v.Errors = append(j.v.Errors, Error{j.memberOf(r.GPU), c.Number, r.Init})
			}
			if r.Init == InProgress {
				starts++
			}
			if !r.Leaves {
				stays++
			}
		}
		for k := range c.Missing {
			if m := &c.Missing[k]; m.Why == Left {
				left++
			} else {
				miss(m.GPU, m.Why)
			}
		}
		if !j.a.JSON { // text names only a few
			stays += c.Size - len(c.Ranks) - len(c.Missing)
		}
		if starts > 0 {
			j.v.Initializing = append(j.v.Initializing, j.describePart(c, starts))
		} else if left > 0 && stays > 0 {
			j.left = append(j.left, j.leftPart(c, left))
		}
	}
	for i := range j.a.Gone {
		for _, index := range j.a.Gone[i].GPUs {
			miss(GPU{j.a.Gone[i].Host, j.a.Gone[i].PID, index}, j.a.Gone[i].Why)
		}
	}
	j.sortMissing(gone)
}

// sortMissing sorts the members about which nothing is known.
func (j *verdictBuilder) sortMissing(gone map[GPU]UnknownReason) {
	j.v.Members = len(j.seen)
	for g, why := range gone {
		if !j.seen[g] {
			j.v.Members++
		}
		if m := j.memberOf(g); why == Dead {
			j.v.Dead = append(j.v.Dead, m)
		} else {
			j.v.Silent = append(j.v.Silent, m)
		}
	}
	slices.SortFunc(j.v.Dead, CompareMembers)
	slices.SortFunc(j.v.Silent, CompareMembers)
}

// leftPart describes a communicator by the ranks that have left it.
func (j *verdictBuilder) leftPart(c *Comm, left int) JobComm {
	p := JobComm{Number: c.Number, ID: c.ID, Size: c.Size, Few: left}
	for k := range c.Missing {
		if m := &c.Missing[k]; m.Why == Left && m.PID != 0 {
			p.Members = append(p.Members, j.memberOf(m.GPU))
		}
	}
	return p
}

// CompareMembers orders members by rank in the job, members without one last.
func CompareMembers(a, b Member) int {
	rank := func(m *Member) int {
		if m.Place == nil || m.Place.Rank == nil {
			return 1 << 30
		}
		return *m.Place.Rank
	}
	return cmp.Or(cmp.Compare(rank(&a), rank(&b)), cmp.Compare(a.Host, b.Host), cmp.Compare(a.PID, b.PID),
		cmp.Compare(a.Index, b.Index))
}

// failedMembers returns the members with errors, except those that only report the failure of another rank.
func (j *verdictBuilder) failedMembers() []Member {
	var own, all []Member
	for i := range j.v.Errors {
		e := &j.v.Errors[i]
		if all = append(all, e.Member); e.Result != RemoteError {
			own = append(own, e.Member)
		}
	}
	if len(own) == 0 {
		own = all
	}
	slices.SortFunc(own, CompareMembers)
	return slices.CompactFunc(own, func(a, b Member) bool { return a.GPU == b.GPU })
}

// explainStandstill says why a job makes no progress.
func (j *verdictBuilder) explainStandstill() {
	v := j.v
	w := j.findWaits()
	switch {
	case len(v.Silent) > 0 && j.staysSilent():
		v.State, v.Causes = NoAnswer, v.Silent
	case len(v.Silent) > 0: // perhaps just late
	case len(w.spreads) > 0:
		v.State = Stuck
		w.findCauses()
	case len(v.Initializing) > 0, j.a.Holes, slices.ContainsFunc(j.a.Groups,
		func(g Group) bool { return g.Status == "INIT" }):
		v.State = Initializing
	case len(j.left) > 0:
		v.State, v.Left = RankLeft, j.left
		for _, p := range j.left {
			v.Causes = append(v.Causes, p.Members...)
		}
		slices.SortFunc(v.Causes, CompareMembers)
		v.Causes = slices.CompactFunc(v.Causes, func(a, b Member) bool { return a.GPU == b.GPU })
	case !j.a.JSON, !j.isShared(): // text without differences: the job may move
	case j.zero:
		v.State = NotStarted
	default:
		v.State = AllLaunched
	}
}

// isShared reports whether a communicator has several ranks. For one rank NCCL only copies, and counts nothing.
func (j *verdictBuilder) isShared() bool {
	return slices.ContainsFunc(j.a.Comms, func(c Comm) bool { return c.Size > 1 })
}

// staysSilent reports whether some members that do not answer now did not answer the first time either.
func (j *verdictBuilder) staysSilent() bool {
	before := verdictBuilder{a: j.old, names: j.names, v: &Verdict{}, seen: map[GPU]bool{}}
	before.collectFacts()
	were := map[GPU]bool{}
	for i := range before.v.Silent {
		were[before.v.Silent[i].GPU] = true
	}
	return slices.ContainsFunc(j.v.Silent, func(m Member) bool { return were[m.GPU] })
}

// countMoved returns how many members have launched operations between two answers, or changed their state. If ranks
// are dead, only operations of communicators without dead ranks count: a job that goes on has such communicators, and
// in the others ranks may still launch an operation before they wait, or leave.
func countMoved(first, second *Answer, dead bool) int {
	before := map[string]*Comm{}
	for i := range first.Comms {
		if c := &first.Comms[i]; before[c.ID] == nil {
			before[c.ID] = c
		}
	}
	changed, seen := map[GPU]bool{}, map[string]bool{}
	whole := !dead && first.Timeouts == 0 && !first.Cut && !first.Holes
	for i := range second.Comms {
		c := &second.Comms[i]
		if seen[c.ID] {
			continue
		}
		seen[c.ID] = true
		old := before[c.ID]
		delete(before, c.ID)
		switch {
		case !second.JSON && !dead && !sameSpreads(old, c):
			changed[GPU{Host: c.ID}] = true // it is unknown which members changed
		case dead && slices.ContainsFunc(c.Missing, func(m Missing) bool { return m.Why == Dead }):
		case second.JSON && old != nil:
			c.addDiffering(old, first.Operations, second.Operations, dead, changed)
		case second.JSON && whole: // created meanwhile
			for k := range c.Ranks {
				changed[c.Ranks[k].GPU] = true
			}
		}
	}
	if !dead && !first.Cut && !second.Cut && second.Timeouts == 0 && !second.Holes { // communicators that are gone
		for _, c := range before {
			if second.JSON || !sameSpreads(c, nil) {
				changed[GPU{Host: c.ID}] = true
			}
		}
	}
	return len(changed)
}

// coupledRanks returns the size of the largest communicator in which all members have launched operations between two
// answers. Sharing a communicator proves little: most programs have one of all ranks, even those whose halves work
// independently.
func coupledRanks(first, second *Answer) (most int) {
	if !first.JSON || !second.JSON {
		return 0
	}
	before := map[string]*Comm{}
	for i := range first.Comms {
		before[first.Comms[i].ID] = &first.Comms[i]
	}
	for i := range second.Comms {
		c := &second.Comms[i]
		old := before[c.ID]
		if n := len(c.Ranks); old == nil || n < max(c.Size, 2) || n <= most {
			continue
		}
		changed := map[GPU]bool{}
		c.addDiffering(old, first.Operations, second.Operations, true, changed)
		if len(changed) == len(c.Ranks) {
			most = len(c.Ranks)
		}
	}
	return most
}

// addDiffering adds the members that differ from an earlier answer; launches says that only operations count. A rank
// that did not answer before has not moved just because it answers now.
func (c *Comm) addDiffering(old *Comm, named, operations []string, launches bool, changed map[GPU]bool) {
	ranks := map[int]*Rank{}
	for k := range old.Ranks {
		if r := &old.Ranks[k]; ranks[r.Rank] == nil {
			ranks[r.Rank] = r
		}
	}
	for k := range c.Ranks {
		r := &c.Ranks[k]
		before := ranks[r.Rank]
		delete(ranks, r.Rank) // a rank listed twice is compared once
		if before == nil {
			continue
		}
		if state := r.GPU != before.GPU || r.Init != before.Init || r.Leaves != before.Leaves; state && !launches ||
			r.hasLaunched(before, named, operations) {
			changed[r.GPU] = true
		}
	}
}

// countComms returns how many communicators of a text answer have each size and status.
func (a *Answer) countComms() map[string]int {
	kinds := map[string]int{}
	for _, g := range a.Groups {
		kinds[strconv.Itoa(g.Size)+" "+g.Status] += g.Comms
	}
	return kinds
}

// hasLaunched reports whether the rank has launched operations since an earlier answer.
func (r *Rank) hasLaunched(before *Rank, named, operations []string) bool {
	for i, name := range operations {
		old := uint64(0)
		if k := slices.Index(named, name); k >= 0 {
			old = before.launchedCount(k)
		}
		if r.launchedCount(i) != old {
			return true
		}
	}
	return false
}

// sameSpreads reports whether text says the same about the progress of a communicator both times. A nil one has no
// differences.
func sameSpreads(a, b *Comm) bool {
	if a == nil || b == nil {
		return (a == nil || len(a.Spreads) == 0) && (b == nil || len(b.Spreads) == 0)
	}
	return slices.EqualFunc(a.Spreads, b.Spreads, func(x, y Spread) bool {
		return x.Operation == y.Operation && slices.EqualFunc(x.Levels, y.Levels, func(p, q Level) bool {
			return p.Launched == q.Launched && p.Count == q.Count
		})
	})
}
