package say

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/pace"
	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/health/signs"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// hangingJob describes a job whose GPUs wait for each other.
func hangingJob(w *Words, e evidence) {
	c := e.compared
	if c.AtWork && e.severity < cluster.Warning {
		waitingJob(w, e)
		return
	}
	w.Long, w.Short = "job seems to hang", "job hangs?"
	w.Sentence = fmt.Sprintf("The job seems to hang in a collective: %d of %d GPUs are fully utilized, at %.0f W",
		c.Count, c.Of, c.Median[pace.Power])
	if usual := c.Own[pace.Power]; usual == usual {
		w.Sentence += fmt.Sprintf(" instead of %.0f W", usual)
	}
	w.Sentence += " and without memory traffic"
	if c.By == pace.None {
		w.Sentence += ", as long as nvnodetop has watched"
	}
	w.Sentence += e.firstToStop("; ")
	if c.Progress != nil && c.Progress.Silence != nil {
		w.Sentence += "; " + logSilence(c.Progress, e)
	}
	w.Sentence += standingText(e) + "."
	w.Hint = "unless it writes a checkpoint: nvnodetop stacks, or the page of the stacks, says where each " +
		e.wordForRank() + " is"
}

// waitingJob describes a job whose GPUs wait for one GPU that stands still, while its host side is at work.
func waitingJob(w *Words, e evidence) {
	c := e.compared
	w.Long, w.Short = "GPUs wait for one process", "GPUs wait"
	w.Sentence = fmt.Sprintf("%d of %d GPUs wait in a collective%s; its process or its node is at work.", c.Count, c.Of,
		e.firstToStop(": "))
	w.Hint = "it may write a checkpoint or prepare data: if that takes longer than it should, look at its log"
}

// sayAwaited describes a place for which a job waits that stands still: what it does, and what the others do.
func sayAwaited(w *Words, e evidence) {
	c, since := e.compared, ""
	if at := c.First.Since; !at.IsZero() {
		since = ", idle since " + at.Format(time.TimeOnly)
	}
	w.Flag, w.Short = "!AWAITED", "awaited by the job"
	who := w.Short + e.rankAndProcess()
	if e.every {
		w.Short = "GPUs awaited by the job"
		who = w.Short
	}
	w.Long, who = w.Short+since, who+since
	if c.Of > 0 {
		who += fmt.Sprintf("; %d of %d GPUs %s", c.Count, c.Of, e.stand())
	}
	w.Sentence = Sentence(who)
	if d := e.stacks; d != nil && d.State == rankstacks.Stuck && d.Headline != "" {
		w.Sentence += fmt.Sprintf(" At %s: %s.", d.Time.Format(time.TimeOnly), d.Headline)
	}
}

// stand says what the GPUs of a job that stands still do.
func (e evidence) stand() string {
	if e.kind == cluster.KindJobIdle {
		return "are idle"
	}
	return "wait in a collective"
}

// firstToStop names the GPUs that stopped first, with the time: ": GPU5 on n02 (rank 13) has been idle since
// 11:02:33"; "" if none is known.
func (e evidence) firstToStop(sep string) string {
	first, places := e.compared.First, e.compared.Places
	if len(places) == 0 {
		return ""
	}
	who, now, since := e.nameStopped(), " are idle", " have been idle since "
	if first.GPUs == 1 {
		who, now, since = placeName(e.job, places[0])+e.processAt(places[0]), " is idle", " has been idle since "
	}
	if first.Since.IsZero() {
		return sep + who + now
	}
	return sep + who + since + first.Since.Format(time.TimeOnly)
}

// nameStopped names several GPUs: "the 8 GPUs of n02", "12 GPUs on n01 and n02".
func (e evidence) nameStopped() string {
	first := e.compared.First
	gpus := fmt.Sprintf("%d GPUs", first.GPUs)
	if len(e.job.Nodes) == 1 {
		return gpus
	}
	var names []string
	for _, p := range e.compared.Places {
		names = append(names, p.Node)
	}
	if more := first.Nodes - len(names); more > 0 {
		names = append(names, text.Count(more, "more node"))
	}
	last := len(names) - 1
	on := names[last]
	if last > 0 {
		on = strings.Join(names[:last], ", ") + " and " + on
	}
	if first.Whole {
		return "the " + gpus + " of " + on
	}
	return gpus + " on " + on
}

// processAt names the process on a GPU of the job.
func (e evidence) processAt(p cluster.Differing) string {
	if n := e.nodes[p.Node]; n != nil {
		for i := range n.GPUs {
			if g := &n.GPUs[i]; g.Key == p.Key {
				return inBrackets(signs.ProcessOf(n, g))
			}
		}
	}
	return ""
}

// isRanked reports whether a process of the job is one of several ranks.
func (e evidence) isRanked() bool {
	for _, name := range e.job.Nodes {
		if n := e.nodes[name]; n != nil && slices.ContainsFunc(n.Processes, isRank) {
			return true
		}
	}
	return false
}

func isRank(p wire.Process) bool { return p.Rank != nil && p.Rank.World != nil && *p.Rank.World > 1 }

// wordForRank returns the word for a process of the job.
func (e evidence) wordForRank() string {
	if e.isRanked() {
		return "rank"
	}
	return "process"
}

// Unchecked says why a kind of problem cannot be found, unless it is merely too early.
func Unchecked(why cluster.Unchecked) string {
	switch why {
	case cluster.TooSeldom:
		return fmt.Sprintf("nodes report too rarely: it needs reports less than %s apart", formatDuration(pace.Lapse))
	case cluster.BriefLags:
		return fmt.Sprintf("a lag that comes and goes is not seen: it needs reports at most %s apart",
			formatDuration(pace.SeesBouts))
	case cluster.NodesApart:
		return "the nodes of this job are not compared with each other: no traffic between them is visible, for " +
			"example because the counters of the network are hidden"
	}
	return ""
}
