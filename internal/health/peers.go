package health

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/pace"
)

// peerRule is one kind of problem that shows when the GPUs of a job are compared. The severity is the highest that it has.
type peerRule struct {
	rule
	find func(subject) []cluster.Condition // in place of holds
}

var peerRules = []peerRule{
	{rule{kind: cluster.KindRankGone, scope: cluster.ScopePeers, severity: cluster.Critical, after: listedAgain,
		when: "The process of a rank has left its GPU, for 90 s, and at least as many ranks of its program still run. A warning unless the GPUs of the job have worked in step: other programs may end one by one.", source: "own"}, ranksGone},
	{rule{kind: cluster.KindJobHang, scope: cluster.ScopePeers, severity: cluster.Warning, lasts: HangSeconds, only: true,
		when: "For {hang_seconds} s most GPUs of the job run kernels all the time, at half of their usual power, without memory traffic and with 1% of the usual traffic over PCIe and NVLink. A note if it is not known what is usual.", source: "own"}, hanging},
	{rule{kind: cluster.KindLag, scope: cluster.ScopePeers, severity: cluster.Warning, lasts: LagSeconds,
		when: "For {lag_seconds} s the utilization or the SM clock is below {lag_ratio} of the median of the job's GPUs of this model, and of what is usual for the GPU; or it works while the others wait for it. Only in jobs whose GPUs work in step. A note if the GPU has always been slower, unless its process has little CPU. While the job pauses, as for a checkpoint, a GPU that lagged still does, for up to 2 minutes.", source: "NVIDIA Resiliency Extension"}, lagging},
	{rule{kind: cluster.KindJobIdle, scope: cluster.ScopePeers, severity: cluster.Warning, watch: aMinute,
		when: "No GPU of a job that works most of the time has worked for 60 s, or for twice its longest pause; the only GPU of a job for {idle_minutes} minutes. It says when your site ends idle jobs, if that is known ({idle_kill_minutes} min; 0: it is not). A note if the job has not used a GPU at all.", source: "own"}, allIdle},
	{rule{kind: cluster.KindIdle, scope: cluster.ScopePeers, severity: cluster.Warning, watch: idleMinutes,
		when: "The GPU has run no kernel, read no memory and sent nothing for {idle_minutes} minutes, while others of the job work. It says when your site ends idle jobs, if that is known ({idle_kill_minutes} min; 0: it is not). A note until six times as long.", source: "Princeton jobstats"}, idling},
	{rule{kind: cluster.KindImbalance, scope: cluster.ScopePeers, severity: cluster.Note, after: time.Minute,
		when: "The GPU has 1.5 times as much memory in use as the median of the job's GPUs of this model, and 10 GiB more.", source: "own"}, unbalanced},
}

// comparing returns the conditions that hold when the GPUs of a job are compared.
func comparing(s subject) []cluster.Condition {
	var held []cluster.Condition
	for i := range peerRules {
		r := &peerRules[i]
		found := r.find(s)
		for _, c := range found {
			c.Kind = r.kind
			if c.After == 0 {
				c.After = r.after
			}
			if c.After == 0 && r.lasts != noThreshold {
				c.After = s.limits.seconds(r.lasts)
			}
			held = append(held, c)
		}
		if r.only && len(found) > 0 {
			break
		}
	}
	return append(held, unclear(s, held)...)
}

// peer is a GPU that differs from the others of its model.
type peer struct {
	cluster.Peer
	group *pace.Group
}

// condition returns a condition of the GPU, with its evidence.
func (p peer) condition(c cluster.Condition, how cluster.How) cluster.Condition {
	c.Of = &p.Peer
	c.Compared = &cluster.Comparison{
		How: how, Own: p.Mean, Median: p.group.Median, Used: [2]float64{float64(p.Used), float64(p.group.Used)},
		Count: 1, Of: len(p.group.GPUs), Seen: !p.Worked.IsZero(),
	}
	return c
}

