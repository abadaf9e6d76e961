package signal

import (
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Draw draws the dialog over the page.
func (c *Cancel) Draw(f *part.Frame) {
	if c.picker != nil {
		c.picker.drawPicker(f, "Send which signal to job "+c.job+"?")
		return
	}
	c.jobBox(f.Scene).drawBox(f)
}

// jobBox returns the box with the job and the choices.
func (c *Cancel) jobBox(s *part.Scene) boxText {
	b := boxText{title: "Cancel job " + c.job + "?", head: c.describeJob(s), at: -1, focus: keys.HintOf(keys.Leave)}
	switch {
	case c.asked != nil:
		c.addAnswer(s, &b)
	case c.steps:
		b.title = "Send " + c.by.String() + " to job " + c.job + "?"
		b.foot = append(wrapSentence(s, part.Dim(c.scancelCommand(c.by.Name())+
			" signals all steps that srun started, on all nodes, but not the batch script.")),
			wrapSentence(s, part.Dim(c.by.effectText()))...)
		b.keys = []keys.Hint{keys.HintOf(keys.Send), keys.HintOf(keys.OtherSignal), keys.HintOf(keys.Other)}
	default:
		b.foot = wrapWarning(s, "All its processes will end, on all nodes. Unsaved work will be lost.")
		b.foot = append(b.foot, c.typed.textPieces("to run "+c.scancelCommand("")+", type the job ID: "))
		if c.wrong {
			b.foot = append(b.foot, []part.Piece{{Text: "that is not " + c.job, Role: draw.Warn}})
		}
		b.keys = []keys.Hint{keys.HintOf(keys.Choose).As("run scancel"),
			keys.HintOf(keys.Other).As("send a signal instead")}
	}
	return b
}

// addAnswer adds SLURM's answer to the box.
func (c *Cancel) addAnswer(s *part.Scene, b *boxText) {
	b.title, b.focus = c.scancelCommand(c.asked.Signal), keys.HintOf(keys.Leave).As("close")
	if c.said == nil {
		b.foot = [][]part.Piece{{part.Dim("no answer from SLURM yet")}}
	}
	for _, a := range c.said {
		b.foot = append(b.foot, wrapSentence(s, part.Piece{Text: a.text, Role: a.role})...)
	}
}

func (c *Cancel) describeJob(s *part.Scene) [][]part.Piece {
	job := s.Snap.JobWith(c.job)
	if job == nil {
		return [][]part.Piece{{part.Strong(c.job), part.Piece{Text: "  SLURM no longer lists this job",
			Role: draw.Warn}}}
	}
	jobs := c.jobsThatEnd(s)
	nodes, gpus := 0, 0
	for _, j := range jobs {
		nodes, gpus = nodes+len(j.Nodes), gpus+j.GPUs
	}
	size := []string{part.Plural(nodes, "node", "nodes")}
	if gpus > 0 {
		size = append(size, part.Plural(gpus, "GPU", "GPUs"))
	}
	if !job.End.IsZero() {
		size = append(size, draw.JobTime(job.End.Sub(s.Snap.At))+" left")
	}
	lines := [][]part.Piece{
		{part.Strong(job.ID), part.Text("  " + job.Name), part.Dim("  of " + job.User)},
		{part.Text(strings.Join(size, ", "))},
	}
	if len(jobs) > 1 {
		lines = append(lines, []part.Piece{{Text: "the whole heterogeneous job: " + strconv.Itoa(len(jobs)) +
			" components", Role: draw.Warn}})
	}
	return lines
}

// jobsThatEnd returns the jobs that end when this one is canceled. For the first component of a heterogeneous job,
// these are all components.
func (c *Cancel) jobsThatEnd(s *part.Scene) (jobs []*cluster.JobView) {
	leader, first := strings.CutSuffix(c.job, "+0")
	for i := range s.Snap.Jobs {
		if j := &s.Snap.Jobs[i]; j.ID == c.job || first && strings.HasPrefix(j.ID, leader+"+") {
			jobs = append(jobs, j)
		}
	}
	return jobs
}
