package cluster

import "time"

// GoneRank is a rank whose process has left its GPU while its program still runs.
type GoneRank struct {
	Peer
	SeenRank
	Moved  time.Time // when a GPU with another rank of its program last did more than to wait; zero: never
	Writes bool      // the node of another rank writes much
}

// programState is what is known of a program.
type programState struct {
	runs, gone int
	began      time.Time // of the oldest process that runs
	writes     bool      // a node of those writes much
	moved      time.Time // when one of the GPUs of those last did more than to wait
}

// missedRank is a rank that the last list of its node lacks.
type missedRank struct {
	*SeenRank
	at int // position of the node's first GPU
}

// Gone returns the ranks of the job that have ended. A program of which most ranks have ended has done its work, or is
// over anyway. Of one that was started again, the ranks of the time before do not count.
func (p *Peers) Gone(job *Job) []GoneRank {
	var missed []missedRank
	p.eachRank(job.ID, func(at int, r *SeenRank, runs bool) {
		if !runs {
			missed = append(missed, missedRank{r, at})
		}
	})
	if len(missed) == 0 { // as mostly
		return nil
	}
	of := NewPrograms(func(yield func(*SeenRank) bool) {
		p.eachRank(job.ID, func(_ int, r *SeenRank, _ bool) { yield(r) })
	})
	numbers := map[int]bool{}
	for _, r := range missed {
		numbers[r.Rank.Rank] = true
	}
	running := map[RankID]bool{} // of those with a number that is missed: of thousands of ranks these are few
	programs := map[Program]*programState{}
	p.eachRank(job.ID, func(at int, r *SeenRank, runs bool) {
		if !runs {
			return
		}
		program := of.Of(r)
		if numbers[r.Rank.Rank] {
			running[RankID{program, r.Rank.Rank}] = true
		}
		if programs[program] == nil {
			programs[program] = &programState{began: r.Began}
		}
		programs[program].add(r, p.peerWith(at, r.Key))
	})
	var gone []GoneRank
	for _, r := range missed {
		id := RankID{of.Of(r.SeenRank), r.Rank.Rank}
		program := programs[id.Program]
		if program == nil || running[id] || program.began.After(r.Seen) {
			continue
		}
		if g := p.peerWith(r.at, r.Key); g != nil {
			program.gone++
			gone = append(gone, GoneRank{Peer: *g, SeenRank: *r.SeenRank})
		}
	}
	most := gone[:0]
	for _, g := range gone {
		if program := programs[of.Of(&g.SeenRank)]; program.gone <= program.runs {
			g.Moved, g.Writes = program.moved, program.writes
			most = append(most, g)
		}
	}
	return most
}

// add adds a rank that runs, with its GPU; nil: that is not known.
func (s *programState) add(r *SeenRank, g *Peer) {
	s.runs++
	if r.Began.Before(s.began) {
		s.began = r.Began
	}
	if g == nil {
		return
	}
	s.writes = s.writes || g.Writes()
	if g.Moved.After(s.moved) {
		s.moved = g.Moved
	}
}

// eachRank calls f with each rank of the job on nodes whose list of processes is new enough, with the position of the
// node's first GPU, and with whether the rank was in that list.
func (p *Peers) eachRank(job string, f func(at int, r *SeenRank, runs bool)) {
	for i := range p.GPUs {
		n := p.GPUs[i].Node
		if i > 0 && p.GPUs[i-1].Node == n || !n.Listed || p.At.Sub(n.ListedAt) > keepList {
			continue
		}
		for k := range n.Ranks {
			if r := &n.Ranks[k]; r.Job == job {
				f(i, r, r.Seen.Equal(n.ListedAt))
			}
		}
	}
}

// peerWith returns the GPU with that key of the node whose first GPU is at a position, if its processes are listed;
// nil: there is none.
func (p *Peers) peerWith(at int, key string) *Peer {
	for i := at; i < len(p.GPUs) && p.GPUs[i].Node == p.GPUs[at].Node; i++ {
		if g := &p.GPUs[i]; g.Own.Key == key && g.Own.Unlisted == "" {
			return g
		}
	}
	return nil
}