// differing returns the GPUs that a test picks, in the groups that another one picks.
func differing(s subject, groups func(*pace.Group) bool, test func(*pace.Group, *pace.GPU) bool) []peer {
	var found []peer
	for i := range s.Peers.Pace.Groups {
		g := &s.Peers.Pace.Groups[i]
		if !groups(g) {
			continue
		}
		for _, p := range s.Peers.GPUs {
			if p.Model == g.Model && test(g, p.GPU) {
				found = append(found, peer{p, g})
			}
		}
	}
	return found
}

// ranksGone finds GPUs whose rank has ended while others run.
func ranksGone(s subject) []cluster.Condition {
	var held []cluster.Condition
	for _, gone := range s.Peers.Gone(s.Job) {
		severity := cluster.Warning
		for i := range s.Peers.Pace.Groups {
			if g := &s.Peers.Pace.Groups[i]; g.Model == gone.Model && g.Coupled() {
				severity = cluster.Critical
			}
		}
		held = append(held, cluster.Condition{Severity: severity, Of: &gone.Peer, Compared: &cluster.Comparison{Rank: &gone.SeenRank}})
	}
	return held
}

const (
	// longIdle is how many times longer than reported at all a GPU is idle when it needs a look.
	longIdle = 6

	// justWorked is how long ago a GPU has worked at most if it works.
	justWorked = 30 * time.Second
)

// idling finds GPUs that are idle while others of the job work.
func idling(s subject) []cluster.Condition {
	now, least := s.Peers.At, s.limits.minutes(IdleMinutes)
	if now.Sub(s.Peers.Pace.Worked) > justWorked {
		return nil
	}
	latest := now.Add(-least)
	idle := differing(s, every, func(_ *pace.Group, g *pace.GPU) bool { return !g.Idle().After(latest) })
	var held []cluster.Condition
	for _, p := range idle {
		c := cluster.Condition{Since: p.Idle()}
		if now.Sub(c.Since) >= longIdle*least {
			c.Severity = cluster.Warning
		}
		c = p.condition(c, cluster.Starved)
		c.Compared.Allowed = s.limits.minutes(IdleKillMinutes)
		c.Compared.Count, c.Compared.Of = len(idle), len(s.Peers.GPUs)+s.Peers.Away
		held = append(held, c)
	}
	return held
}

func every(*pace.Group) bool { return true }

const (
	// stopped is how long no GPU of a job works before it is reported. A job with longer pauses gets twice the longest of them, up to
	// longestPause.
	stopped      = time.Minute
	longestPause = 30 * time.Minute

	// apart is how much earlier than the last GPU one stops at least to be the first.
	apart = 30 * time.Second
)

// allIdle finds a job of which no GPU works any more.
func allIdle(s subject) []cluster.Condition {
	p := s.Peers
	worked := p.Pace.Worked
	least := max(stopped, min(2*p.Pace.Pause, longestPause))
	if len(p.GPUs) == 1 {
		least = max(least, s.limits.minutes(IdleMinutes))
	}
	switch {
	case len(p.GPUs) == 0 || p.Away > len(p.GPUs)/3 || len(p.Pace.Groups) == 0:
		return nil
	case worked.IsZero():
		return unused(s)
	case p.At.Sub(worked) < least || !p.Pace.Steady():
		return nil
	}
	since := idleSince(p)
	if p.At.Sub(since) < least {
		return nil
	}
	c := cluster.Condition{Since: since, Compared: &cluster.Comparison{Count: len(p.GPUs), Of: len(p.GPUs) + p.Away, Seen: true, Allowed: s.limits.minutes(IdleKillMinutes)}}
	if len(p.GPUs) > 1 || p.At.Sub(since) >= longIdle*least {
		c.Severity = cluster.Warning
	}
	var first []cluster.Peer
	for _, g := range p.GPUs {
		if !g.Worked.IsZero() && worked.Sub(g.Worked) >= apart {
			first = append(first, g)
		}
	}
	if 2*len(first) < len(p.GPUs) {
		c.Compared.Places = cluster.NewPlaces(first, func(p cluster.Peer) time.Time { return p.Worked })
	}
	return []cluster.Condition{c}
}

