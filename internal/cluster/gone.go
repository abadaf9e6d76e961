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

// Gone returns the ranks of the job that have ended. A program of which most ranks have ended has done its work, or is
// over anyway. Of one that was started again, the ranks of the time before do not count.
func (p *Peers) Gone(job *Job) []GoneRank {
	if !p.anyGone(job.ID) {
		return nil
	}
	of := NewPrograms(func(yield func(*SeenRank) bool) {
		p.eachRank(job.ID,
			func(_ int, r *SeenRank, _ bool) { yield(r) })
	})
	idOf := func(r *SeenRank) RankID { return RankID{of.Of(r), r.Rank.Rank} }
	running := map[RankID]bool{}
	programs := map[Program]programState{}
	p.eachRank(job.ID, func(at int, r *SeenRank, runs bool) {
		if id := idOf(r); runs {
			running[id] = true
			of := programs[id.Program]
			if g := p.peerWith(at, r.Key); g != nil {
				of.writes = of.writes || g.Writes()
				if g.Moved.After(of.moved) {
					of.moved = g.Moved
				}
			}
			if of.runs++; of.began.IsZero() || r.Began.Before(of.began) {
				of.began = r.Began
			}
			programs[id.Program] = of
		}
	})
	var gone []GoneRank
	p.eachRank(job.ID, func(at int, r *SeenRank, runs bool) {
		id := idOf(r)
		of := programs[id.Program]
		if runs || running[id] || of.began.After(r.Seen) {
			return
		}
		if g := p.peerWith(at, r.Key); g != nil {
			of.gone++
			programs[id.Program] = of
			gone = append(gone, GoneRank{Peer: *g, SeenRank: *r})
		}
	})
	most := gone[:0]
	for _, g := range gone {
		if of := programs[idOf(&g.SeenRank).Program]; of.gone <= of.runs {
			g.Moved, g.Writes = of.moved, of.writes
			most = append(most, g)
		}
	}
	return most
}

// anyGone reports whether a rank may have ended. Mostly none has.
func (p *Peers) anyGone(job string) bool {
	any := false
	p.eachRank(job, func(_ int, _ *SeenRank, runs bool) { any = any || !runs })
	return any
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
