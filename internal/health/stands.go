package health

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/pace"
	"github.com/nvnodetop/nvnodetop/internal/health/signs"
)

const (
	// stopped is how long no GPU must work before a job is reported. A job with longer pauses gets twice the longest of
	// them, up to longestPause.
	stopped      = time.Minute
	longestPause = 30 * time.Minute

	// longWork is how long a job may stand still for an evaluation or a checkpoint on one rank: up to 5 minutes, plus
	// the time until its end shows. longEnd is the same if no GPU waits for another in a collective: then it may be the
	// end of the job. longWrite is the same while that rank is seen at work, since the work goes on.
	longWork  = 330 * time.Second
	longEnd   = 7 * time.Minute
	longWrite = 15 * time.Minute

	// justDone is how long a job may stay idle after what it waited for is done.
	justDone = 30 * time.Second

	// apart is how long before the last GPU another must stop to count as the first. GPUs that stop within together of
	// the first one stop with it.
	apart    = 30 * time.Second
	together = 10 * time.Second
)

// allIdle finds a job in which no GPU works any more.
func allIdle(s ruleSubject) []cluster.Condition {
	p := s.Peers
	worked := p.Pace.Worked
	least := max(stopped, min(2*p.Pace.Pause, longestPause), fewestSamples*p.Pace.Step)
	if len(p.GPUs) == 1 {
		least = max(least, s.limits.durationOf(IdleMinutes))
	}
	switch {
	case len(p.GPUs) == 0 || p.Away > len(p.GPUs)/3 || len(p.Pace.Groups) == 0:
		return nil
	case worked.IsZero():
		return findUnusedJob(s)
	case p.At.Sub(worked) < least || !p.Pace.Steady():
		return nil
	}
	since := idleSince(p)
	if p.At.Sub(since) < least {
		return nil
	}
	c := cluster.Condition{Since: since, Compared: &cluster.Comparison{
		Count: len(p.GPUs), Of: len(p.GPUs) + p.Away, Seen: true, Allowed: s.limits.durationOf(IdleKillMinutes),
		Longest: p.Pace.Pause,
	}}
	if p.At.Sub(since) >= s.warnAfter(least)-justDone {
		c.Severity, c.After = cluster.Warning, justDone
	}
	var first []cluster.Peer
	for _, g := range p.GPUs {
		if !g.Worked.IsZero() && worked.Sub(g.Worked) >= max(apart, 2*p.Pace.Step) {
			first = append(first, g)
		}
	}
	if 2*len(first) < len(p.GPUs) {
		c.Compared.SetFirst(p, first, s.atLeastTwoSamples(together))
	}
	return []cluster.Condition{c}
}

// atLeastTwoSamples returns d or the time of two samples, whichever is longer: nodes report at different moments of an
// interval.
func (s ruleSubject) atLeastTwoSamples(d time.Duration) time.Duration {
	return max(d, 2*s.Peers.Pace.Step)
}

// warnAfter returns the idle time after which a job needs a look. least is the idle time after which it is reported.
func (s ruleSubject) warnAfter(least time.Duration) time.Duration {
	switch p := s.Peers; {
	case len(p.GPUs) == 1:
		return longIdle * least
	case slices.ContainsFunc(p.GPUs, s.isAtWork) || !s.waitsForEndedRank() && slices.ContainsFunc(p.GPUs, s.mayWrite):
		return max(longWrite, least)
	case !s.waitsForEndedRank() && slices.ContainsFunc(p.GPUs, s.isHostBusy):
		return max(longEnd, least)
	}
	return max(s.limits.durationOf(HangSeconds), least)
}

// waitsForEndedRank reports whether the others wait for a rank that has ended.
func (s ruleSubject) waitsForEndedRank() bool {
	return slices.ContainsFunc(s.Peers.Gone(s.Job), func(gone cluster.GoneRank) bool { return s.isRankAwaited(&gone) })
}

// isHostBusy reports whether the host side of an idle GPU may be at work: its process uses part of a core, its node
// writes, or neither is known.
func (s ruleSubject) isHostBusy(p cluster.Peer) bool {
	if p.Writes() {
		return true
	}
	if !p.Node.Listed || p.Own.Unlisted != "" {
		return true
	}
	process := signs.ProcessOf(p.Node, p.Own)
	return process != nil && (process.CPUPercent == nil || signs.UsesCPU(process))
}

// isAtWork reports whether the host side of an idle GPU is seen at work. Either its node or its process writes much, or
// the process uses part of a core and also reads or writes.
func (s ruleSubject) isAtWork(p cluster.Peer) bool {
	if p.Writes() {
		return true
	}
	process := signs.ProcessOf(p.Node, p.Own)
	return process != nil && p.Own.Unlisted == "" && signs.Moves(process)
}

// mayWrite reports whether the node of an idle GPU may be writing unseen while its process uses part of a core: the
// counters of the job's nodes may not show it.
func (s ruleSubject) mayWrite(p cluster.Peer) bool {
	process := signs.ProcessOf(p.Node, p.Own)
	return s.isHidden() && process != nil && signs.UsesCPU(process)
}

// isHidden reports whether the nodes show no traffic between them. Then it is also unknown what they write.
func (s ruleSubject) isHidden() bool { return len(s.Job.Nodes) > 1 && !s.Peers.Pace.Networked }

// idleSince returns the time since when no GPU of a job has been seen to work.
func idleSince(p *cluster.Peers) time.Time {
	since := p.Pace.Worked
	for _, g := range p.GPUs {
		if idle := g.Idle(); idle.After(since) {
			since = idle
		}
	}
	return since
}

