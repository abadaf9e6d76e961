package say

import (
	"fmt"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/pace"
	"github.com/nvnodetop/nvnodetop/internal/health/signs"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// sameClock is the share of the others' SM clock at which a GPU counts as equally fast.
const sameClock = 0.9

// laggingGPU names the GPU that is slower than the others, or the GPUs between which the slowness moves.
func laggingGPU(w *Words, e evidence) {
	c := e.compared
	switch {
	case len(c.Places) > 0:
		wanderingLag(w, e)
		return
	case c.How == cluster.Slowed:
		e.lagsByClock(w)
	case c.How == cluster.Awaited:
		e.isAwaited(w)
	case c.How == cluster.Alone:
		e.isAwaitedByAll(w)
		return
	case c.How == cluster.Reads:
		e.readsLonger(w)
	case c.How == cluster.Less:
		e.doesLess(w)
	default:
		e.lagsByUse(w)
	}
	w.Sentence = "Lags" + e.rankAndProcess() + e.howOften() + ": " + w.Sentence
}

// howOften says, for a GPU that lags again and again, for how long of each period it does: " for 20s of each 60s".
func (e evidence) howOften() string {
	switch r := e.compared.Rhythm; {
	case r == nil:
		return ""
	case r.Coarse:
		return fmt.Sprintf(" again and again, %d times since %s", r.Times, r.Since.Format(time.TimeOnly))
	default:
		return fmt.Sprintf(" for about %s of each %s", formatDuration(r.Lasts.Round(time.Second)),
			formatDuration(r.Each.Round(time.Second)))
	}
}

// lagsByUse describes a GPU that has less to do than the others.
func (e evidence) lagsByUse(w *Words) {
	own, median := e.compared.Own[pace.Util], e.compared.Median[pace.Util]
	w.Flag = fmt.Sprintf("!LAG %.0f", own-median)
	w.Short = fmt.Sprintf("lags %.0f/%.0f%%", own, median)
	w.Long = fmt.Sprintf("lags: %.0f%% against a median of %.0f%%", own, median)
	facts := []string{fmt.Sprintf("%.0f%% against a median of %.0f%%", own, median)}
	switch own, median := e.compared.Own[pace.Clock], e.compared.Median[pace.Clock]; {
	case own > median/sameClock:
		facts = append(facts, fmt.Sprintf("a higher clock than the others (%.0f against %.0f MHz)", own, median))
	case own >= sameClock*median:
		facts = append(facts, fmt.Sprintf("same clocks as the others (%.0f MHz)", median))
	}
	cause := e.ofItsHost()
	w.giveReason(cause.why)
	w.Sentence, w.Hint = strings.Join(append(facts, cause.facts...), ", ")+cause.end+".", cause.hint
}

// lagsByClock describes a GPU that works at a lower clock than the others.
func (e evidence) lagsByClock(w *Words) {
	own, median := e.compared.Own[pace.Clock], e.compared.Median[pace.Clock]
	w.Flag = "!LAG clk " + strings.TrimPrefix(fmt.Sprintf("%.2f", own/median), "0")
	w.Short = fmt.Sprintf("lags %.0f/%.0f MHz", own, median)
	w.Long = fmt.Sprintf("lags: SM clock %.0f against a median of %.0f MHz", own, median)
	why := e.whySlow()
	w.giveReason(why)
	w.Sentence = fmt.Sprintf("SM clock %.0f MHz against a median of %.0f MHz", own, median)
	if why != "" {
		w.Sentence += " (" + why + ")"
	}
	w.Sentence += "; the others wait for it."
	w.Hint = "if it stays slow, report it to your admins"
}

// whySlow names the driver's reason for a low clock; "": it gives none.
func (e evidence) whySlow() string {
	bits := signs.Reasons(e.gpu)
	for _, r := range []struct {
		bits uint64
		name string
	}{
		{wire.ThrottleHWThermal | wire.ThrottleSWThermal, "thermal throttling" + e.temperatureAfter(", ")},
		{wire.ThrottleHWPowerBrake, "power brake"},
		{wire.ThrottleHWSlowdown, "hardware slowdown"}, {wire.ThrottleSWPowerCap, "power limit"},
		{wire.ThrottleAppClocks, "application clocks are set"},
	} {
		if bits&r.bits != 0 {
			return r.name
		}
	}
	return ""
}

// linkUnused describes a GPU whose exchange with others goes over PCIe.
func linkUnused(w *Words, e evidence) {
	l := e.compared.Lanes
	pcie := float64(l.TX+l.RX) / 2 / 1e9
	w.Flag, w.Short = "!UNUSED", "NVLink unused"
	w.Long = fmt.Sprintf("NVLink carries nothing, %.0f GB/s over PCIe", pcie)
	since := "as long as nvnodetop has watched"
	if l.Used() {
		since = "since " + l.Quiet.Format(time.TimeOnly)
	}
	w.Sentence = fmt.Sprintf("NVLink unused: it carries nothing %s, %.0f GB/s each way go over PCIe", since, pcie)
	if l.Used() {
		w.Sentence += fmt.Sprintf(" (usual over NVLink: %.0f GB/s)", float64(l.Past)/1e9)
	}
	w.Sentence += "."
	w.Hint = "peer-to-peer traffic has fallen back to PCIe: compare nvidia-smi topo -p2p n with another node, and " +
		"report it to your admins; fine if the program has changed, or offloads"
}

// lowClock describes a GPU with a low clock at full load and no known reason.
func lowClock(w *Words, e evidence) {
	own, usual := e.compared.Own[pace.Clock], e.compared.Median[pace.Clock]
	most, known := e.gpu.Get(metric.SMClockMax)
	w.Flag = "!CLOCK"
	w.Short = fmt.Sprintf("SM clock %.0f MHz", own)
	w.Long = fmt.Sprintf("SM clock %.0f MHz at full load", own)
	of := ""
	if known {
		of = fmt.Sprintf(" of %.0f", most)
	}
	w.Sentence = fmt.Sprintf("SM clock %.0f%s MHz at %.0f%% utilization", own, of, e.compared.Own[pace.Util])
	if usual > 0 {
		w.Sentence += fmt.Sprintf(", usually %.0f MHz", usual)
	}
	w.Sentence += "; the driver names no reason."
	w.Hint = "fine if the clocks are locked on purpose; otherwise the GPU may need a reset: report it to your admins"
}

// isAwaited describes a GPU that works while the others wait for it.
func (e evidence) isAwaited(w *Words) {
	own, median := e.compared.Own[pace.Power], e.compared.Median[pace.Power]
	w.Flag = "!LAG"
	w.Short = fmt.Sprintf("lags %.0f/%.0fW", own, median)
	w.Long = fmt.Sprintf("lags: works at %.0f W, the others wait at %.0f W", own, median)
	w.Sentence = fmt.Sprintf("it works at %.0f W while the others wait at a median of %.0f W.", own, median)
	w.Hint = "fine if this " + e.wordForRank() +
		" does something alone, such as an evaluation; otherwise look at its PCIe " +
		"and NVLink, and at other processes on it"
}

// isAwaitedByAll describes the only GPU that works, while the others do nothing but wait.
func (e evidence) isAwaitedByAll(w *Words) {
	c := e.compared
	wait := fmt.Sprintf("%d of %d GPUs wait for it", c.Count, c.Of)
	w.Flag = "!AWAITED"
	w.Short = fmt.Sprintf("%d GPUs wait for it", c.Count)
	w.Long = fmt.Sprintf("%s: works at %.0f W", wait, c.Own[pace.Power])
	w.Sentence = fmt.Sprintf("%s%s, which works at %.0f W, for %s: an evaluation on one %s, or the slow one.", wait,
		e.rankAndProcess(), c.Own[pace.Power], formatDuration(e.at.Sub(e.since)), e.wordForRank())
	w.Hint = "if it takes longer than it should, look at the log of this " + e.wordForRank() +
		", and at its stack with py-spy " +
		"dump"
}

// readsLonger describes a GPU whose memory is busy for longer than that of the others.
func (e evidence) readsLonger(w *Words) {
	own, median := e.compared.Own[pace.Memory], e.compared.Median[pace.Memory]
	w.Flag = "!LAG mem"
	w.Short = fmt.Sprintf("lags mem %.0f/%.0f%%", own, median)
	w.Long = fmt.Sprintf("lags: memory busy for %.0f%% of the time, others %.0f%%", own, median)
	w.Sentence = fmt.Sprintf("its memory is busy for %.0f%% of the time, that of the others for %.0f%%; they wait "+
		"for it.", own, median)
	w.Hint = e.whyMemoryIsBusy()
}

// doesLess describes a GPU that takes less power, or reads less memory, at the same utilization.
func (e evidence) doesLess(w *Words) {
	c := e.compared
	w.Flag = "!LAG"
	w.Short = fmt.Sprintf("lags %.0f/%.0fW", c.Own[pace.Power], c.Median[pace.Power])
	w.Long = fmt.Sprintf("lags: %.0f W against %.0f W at the same utilization", c.Own[pace.Power], c.Median[pace.Power])
	w.Sentence = fmt.Sprintf("%.0f W against a median of %.0f W at the same utilization", c.Own[pace.Power],
		c.Median[pace.Power])
	if own, median := c.Own[pace.Memory], c.Median[pace.Memory]; own == own && median == median {
		w.Sentence += fmt.Sprintf(", its memory is busy for %.0f%% of the time, that of the others for %.0f%%", own,
			median)
	}
	w.Sentence += "."
	w.Hint = "it does less than before, compared with the others: look at its memory and clocks, and at the balance " +
		"of the work"
}

// wanderingLag describes a job whose slow GPU changes.
func wanderingLag(w *Words, e evidence) {
	var places []string
	for _, p := range e.compared.Places {
		places = append(places, placeName(e.job, p))
	}
	w.Long, w.Short = "the slow GPU changes: "+strings.Join(places, ", then "), "slow GPU changes"
	w.Sentence = Sentence(w.Long)
	w.Hint = "when no single GPU is slow, the cause is often data loading: look at the input pipeline and the file " +
		"system"
}

// placeName names a GPU of a job: "GPU3 on n02".
func placeName(job *cluster.Job, p cluster.Differing) string {
	name := "a GPU"
	if p.Number != cluster.NoNumber {
		name = fmt.Sprintf("GPU%d", p.Number)
	}
	if len(job.Nodes) > 1 {
		name += " on " + p.Node
	}
	return name
}

// rankAndProcess names the rank and the process on the GPU: " (rank 11, PID 359811)"; "" if they are unknown.
func (e evidence) rankAndProcess() string { return inBrackets(signs.ProcessOf(e.node, e.gpu)) }

func inBrackets(p *wire.Process) string {
	switch {
	case p == nil:
		return ""
	case p.Rank != nil:
		return fmt.Sprintf(" (rank %d, PID %d)", p.Rank.Rank, p.PID)
	}
	return fmt.Sprintf(" (PID %d)", p.PID)
}

// idleGPU describes a GPU that does nothing while others work.
func idleGPU(w *Words, e evidence) {
	c := e.compared
	w.Flag, w.Long, w.Short = "!IDLE", "idle", "idle"
	if c.Seen {
		w.Sentence = "Idle" + e.rankAndProcess() + " while other GPUs" + e.ofJob() + " work"
		w.Hint = "if its program has ended, others may wait for it: look at its log"
		if e.isRanked() {
			w.Hint = "if the rank on it has ended, its job may wait for it: look at its log"
		}
	} else {
		w.Long, w.Short = "not used", "not used"
		w.Sentence = "Not used since nvnodetop started watching" + e.rankAndProcess()
		w.Hint = "ask for fewer GPUs, or check CUDA_VISIBLE_DEVICES and the number of ranks"
	}
	if c.Count > 1 {
		w.Sentence += fmt.Sprintf("; %d of %d GPUs are idle", c.Count, c.Of)
	}
	if used, known := e.gpu.Get(metric.MemoryUsed); known && used >= 1<<30 {
		w.Sentence += fmt.Sprintf("; %.0f GiB of its memory is in use", used/(1<<30))
	}
	w.Sentence += e.idleCountdown() + "."
}

// idleCountdown says when the site ends an idle job; "" if that is unknown.
func (e evidence) idleCountdown() string {
	allowed := e.compared.Allowed
	if allowed <= 0 {
		return ""
	}
	text := "; your site ends idle jobs after " + formatMinutes(allowed)
	if left := allowed - e.at.Sub(e.since); left > 0 {
		text += ": " + formatMinutes(left) + " left"
	}
	return text
}

// idleJob describes a job without any working GPU.
func idleJob(w *Words, e evidence) {
	c := e.compared
	all := "all GPUs idle"
	if c.Of == 1 {
		all = "GPU idle"
	}
	w.One, w.Long, w.Short = all, all, all
	if !c.Seen {
		w.Sentence = noneOf(c.Of) + " been used since nvnodetop started watching" + e.idleCountdown() + "."
		w.Hint = "if it should, check that its program finds the GPUs"
		return
	}
	if e.severity < cluster.Warning && c.Of > 1 {
		all = "all GPUs paused for " + formatDuration(e.at.Sub(e.since))
		if c.Longest >= aPause {
			all += fmt.Sprintf(", longer than any pause so far (%s)", formatDuration(c.Longest))
		}
	}
	w.Sentence = Sentence(all + e.firstToStop(": ") + standingText(e) + e.idleCountdown())
	w.Hint = "look at the job's log: it may write a checkpoint, wait for data, or have failed"
}

// aPause is the shortest time without work that is called a pause.
const aPause = 10 * time.Second

// noneOf begins a sentence about all GPUs of a job.
func noneOf(n int) string {
	if n == 1 {
		return "The GPU has not"
	}
	return fmt.Sprintf("None of the %d GPUs has", n)
}

// ofJob returns " of the job" if there is one: nodes that the user named have none.
func (e evidence) ofJob() string {
	if e.job.ID == "" {
		return ""
	}
	return " of the job"
}

// memoryImbalance describes a GPU with much more memory in use than the others.
func memoryImbalance(w *Words, e evidence) {
	own, median := e.compared.Used[0]/(1<<30), e.compared.Used[1]/(1<<30)
	w.Long = fmt.Sprintf("%.0f GiB of memory, the median is %.0f", own, median)
	w.Short = fmt.Sprintf("memory %.0f/%.0f GiB", own, median)
	w.Sentence = fmt.Sprintf("%.0f GiB of memory is in use%s, against a median of %.0f GiB.", own, e.rankAndProcess(),
		median)
	w.Hint = "the job can only grow until this GPU is full: look for tensors that are all on one " + e.wordForRank()
}
