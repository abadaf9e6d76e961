package health

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/pace"
)

// peerRule is one kind of problem found by comparing the GPUs of a job. Its severity is the highest that the problem
// can have.
type peerRule struct {
	rule
	find func(ruleSubject) []cluster.Condition // replaces holds
}

var peerRules = []peerRule{
	{rule{kind: cluster.KindRankGone, scope: cluster.ScopePeers, severity: cluster.Critical, after: listedAgain,
		when: "The process of a rank has left its GPU, for 90 s, at least as many ranks of its program still run, " +
			"and those work together and have done nothing but wait for 20 s. A note while they go on.", source: "own"},
		ranksGone},
	{rule{kind: cluster.KindStepSlower, scope: cluster.ScopePeers, severity: cluster.Note, watch: pastKnown,
		when: "For 5 minutes all that the GPUs of the job move (memory reads, PCIe and NVLink, the network) has " +
			"fallen alike, to 0.85 or less of what it was steadily for 12 minutes, and they take less power with as " +
			"much memory in use: the same program makes fewer steps. Each GPU must have a rank of its own, unless the " +
			"GPUs are as busy at a lower clock. Or the log of the job says for 5 minutes that its steps take 1.15 times as " +
			"long as before, or longer. Not while a GPU lags, and for 10 minutes after.", source: "own"}, stepsSlower},
	{rule{kind: cluster.KindStalled, scope: cluster.ScopePeers, severity: cluster.Note, watch: aMinute,
		when: "In the last 10 minutes all ranks of the job were stuck for 90 s or more, at least twice as long as ever " +
			"before, and went on. Not if a GPU worked or a node wrote meanwhile.", source: "own"}, stoodStill},
	{rule{kind: cluster.KindTooLong, scope: cluster.ScopePeers, severity: cluster.Note, after: steadyForecast,
		when: "By its steps, their pace and what its log says, the program ends 10 minutes or more after the time limit " +
			"of the job, and by 5% of the time that it still needs; for 10 minutes. Not if it went on from a checkpoint, " +
			"or another job of its name waits: such a chain of jobs needs no longer limit.", source: "own"}, takesTooLong},
	{rule{kind: cluster.KindJobHang, scope: cluster.ScopePeers, often: true, severity: cluster.Warning, lasts: HangSeconds,
		only: true,
		when: "For {hang_seconds} s, or twice as long as it ever stopped before, no GPU of the job does more than " +
			"wait: some run kernels all the time, at 0.6 of their usual power, without memory traffic and with 1% of " +
			"their usual traffic over PCIe and NVLink, the others are idle. If one is idle whose process is at " +
			"work or whose node writes: for 5.5 minutes. A note until 15 minutes if it is the only one, and is seen " +
			"at work: it or its node writes 0.1 GB/s, or it uses part of a core and reads or writes, or might where " +
			"the network shows no traffic. A note if " +
			"nobody has seen the job work, and a warning after 8 minutes if it has ranks, or after 15 if a process " +
			"whose GPU is idle is at work.", source: "own"}, findHangingJob},
	{rule{kind: cluster.KindLogSilent, scope: cluster.ScopePeers, severity: cluster.Note,
		watch: func(*Thresholds) time.Duration { return logSilentFor },
		when: "The log of the job says steps and has not grown for 10 minutes, 20 times as long as it usually takes, and " +
			"twice as long as ever before. Not after the last step.", source: "own"}, logSilent},
	{rule{kind: cluster.KindLag, scope: cluster.ScopePeers, often: true, severity: cluster.Warning, lasts: LagSeconds,
		when: "For {lag_seconds} s a GPU has less than {lag_ratio} of the utilization or the SM clock of the others, " +
			"and of what is usual for it, and they do less because of it; or it works while they wait for part of " +
			"the time. For four times as long: the same from 0.85 on; or its memory is busy for longer while they " +
			"wait; or it takes 0.6 of its usual power or memory traffic at the same utilization; or it is much " +
			"slower than the others for as long as it is watched, and they wait. Only where GPUs work together, in " +
			"step. Of two or three GPUs, each step must move what it always did, at a lower pace; if they were never " +
			"in step, only one that clocks below 0.8 of the others, at less power, is slow. Where the load of " +
			"all wanders, the GPU with the most or the least is no fault. A note if it has always been slow and they " +
			"do not wait, or if it works for a minute while the others do nothing but wait; a warning when that " +
			"lasts for 15 minutes and for twice as long as the job ever stopped. " +
			"It ends when a ratio is a tenth from its limit, " +
			"or half of the way to no difference. " +
			"While the job pauses, as for a checkpoint, a GPU that lagged still does, for up to 2 minutes. " +
			"A GPU that lags five times in a row, at most 3 minutes apart, while the others make steps and do not lag " +
			"as often, lags again and again.",
		source: "NVIDIA Resiliency Extension"}, findLaggingGPUs},
	{rule{kind: cluster.KindLowClock, scope: cluster.ScopePeers, severity: cluster.Warning, after: 2 * time.Minute,
		when: "For 2 minutes the GPU is fully utilized below 0.35 of its highest SM clock, or below 0.6 of its usual " +
			"one, far from its power limit, and the driver names no reason. Not if it lags.", source: "own"}, clockedLow},
	{rule{kind: cluster.KindLinkUnused, scope: cluster.ScopePeers, often: true, severity: cluster.Warning,
		after: time.Minute,
		when: "For a minute NVLink of a busy GPU carries nothing, and 1 GiB/s go over PCIe in each direction, while " +
			"NVLink of others carries that much, and they work in step; or on all GPUs of the node, whose ranks run " +
			"kernels all the time, at 0.75 of the power limit and little memory traffic: they wait for the exchange. " +
			"For 4 minutes if nobody has seen NVLink in use. A note if it was in use, and they have no ranks: they may " +
			"do other work now.", source: "own"}, linkUnused},
	{rule{kind: cluster.KindJobIdle, scope: cluster.ScopePeers, often: true, severity: cluster.Warning, watch: aMinute,
		when: "No GPU of a job that works most of the time has worked for {hang_seconds} s, or for twice its longest " +
			"pause, and its processes do nothing; for 7 minutes if they are at work or nobody knows, for 15 if one " +
			"is seen to write or read. A note after 60 s, and if the job has not used a GPU at all. The only GPU of a job: " +
			"{idle_minutes} minutes, a warning after six times as long. It says when your site ends idle jobs, if " +
			"that is known ({idle_kill_minutes} min; 0: it is not).", source: "own"}, allIdle},
	{rule{kind: cluster.KindIdle, scope: cluster.ScopePeers, often: true, severity: cluster.Warning, watch: idleMinutes,
		when: "The GPU has run no kernel, read no memory and sent nothing for {idle_minutes} minutes, while others " +
			"of the job work: after a pause of the job of 2 minutes or more, the time counts anew. It says when your " +
			"site ends idle jobs, if that is known ({idle_kill_minutes} min; 0: it is not). A note until six times " +
			"as long, and 90 samples.", source: "Princeton jobstats"}, findIdleGPUs},
	{rule{kind: cluster.KindImbalance, scope: cluster.ScopePeers, often: true, severity: cluster.Note, after: time.Minute,
		when: "For a minute the GPU has had 1.5 times as much memory in use as the median of the job's GPUs of this " +
			"model, and 10 GiB more.", source: "own"}, findFullerGPUs},
}

