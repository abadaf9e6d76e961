package lists

import (
	"context"
	"errors"
	"slices"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
	"github.com/nvnodetop/nvnodetop/internal/slurm/queue"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Waiting says why a job waits: what is known of it, and what SLURM says when the user asks. The zero Waiting has no
// job.
type Waiting struct {
	id     string
	job    *cluster.PendingJob // nil: it does not wait any more
	asked  *nav.Waiting        // the question that has no answer yet
	found  *queue.Wait         // nil: there is no answer
	failed string              // why there is none
}

// Wants asks for the jobs: the user may be waiting for this one to begin.
func (p *Waiting) Wants(*part.Scene) nav.Wants { return nav.Wants{Jobs: true} }

// Arrive takes another job.
func (p *Waiting) Arrive(s *part.Scene, to nav.Go) nav.Answer {
	if to.Choice != "" && to.Choice != p.id {
		*p = Waiting{id: to.Choice}
	}
	p.Settle(s)
	return nav.Answer{}
}

// Settle looks up the job.
func (p *Waiting) Settle(s *part.Scene) {
	p.job = nil
	if s.Snap == nil {
		return
	}
	all := s.Snap.Discovery.Pending
	if at := slices.IndexFunc(all, func(j cluster.PendingJob) bool { return j.ID == p.id }); at >= 0 {
		p.job = &all[at]
	}
}

// waitingCode is the code of the page's own actions.
var waitingCode = nav.CodeTable[*Waiting]{{Of: keys.Estimate, Do: (*Waiting).askSLURM}}

// Actions returns the actions that have code.
func (p *Waiting) Actions() []key.Binding { return waitingCode.Actions() }

// askSLURM asks SLURM, unless it still answers.
func (p *Waiting) askSLURM(*part.Scene) nav.Answer {
	if p.asked != nil || p.job == nil {
		return nav.Taken
	}
	p.asked = &nav.Waiting{Job: p.id}
	return nav.Answer{Taken: true, Ask: []nav.Ask{{Waiting: p.asked}}}
}

// Press answers a key, or takes SLURM's answer.
func (p *Waiting) Press(msg tea.Msg, s *part.Scene) nav.Answer {
	r, is := msg.(nav.Result)
	if !is {
		return waitingCode.Do(p, msg, s)
	}
	if r.Waiting == nil || r.Waiting != p.asked { // of another job
		return nav.Taken
	}
	p.asked, p.failed = nil, ""
	switch {
	case errors.Is(r.Err, context.DeadlineExceeded):
		p.failed = "SLURM did not answer in time"
	case r.Err != nil:
		p.failed = safe.Line(r.Err.Error(), longestWords)
	default:
		p.found = r.Wait
	}
	return nav.Taken
}

// longestWords limits SLURM's words for a failure.
const longestWords = 400

// waitingTop is the row of the title.
const waitingTop = 2

// Draw draws the page.
func (p *Waiting) Draw(f *part.Frame) {
	header.Title(f)
	title := "Waiting job " + p.id
	if p.job != nil {
		title += " " + p.job.Name
	}
	f.Section(waitingTop, draw.ClipMiddle(title, max(f.W-26, 12)), p.askedText(f))
	y := f.Paragraphs(waitingTop+2, p.knownFacts(f))
	f.Paragraphs(y+1, p.answerLines(f))
	hints := footer.LastHints
	if p.job != nil && p.asked == nil {
		hints = slices.Concat([]keys.Hint{keys.HintOf(keys.Estimate)}, hints)
	}
	footer.Draw(f, "", hints...)
}

// askedText says how old the answer is.
func (p *Waiting) askedText(f *part.Frame) string {
	if p.found == nil {
		return ""
	}
	return "asked " + draw.Age(max(f.Snap.At.Sub(p.found.Asked), 0)) + " ago"
}

// knownFacts are what is known without a question.
func (p *Waiting) knownFacts(f *part.Frame) []string {
	if p.job == nil {
		return []string{"job " + p.id + " does not wait any more"}
	}
	shape := part.Plural(p.job.Nodes, "node", "nodes")
	if p.job.GPUs != nil {
		shape += ", " + part.Plural(*p.job.GPUs, "GPU", "GPUs")
	}
	return []string{whyWaits(p.job, f.Snap.At), "partition " + p.job.Partition + ": " + shape}
}

// answerLines are what SLURM has said, or how to ask it.
func (p *Waiting) answerLines(f *part.Frame) (lines []string) {
	switch {
	case p.asked != nil:
		lines = []string{"Asking SLURM: scontrol, squeue, sprio and sbatch --test-only, one after the other…"}
	case p.failed != "":
		lines = []string{"There is no answer: " + p.failed + "."}
	case p.found == nil && p.job != nil:
		return []string{keys.Name(keys.Estimate) + " asks SLURM what is ahead of the job, and when it would start as " +
			"it is, with half of the nodes or GPUs, and with half of the time. These are six commands, with pauses; " +
			"nothing is submitted."}
	}
	if p.found != nil {
		for _, line := range p.found.Answers(f.Snap.At) {
			lines = append(lines, safe.Line(line, longestWords))
		}
	}
	return lines
}

// whyWaits says why a job waits, and when SLURM plans to start it: "job 48302 waits: Resources · planned start
// 2026-11-20 21:49, in 3h07m".
func whyWaits(j *cluster.PendingJob, now time.Time) string {
	name := "job " + j.ID
	switch {
	case j.Booting:
		return name + ": its nodes are allocated, and are booting"
	case j.NeverStarts():
		return name + " can never start: " + j.Reason
	case j.Reason == "" || j.Reason == "None":
		name += " waits: SLURM has not said why yet"
	default:
		name += " waits: " + j.Reason
	}
	if j.Start.IsZero() {
		return name + " · no planned start"
	}
	name += " · planned start " + j.Start.Format("2006-01-02 15:04")
	if j.Start.After(now) {
		name += ", in " + draw.Age(j.Start.Sub(now))
	}
	return name
}