// findUnusedJob finds a job that has not used a GPU since nvnodetop began to watch it.
func findUnusedJob(s ruleSubject) []cluster.Condition {
	since := idleSince(s.Peers)
	if s.Peers.At.Sub(since) < s.limits.durationOf(IdleMinutes) {
		return nil
	}
	n := len(s.Peers.GPUs)
	return []cluster.Condition{{Since: since, Compared: &cluster.Comparison{Count: n, Of: n + s.Peers.Away,
		Allowed: s.limits.durationOf(IdleKillMinutes)}}}
}

// unwatched is how long GPUs that nobody has seen work must only wait before they are reported as hanging: programs
// start within that time.
const unwatched = 8 * time.Minute

// standstill is a job whose GPUs do nothing but wait.
type standstill struct {
	group    *pace.Group // a group that spins
	spinning int
	all      int
	together bool // all groups that spin are known to work together
}

// findStandstill returns what waits; false if a GPU does more, or no group spins.
func (s ruleSubject) findStandstill() (w standstill, is bool) {
	moving := 0
	w.together = true
	for i := range s.Peers.Pace.Groups {
		g := &s.Peers.Pace.Groups[i]
		w.spinning, w.all, moving = w.spinning+g.Spinning, w.all+len(g.GPUs), moving+g.Moving
		if g.Spinning > 0 {
			w.group, w.together = g, w.together && g.Together()
		}
	}
	return w, w.spinning > 0 && moving == 0 && w.all > 1 && s.Peers.Away <= w.all/3
}

// findHangingJob finds a job whose GPUs wait for a GPU that never arrives: all of them only wait, and some stand still.
func findHangingJob(s ruleSubject) []cluster.Condition {
	w, is := s.findStandstill()
	if !is {
		return nil
	}
	var stand []cluster.Peer
	for _, o := range pickPeers(s, isAnyGroup, func(_ *pace.Group, gpu *pace.GPU) bool { return gpu.Stands() }) {
		stand = append(stand, o.Peer)
	}
	var c cluster.Condition
	if usual := w.group.Usual[pace.Power]; w.together {
		c = s.judgeStandstill(stand)
	} else if usual == usual || w.spinning < w.all && !s.isRanked() {
		return nil
	} else {
		c = s.hungBefore(stand)
	}
	c.Compared.By, c.Compared.Own, c.Compared.Median = w.group.Evidence, w.group.Usual, w.group.Median
	c.Compared.Count, c.Compared.Of = w.spinning, w.all+s.Peers.Away
	c.Compared.Progress = s.Progress
	c.Compared.SetFirst(s.Peers, stand, s.atLeastTwoSamples(together))
	return []cluster.Condition{c}
}

// judgeStandstill judges a job whose GPUs work together, and wait. It is only a note while the one rank that all wait
// for is at work.
func (s ruleSubject) judgeStandstill(stand []cluster.Peer) cluster.Condition {
	c := cluster.Condition{Severity: cluster.Warning, After: s.hangTime(), Compared: &cluster.Comparison{}}
	if slices.ContainsFunc(stand, s.isHostBusy) {
		c.After = s.standstillLimit()
	}
	if len(stand) != 1 || !s.isAtWork(stand[0]) && !s.mayWrite(stand[0]) {
		return c
	}
	since := s.Peers.Pace.Moved
	if began := s.Peers.Pace.Since(); began.After(since) {
		since = began
	}
	if c.Compared.AtWork = true; s.Peers.At.Sub(since) < max(longWrite, c.After) {
		c.Severity = cluster.Note
	} else {
		c.After = moreThanOnce
	}
	return c
}

// hungBefore judges a job whose GPUs have waited since the watch began. A job that starts may prepare its data on one
// rank.
func (s ruleSubject) hungBefore(stand []cluster.Peer) cluster.Condition {
	c := cluster.Condition{Severity: cluster.Warning, Since: s.Peers.Pace.Since(), After: moreThanOnce,
		Compared: &cluster.Comparison{}}
	waits, occupied := s.Peers.At.Sub(c.Since), slices.ContainsFunc(stand, s.isHostBusy)
	if waits >= unwatched && s.isRanked() && (!occupied || waits >= longWrite) {
		return c
	}
	c.Severity, c.After = cluster.Note, s.hangTime()
	if occupied {
		c.After = s.standstillLimit()
	}
	if len(stand) == 1 && stand[0].Writes() { // its checkpoint continues
		c.After = max(c.After, longWrite)
	}
	return c
}

// hangTime is how long the GPUs of a job must wait before it seems to hang: a fixed time, or twice its longest
// standstill.
func (s ruleSubject) hangTime() time.Duration {
	least := s.limits.durationOf(HangSeconds)
	if still := s.Peers.Pace.Still; still > 0 {
		return max(least, min(2*still, longestPause))
	}
	return least
}

// standstillLimit is how long a job may stand still while its host side works: the time of an evaluation or a
// checkpoint on one rank, or twice its longest standstill.
func (s ruleSubject) standstillLimit() time.Duration {
	return max(longWork, min(2*s.Peers.Pace.Still, longestPause))
}

// isRanked reports whether processes on GPUs of the job are ranks of one program.
func (s ruleSubject) isRanked() bool {
	return slices.ContainsFunc(s.Peers.GPUs, func(p cluster.Peer) bool {
		process := signs.ProcessOf(p.Node, p.Own)
		return process != nil && process.Rank != nil && process.Rank.World != nil && *process.Rank.World > 1
	})
}