// If samples are far apart, an evaluation of some seconds looks like minutes.
const (
	// fewestSamples is the least number of intervals for which the GPUs of a job must differ. It is manySamples or
	// longMild, whichever is less, if they differ mildly, or only by their power, or if the slow GPU changes.
	fewestSamples, manySamples = 5, 12
	longMild                   = 5*time.Minute + 30*time.Second
)

// compareGPUs returns the conditions that hold when the GPUs of a job are compared.
func compareGPUs(s ruleSubject) []cluster.Condition {
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
				c.After = s.limits.durationOf(r.lasts)
			}
			if c.After > moreThanOnce { // time also counts in samples
				c.After = max(c.After, leastTime(&c, s.Peers.Pace.Step)/c.Slowness())
			}
			held = append(held, c)
		}
		if r.only && len(found) > 0 {
			break
		}
	}
	held = onceForAll(s, oncePerGPU(s, held))
	held = append(held, findUnclearLags(s, held)...)
	return append(held, justUneven(s)...)
}

// leastTime is how long a condition must hold at least, if comparisons are a step apart.
func leastTime(c *cluster.Condition, step time.Duration) time.Duration {
	unsure := c.Kind == cluster.KindLag && !c.Unclear && (c.Of == nil || c.Compared.How == cluster.Awaited)
	if c.Mild || unsure {
		return min(manySamples*step, longMild)
	}
	return fewestSamples * step
}

// peer is a GPU that differs from the others of its model.
type peer struct {
	cluster.Peer
	group *pace.Group
	all   *differences // of the group, if the peer was picked
}

// newCondition returns a condition of the GPU, with its evidence.
func (p peer) newCondition(c cluster.Condition, how cluster.Difference) cluster.Condition {
	c.Of = &p.Peer
	c.Compared = &cluster.Comparison{
		How: how, By: p.group.Evidence, Own: p.Mean, Used: [2]float64{float64(p.Used), float64(p.group.Used)},
		Count: 1, Of: len(p.group.GPUs), Seen: !p.Worked.IsZero(),
	}
	for m := range pace.Measures {
		c.Compared.Median[m] = p.group.Others(p.GPU, m)
	}
	return c
}

