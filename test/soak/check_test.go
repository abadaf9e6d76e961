package soak

import (
	"runtime"
	"slices"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// Bounds.
const (
	// maximum time until nvnodetop sees the fault of a node, or its end
	settles       = 2 * time.Minute
	settlesPerson = 7 * time.Minute // the same after a fault that only a person can cure
	heapGrowth    = 1.2
)

// figures are what is measured at the end of a round.
type figures struct {
	at         time.Duration
	goroutines int
	inuse      uint64
	alloc      uint64
	events     int64
	reports    int64
	sessions   int
	probes     int
	dials      int
	copies     int
	jobs       int
	commands   int
}

// interval is the time between two requests for reports.
func (s *soak) interval(now time.Time) time.Duration {
	if now.Sub(s.seen) > idleAfter {
		return poll * idleFactor
	}
	return poll
}

// bound is the maximum time for which a node may be shown wrongly after a change of its condition.
func (s *soak) bound(n *node, c condition, now time.Time) time.Duration {
	d := settles
	if s.personal[n.name] && c.reports() {
		d = settlesPerson
	}
	if c.reports() {
		return d + 2*s.interval(now)
	}
	return d + 12*s.interval(now) // the silence of a probe that reports rarely is noticed late
}

// follow notes the time since when each node is shown: a node whose job has ended may come back with another.
func (s *soak) follow(snap *cluster.Snapshot) {
	for _, name := range s.fleet.names {
		switch _, known := s.shown[name]; {
		case snap.Nodes[name] == nil:
			delete(s.shown, name)
		case !known:
			s.shown[name] = snap.At
		}
	}
}

// checkNodes compares a Snapshot's state of each node with the condition in which it has been for long enough.
func (s *soak) checkNodes(snap *cluster.Snapshot) {
	for _, name := range s.fleet.names {
		n, shown := s.fleet.nodes[name], snap.Nodes[name]
		if shown == nil {
			continue
		}
		n.mu.Lock()
		c, since, key := n.condition, n.since, n.uuid(1)
		n.mu.Unlock()
		for _, t := range []time.Time{s.shown[name], s.struck[name], s.paced} {
			if t.After(since) {
				since = t
			}
		}
		if snap.At.Sub(since) < s.bound(n, c, snap.At) {
			continue
		}
		if c == well {
			s.personal[name] = false
		}
		if says := differs(shown, c, key); says != "" {
			s.fail("%s is %s for %v, and %s (%s, tries %d, failure %+v)", name, c, snap.At.Sub(since), says,
				shown.State, shown.Tries, shown.Failure)
		}
	}
}

// differs describes the difference between a node and its state in the Snapshot.
func differs(n *cluster.Node, c condition, key string) string {
	reporting := n.State == cluster.NodeReporting
	switch {
	case reporting != c.reports():
		return "that is not shown"
	case !reporting:
		return ""
	case (n.Hello.Fault != "") != (c == noDriver):
		return "its driver is shown otherwise"
	case c == noDriver:
		return ""
	case len(n.GPUs) != gpusEach:
		return "it has other GPUs"
	case (n.GPUs[1].Lost != "") != (c == lostGPU):
		return "its GPU is shown otherwise"
	case n.GPUs[1].Key != key:
		return "the GPUs are those from before its restart"
	}
	return ""
}

// checkJobs: only an answer of squeue changes the jobs; SLURM's failures do not.
func (s *soak) checkJobs(snap *cluster.Snapshot) {
	s.controller.mu.Lock()
	answers, mood := s.controller.answers, s.controller.mood
	s.controller.mu.Unlock()
	var ids []string
	for i := range snap.Jobs {
		ids = append(ids, snap.Jobs[i].ID)
	}
	if answers == s.answers && !slices.Equal(ids, s.kept) {
		s.fail("squeue has not answered, and the jobs changed from %d to %d; the controller: %s", len(s.kept), len(ids),
			mood)
	}
	s.kept, s.answers = ids, answers
}

// Limits of memory, whatever happened.
const (
	mostAttempts = 8
	mostXids     = 64
	mostEnded    = 50 // beside those that ended within endedLately, of which there are at most mostLately
	mostLately   = 2000
	mostCleared  = 2000
)

// endedLately is the time for which every job that has ended is kept, with some time for SLURM's answer.
const endedLately = 5*time.Minute + 10*time.Second

// checkLimits: nothing grows without end.
func (s *soak) checkLimits(snap *cluster.Snapshot) {
	ended := snap.Discovery.Ended
	if n := len(ended); n > mostLately ||
		n > mostEnded && snap.Discovery.Answered.Sub(ended[n-1].Missed) > endedLately {
		s.fail("%d jobs that have ended, the last %v ago", n, snap.Discovery.Answered.Sub(ended[n-1].Missed))
	}
	for _, n := range snap.Nodes {
		if len(n.Attempts) > mostAttempts || len(n.Xids) > mostXids {
			s.fail("%s has %d attempts and %d Xids", n.Name, len(n.Attempts), len(n.Xids))
		}
	}
	for i := range snap.Jobs {
		if j := &snap.Jobs[i]; len(j.Findings)+len(j.Cleared) > mostCleared {
			s.fail("job %s has %d findings and %d that were cleared", j.ID, len(j.Findings), len(j.Cleared))
		}
	}
}

// checkRound is the end of a round, after a while without faults: everything is shown correctly, and nothing is left
// over.
func (s *soak) checkRound(snap *cluster.Snapshot) {
	synctest.Wait()
	watched := s.controller.watched()
	if d := &snap.Discovery; d.Failure != nil {
		s.fail("SLURM is well, and said to have failed: %+v", d.Failure)
	}
	if len(snap.Nodes) != len(watched) {
		s.fail("%d nodes are shown, and %d have jobs", len(snap.Nodes), len(watched))
	}
	for i := range snap.Jobs {
		if j := &snap.Jobs[i]; len(j.Minors) != len(j.Nodes) {
			s.fail("job %s has %d nodes, and its GPUs are known on %d of them", j.ID, len(j.Nodes), len(j.Minors))
		}
	}
	shells, pipes, probes := s.fleet.open()
	if shells != len(watched) || pipes != len(watched) || probes != len(watched) {
		s.fail("%d connections, %d pipes and %d probes are open for %d nodes", shells, pipes, probes, len(watched))
	}
	s.measure()
}

func (s *soak) measure() {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	shells, _, probes := s.fleet.open()
	f := figures{
		at: time.Since(s.began), goroutines: runtime.NumGoroutine(), inuse: m.HeapInuse, alloc: m.HeapAlloc,
		events: s.events.Load(), reports: s.reports.Load(),
		sessions: shells, probes: probes, dials: s.fleet.count.dials, copies: s.fleet.count.copies,
		jobs: s.controller.total, commands: s.controller.calls,
	}
	s.table = append(s.table, f)
	s.t.Logf("%7v %9d %9d %7d %6d %6d %8d %8d %8d %10d %9.1f %9.1f", f.at.Round(time.Minute), f.events, f.reports,
		f.jobs, f.commands, f.dials, f.copies, f.sessions, f.probes,
		f.goroutines, float64(f.inuse)/(1<<20), float64(f.alloc)/(1<<20))
}

// checkGrowth compares the rounds: at the same phase everything is the same.
func (s *soak) checkGrowth() {
	if len(s.table) == 0 {
		return
	}
	last := s.table[len(s.table)-1]
	for _, f := range s.table {
		if last.goroutines != f.goroutines {
			s.fail("%d goroutines after %v and %d at the end", f.goroutines, f.at, last.goroutines)
		}
		if ratio := float64(last.inuse) / float64(f.inuse); ratio > heapGrowth {
			s.fail("the heap has grown %.2f-fold since %v", ratio, f.at)
		}
	}
}
