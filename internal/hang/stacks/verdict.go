package stacks

import (
	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/hang/stacks/frames"
)

// verdict is what two looks and the rest of the evidence say about a job.
type verdict struct {
	*Pair
	Evidence
	all    []Group
	groups []Group   // those that are not vague
	odd    []*Rank   // ranks of the outliers
	moves  []motions // per group
	of     motions   // of all
	read   int
}

func (p *Pair) judgeLooks(groups []Group, also Evidence) *verdict {
	v := &verdict{Pair: p, Evidence: also, all: groups}
	for i := range groups {
		v.moves = append(v.moves, p.countMotions(groups[i].Ranks))
		if groups[i].Vague {
			continue
		}
		v.groups = groups[:i+1]
		v.read += len(groups[i].Ranks)
		for m, n := range v.moves[i] {
			v.of[m] += n
		}
		if groups[i].Outlier {
			v.odd = append(v.odd, groups[i].Ranks...)
		}
	}
	return v
}

// jobState is Moving if anything has moved. It is Stuck only if NCCL says so, or if no rank may be at work and most are
// seen to wait. The latter means that every rank was read twice and the kernel counted no work for it, or that NCCL
// knows which rank the others wait for while their GPUs stand still.
func (v *verdict) jobState() rankstacks.State {
	switch {
	case v.NCCL != nil && v.NCCL.Moving, v.of[Moves] > 0:
		return rankstacks.Moving
	case v.NCCL != nil && (v.NCCL.Stuck || v.NCCL.Lost && (v.Halted || !v.computesOutside())):
		return rankstacks.Stuck
	case v.mayWork():
		return rankstacks.Unclear
	case v.Halted && v.hasLaggard():
		return rankstacks.Stuck
	case v.Before == nil, v.read == 0, v.read < len(v.Now.Ranks), v.of[Unknown] > 0:
		return rankstacks.Unclear
	case v.Halted, v.hasLaggard(), v.mostWait():
		return rankstacks.Stuck
	}
	return rankstacks.Unclear
}

// hasLaggard reports whether NCCL knows of a rank that others wait for. For some seconds that is so in healthy jobs
// too.
func (v *verdict) hasLaggard() bool { return v.NCCL != nil && v.NCCL.Behind }

// mayWork reports whether a rank that does not wait for others may be at work. It may be if it used a CPU, read or
// wrote, or waited again and again, or if that is not known; if one of its own processes works for it; or if it waits
// for requests. Rank 0 looks like that while it evaluates or writes a checkpoint in one call. Only the ranks that
// others wait for decide: most may use a CPU while they wait for their GPU.
func (v *verdict) mayWork() bool {
	for _, r := range v.ranksAside() {
		if s := v.kernelWork(r); v.Motion(r) == Same || s.own.Works() || s.worker != nil ||
			frames.ServesRequests(r.pythonFrames()) {
			return true
		}
	}
	return false
}

// ranksAside returns the ranks that are not where most are, and do not wait for others elsewhere. If all ranks wait for
// others, it returns those that are not where most are.
func (v *verdict) ranksAside() (list []*Rank) {
	list = v.ranksIn(func(g *Group) bool { return !v.waitsWithMost(g) })
	if len(list) == 0 {
		return v.ranksIn(func(g *Group) bool { return !v.isMost(g) })
	}
	return list
}

func (v *verdict) isMost(g *Group) bool { return 2*len(g.Ranks) > v.read }

// waitsWithMost reports whether a group is where most ranks are, or waits for others.
func (v *verdict) waitsWithMost(g *Group) bool { return v.isMost(g) || g.awaitsOthers() }

// ranksIn returns the ranks of some groups.
func (v *verdict) ranksIn(wanted func(g *Group) bool) (list []*Rank) {
	for i := range v.groups {
		if wanted(&v.groups[i]) {
			list = append(list, v.groups[i].Ranks...)
		}
	}
	return list
}

// computesOutside reports whether a rank uses a CPU outside of collectives: at the end of a job it may still write
// results while the others have exited.
func (v *verdict) computesOutside() bool {
	for i := range v.groups {
		if g := &v.groups[i]; v.moves[i][Same] > 0 && frames.Collective(g.firstRank().pythonFrames()) == "" {
			return true
		}
	}
	return false
}

// mostWait reports whether most ranks are seen to wait for others: they are where ranks exchange something, and do no
// work. Two things do not count, since a job that computes looks the same: a rank that waits for its own GPU, and all
// ranks in one place, which may be the same collective of a later step.
func (v *verdict) mostWait() bool {
	waiting := 0
	for i := range v.groups {
		g := &v.groups[i]
		if !g.awaitsOthers() && (!v.isMost(g) || !v.ranksPoll(g)) {
			continue
		}
		if v.moves[i][Waits] < len(g.Ranks) && !v.ranksPoll(g) && !g.pollsForOthers() {
			return false
		}
		waiting += len(g.Ranks)
	}
	return len(v.groups) > 1 && 2*waiting >= v.read
}

// ranksPoll reports whether the ranks of a group use a CPU only to wait: in MPI, or for GPUs that are themselves seen
// to wait. They do nothing else: a rank that computes would not stay in one line without a pause.
func (v *verdict) ranksPoll(g *Group) bool {
	for _, r := range g.Ranks {
		s := v.kernelWork(r).own
		if v.Motion(r) != Same || s.IsUnknown() || s.Steps() || !s.Computes() || !v.GPUsWait && !r.Process.MPI {
			return false
		}
	}
	return !g.Vague
}