// pickPeers returns the GPUs that one test picks, in the groups that another test picks.
func pickPeers(s ruleSubject, groups func(*pace.Group) bool, test func(*pace.Group, *pace.GPU) bool) []peer {
	var found []peer
	var last *pace.Group
	picked := false
	var all *differences
	for _, p := range s.Peers.GPUs {
		g := s.Peers.Pace.GroupOf(p.GPU)
		if g != last {
			last, picked, all = g, g != nil && groups(g), &differences{}
		}
		if picked && test(g, p.GPU) {
			found = append(found, peer{p, g, all})
		}
	}
	return found
}

// halt is how long the GPUs of a program must only wait to count as stopped.
const halt = 20 * time.Second

// ranksGone finds GPUs whose rank has ended while other ranks run. It is a problem if the other ranks need the ended
// one: they work together, and wait.
func ranksGone(s ruleSubject) []cluster.Condition {
	var held []cluster.Condition
	for _, gone := range s.Peers.Gone(s.Job) {
		c := cluster.Condition{Of: &gone.Peer, Compared: &cluster.Comparison{Rank: &gone.SeenRank}}
		if g := s.Peers.Pace.GroupOf(gone.GPU); s.isRankAwaited(&gone) {
			c.Severity, c.Compared.By, c.Compared.Waiting = cluster.Critical, g.Evidence, gone.Moved
		}
		held = append(held, c)
	}
	return held
}

// isRankAwaited reports whether the others wait for a rank that has ended. Ranks that write their results are not
// waiting.
func (s ruleSubject) isRankAwaited(gone *cluster.GoneRank) bool {
	g := s.Peers.Pace.GroupOf(gone.GPU)
	return g != nil && g.Together() && s.Peers.At.Sub(gone.Moved) >= s.atLeastTwoSamples(halt) && (g.Spinning > 0 ||
		!gone.Writes && (!s.isHidden() || s.oneSpins()))
}

// oneSpins reports whether a GPU of the job waits for others in a collective.
func (s ruleSubject) oneSpins() bool {
	return slices.ContainsFunc(s.Peers.Pace.Groups, func(g pace.Group) bool { return g.Spinning > 0 })
}

const (
	// longIdle times the idle time after which a GPU is reported is the idle time after which it needs a look. That is
	// at least idleSamples times the interval, since short work between two samples is not seen.
	longIdle, idleSamples = 6, 90

	// justWorked is how recently a GPU must have worked to count as working.
	justWorked = 30 * time.Second
)

// findIdleGPUs finds GPUs that are idle while others of the job work.
func findIdleGPUs(s ruleSubject) []cluster.Condition {
	now, least := s.Peers.At, s.limits.durationOf(IdleMinutes)
	if now.Sub(s.Peers.Pace.Worked) > s.atLeastTwoSamples(justWorked) {
		return nil
	}
	latest := now.Add(-least)
	if s.Peers.Pace.Resumed.After(latest) { // the others resumed work after that
		return nil
	}
	idle := pickPeers(s, isAnyGroup, func(_ *pace.Group, g *pace.GPU) bool { return !g.Idle().After(latest) })
	var held []cluster.Condition
	for _, p := range idle {
		c := cluster.Condition{Since: p.Idle()}
		if now.Sub(c.Since) >= max(longIdle*least, idleSamples*s.Peers.Pace.Step) {
			c.Severity = cluster.Warning
		}
		c = p.newCondition(c, cluster.Starved)
		c.Compared.Allowed = s.limits.durationOf(IdleKillMinutes)
		c.Compared.Count, c.Compared.Of = len(idle), len(s.Peers.GPUs)+s.Peers.Away
		held = append(held, c)
	}
	return held
}

func isAnyGroup(*pace.Group) bool { return true }

const (
	// A GPU has much more memory in use than the others of its model if it exceeds their median by this factor and by
	// this difference.
	muchMore      = 1.5
	muchMoreBytes = 10 << 30
)

// findFullerGPUs finds GPUs that have much more memory in use than the others.
func findFullerGPUs(s ruleSubject) []cluster.Condition {
	var held []cluster.Condition
	for _, p := range pickPeers(s, (*pace.Group).Coupled, func(g *pace.Group, gpu *pace.GPU) bool {
		return gpu.Used > muchMore*g.Used && gpu.Used > g.Used+muchMoreBytes
	}) {
		held = append(held, p.newCondition(cluster.Condition{}, cluster.Starved))
	}
	return held
}