// idleSince is since when none of the GPUs of a job is seen to work.
func idleSince(p *cluster.Peers) time.Time {
	since := p.Pace.Worked
	for _, g := range p.GPUs {
		if idle := g.Idle(); idle.After(since) {
			since = idle
		}
	}
	return since
}

// unused finds a job that has not used a GPU since it is watched.
func unused(s subject) []cluster.Condition {
	since := idleSince(s.Peers)
	if s.Peers.At.Sub(since) < s.limits.minutes(IdleMinutes) {
		return nil
	}
	n := len(s.Peers.GPUs)
	return []cluster.Condition{{Since: since, Compared: &cluster.Comparison{Count: n, Of: n + s.Peers.Away, Allowed: s.limits.minutes(IdleKillMinutes)}}}
}

const (
	// A job hangs if this share of its GPUs does nothing but run kernels, which read no memory, send nothing and take little power.
	spinning    = 0.75
	quietMemory = 2    // percent
	quietLink   = 0.01 // of the usual bytes
	quietPower  = 0.5  // of the usual power
)

// hanging finds a job whose GPUs wait for one that does not come.
func hanging(s subject) []cluster.Condition {
	severity := cluster.Warning
	total, full := 0, 0
	for i := range s.Peers.Pace.Groups {
		g := &s.Peers.Pace.Groups[i]
		quiet, sure := stands(g)
		if !quiet {
			return nil
		}
		if !sure {
			severity = cluster.Note
		}
		total, full = total+len(g.GPUs), full+g.Full
	}
	if total < 2 || float32(full) < spinning*float32(total) {
		return nil
	}
	var odd []cluster.Peer
	for _, p := range differing(s, every, func(g *pace.Group, gpu *pace.GPU) bool {
		return gpu.Mean[pace.Util] < pace.BusyFrom || gpu.Share[pace.Power] > 2
	}) {
		odd = append(odd, p.Peer)
	}
	return []cluster.Condition{{Severity: severity, Compared: &cluster.Comparison{
		Own: s.Peers.Pace.Groups[0].Usual, Median: s.Peers.Pace.Groups[0].Median, Count: full, Of: total + s.Peers.Away,
		Places: cluster.NewPlaces(odd, func(p cluster.Peer) time.Time { return p.Worked }),
	}}}
}

// stands reports whether the GPUs of a group only wait, and whether it is known what they do otherwise.
func stands(g *pace.Group) (quiet, sure bool) {
	memory, power, link := g.Median[pace.Memory], g.Median[pace.Power], g.Median[pace.Link]
	usual := g.Usual
	if usual[pace.Power] != usual[pace.Power] {
		return g.Quiet(), false
	}
	if !(memory <= quietMemory) || !(power <= quietPower*usual[pace.Power]) {
		return false, true
	}
	return !(usual[pace.Link] > pace.LeastLink) || link <= quietLink*usual[pace.Link], true
}

const (
	// A GPU has much more memory in use than the others of its model from this share of the median on, and this much more.
	muchMore      = 1.5
	muchMoreBytes = 10 << 30
)

// unbalanced finds GPUs that have much more memory in use than the others.
func unbalanced(s subject) []cluster.Condition {
	var held []cluster.Condition
	for _, p := range differing(s, (*pace.Group).Coupled, func(g *pace.Group, gpu *pace.GPU) bool {
		return gpu.Used > muchMore*g.Used && gpu.Used > g.Used+muchMoreBytes
	}) {
		held = append(held, p.condition(cluster.Condition{}, cluster.Starved))
	}
	return held
}
