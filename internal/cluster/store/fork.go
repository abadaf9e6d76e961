package store

import (
	"maps"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/history"
	"github.com/nvnodetop/nvnodetop/internal/cluster/pace"
)

// ShareHistories prepares a Store without Events for many forks. The forks keep their histories in shared memory, which
// is larger than what a single Store needs.
func (s *Store) ShareHistories(span time.Duration) {
	s.room = int(span / history.BinWidth(s.poll, s.span))
}

// Fork returns a Store in the same state. Events applied to one of the two do not change the other.
func (s *Store) Fork() *Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := New(s.poll, s.rules)
	c.span, c.room, c.quiet = s.span, s.room, s.quiet.forkSilences()
	c.disc, c.under, c.marks, c.stacks, c.asks = s.disc, s.under, s.marks, s.stacks, s.asks
	c.progress, c.pasts = maps.Clone(s.progress), maps.Clone(s.pasts)
	c.teams = make([]*jobCommon, len(s.teams))
	of := make(map[*jobCommon]*jobCommon, len(s.teams))
	for i, t := range s.teams {
		copied := *t
		c.teams[i], of[t] = &copied, &copied
	}
	c.jobs = make(map[string][]*jobCommon, len(s.jobs))
	for node, teams := range s.jobs {
		c.jobs[node] = mapToCopies(teams, of)
	}
	for name, n := range s.nodes {
		c.nodes[name] = n.forkRecord(of)
	}
	for id, p := range s.paces {
		c.paces[id] = p.forkPace()
	}
	return c
}

// forkRecord copies the parts that Events modify. Events replace all other parts, so these are shared.
func (n *nodeRecord) forkRecord(teams map[*jobCommon]*jobCommon) *nodeRecord {
	c := *n
	work := make(map[*pace.GPU]*pace.GPU, len(n.work))
	c.jobs, c.troubles, c.judged = mapToCopies(n.jobs, teams), n.troubles.forkTracks(), cluster.Node{}
	c.known = make(map[string]history.History, len(n.known))
	for key, h := range n.known {
		c.known[key] = h.Fork()
	}
	c.work = make(map[string]*pace.GPU, len(n.work))
	for key, g := range n.work {
		copied := *g
		c.work[key], work[g] = &copied, &copied
	}
	c.paces = mapToCopies(n.paces, work)
	c.History = n.History.Fork()
	return &c
}

// mapToCopies returns the list with each element replaced by its copy.
func mapToCopies[T any](list []*T, copies map[*T]*T) []*T {
	out := make([]*T, len(list))
	for i, x := range list {
		out[i] = copies[x]
	}
	return out
}

func (t *nodeTracks) forkTracks() nodeTracks {
	c := *t
	c.reach, c.report = *t.reach.copyTrack(), *t.report.copyTrack()
	c.gpus, c.jobs = nil, nil
	for _, g := range t.gpus {
		c.gpus = append(c.gpus, g.forkTrack())
	}
	for _, j := range t.jobs {
		c.jobs = append(c.jobs, &jobTrack{*j.copyTrack(), j.id})
	}
	return c
}

func (g *gpuTrack) forkTrack() *gpuTrack {
	c := *g
	c.track = *g.copyTrack()
	return &c
}

func (p *jobPace) forkPace() *jobPace {
	c := *p
	c.pace, c.whole = p.pace.Fork(), *p.whole.copyTrack()
	c.peers, c.bare = nil, nil
	c.gpus = maps.Clone(p.gpus)
	for at, track := range c.gpus {
		c.gpus[at] = track.forkTrack()
	}
	return &c
}
