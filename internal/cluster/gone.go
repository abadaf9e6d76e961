package cluster

import (
	"iter"
	"time"
)

// GoneRank is a rank whose process has left its GPU while its program still runs.
type GoneRank struct {
	Peer
	SeenRank
	Moved  time.Time // when a GPU with another rank of its program last did more than wait; zero: never
	Writes bool      // the node of another rank writes much
}

// Roll records which ranks of a job are gone.
type Roll struct {
	Programs
	by map[Program]*programPresence

	// the program looked up last: the ranks of one program come one after another
	last Program
	at   *programPresence
}

// programPresence is what a Roll knows about a program.
type programPresence struct {
	runs  bool
	began time.Time // start of the oldest process that runs, or may run
	taken rankSet
}

// NewRoll returns the Roll of a job with these ranks. None of them is known to run yet.
func NewRoll(ranks iter.Seq[*SeenRank]) *Roll {
	return &Roll{Programs: NewPrograms(ranks), by: map[Program]*programPresence{}}
}

func (l *Roll) attendanceOf(of Program) *programPresence {
	if l.at == nil || l.last != of {
		if l.by[of] == nil {
			l.by[of] = &programPresence{}
		}
		l.last, l.at = of, l.by[of]
	}
	return l.at
}

// GoesOn notes a process of a program that runs, or may run.
func (l *Roll) GoesOn(of Program, began time.Time) {
	if p := l.attendanceOf(of); !p.runs || began.Before(p.began) {
		p.runs, p.began = true, began
	}
}

// Running yields the programs that still run.
func (l *Roll) Running() iter.Seq[Program] {
	return func(yield func(Program) bool) {
		for of, p := range l.by {
			if p.runs && !yield(of) {
				return
			}
		}
	}
}

// Take notes that something accounts for a rank: a process with this rank, or the last trace of one.
func (l *Roll) Take(id RankID) { l.attendanceOf(id.Program).taken.addRank(id.Rank) }

// Taken reports whether something accounts for a rank.
func (l *Roll) Taken(id RankID) bool { return l.attendanceOf(id.Program).taken.hasRank(id.Rank) }

// Misses reports whether a program misses a rank that was last seen at a time: the program still runs, and no process
// has the rank now. After a restart of the program, ranks from before the restart do not count.
func (l *Roll) Misses(id RankID, seen time.Time) bool {
	p := l.attendanceOf(id.Program)
	return p.runs && !p.began.After(seen) && !p.taken.hasRank(id.Rank)
}

// programState is the known state of a program.
type programState struct {
	runs, gone int
	writes     bool      // a node of such a GPU writes much
	moved      time.Time // when one of the program's GPUs last did more than wait
}

// missedRank is a rank that is missing from its node's last list.
type missedRank struct {
	*SeenRank
	at int // position of the node's first GPU
}

// Gone returns the ranks of the job that have ended. If most ranks of a program have ended, the program is finished or
// over anyway, and its ranks are left out.
func (p *Peers) Gone(job *Job) []GoneRank {
	var missed []missedRank
	p.eachRank(job.ID, func(at int, r *SeenRank, runs bool) {
		if !runs {
			missed = append(missed, missedRank{r, at})
		}
	})
	if len(missed) == 0 { // as usual
		return nil
	}
	roll := NewRoll(func(yield func(*SeenRank) bool) {
		more := true
		p.eachRank(job.ID, func(_ int, r *SeenRank, _ bool) { more = more && yield(r) })
	})
	var wanted rankSet
	for _, r := range missed {
		wanted.addRank(r.Rank.Rank)
	}
	programs := map[Program]*programState{}
	p.eachRank(job.ID, func(at int, r *SeenRank, runs bool) {
		if !runs {
			return
		}
		program := roll.Of(r)
		roll.GoesOn(program, r.Began)
		if wanted.hasRank(r.Rank.Rank) { // few of thousands of ranks
			roll.Take(RankID{program, r.Rank.Rank})
		}
		if programs[program] == nil {
			programs[program] = &programState{}
		}
		programs[program].addRank(p.peerWith(at, r.Key))
	})
	var gone []GoneRank
	for _, r := range missed {
		id := RankID{roll.Of(r.SeenRank), r.Rank.Rank}
		if !roll.Misses(id, r.Seen) {
			continue
		}
		if g := p.peerWith(r.at, r.Key); g != nil {
			programs[id.Program].gone++
			gone = append(gone, GoneRank{Peer: *g, SeenRank: *r.SeenRank})
		}
	}
	most := gone[:0]
	for _, g := range gone {
		if program := programs[roll.Of(&g.SeenRank)]; program.gone <= program.runs {
			g.Moved, g.Writes = program.moved, program.writes
			most = append(most, g)
		}
	}
	return most
}

// addRank adds a running rank, with its GPU; nil: the GPU is unknown.
func (s *programState) addRank(g *Peer) {
	s.runs++
	if g == nil {
		return
	}
	s.writes = s.writes || g.Writes()
	if g.Moved.After(s.moved) {
		s.moved = g.Moved
	}
}

// eachRank calls f for each rank of the job on nodes whose process list is recent enough. It passes the position of the
// node's first GPU, and whether the rank was in that list.
func (p *Peers) eachRank(job string, f func(at int, r *SeenRank, runs bool)) {
	for i := range p.GPUs {
		n := p.GPUs[i].Node
		if i > 0 && p.GPUs[i-1].Node == n || !n.Listed || p.At.Sub(n.ListedAt) > KeepList {
			continue
		}
		for k := range n.Ranks {
			if r := &n.Ranks[k]; r.Job == job {
				f(i, r, r.Seen.Equal(n.ListedAt))
			}
		}
	}
}

// peerWith returns the GPU with a key, on the node whose first GPU is at a position. It returns nil if there is none,
// or if the GPU's processes are not listed.
func (p *Peers) peerWith(at int, key string) *Peer {
	for i := at; i < len(p.GPUs) && p.GPUs[i].Node == p.GPUs[at].Node; i++ {
		if g := &p.GPUs[i]; g.Own.Key == key && g.Own.Unlisted == "" {
			return g
		}
	}
	return nil
}
