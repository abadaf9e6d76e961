package doctor

import (
	"fmt"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster/clean"
	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/output/export"
)

// judgeRanks judges the ranks of the job that the user asks about. A stuck job is a warning.
func judgeRanks(f *Facts) *JobState {
	j := &f.Job
	state := &JobState{ID: j.ID}
	ranks := Step{Name: "stacks", Verdict: Failed, Took: j.Took.Seconds()}
	switch {
	case j.Stacks != nil:
		state.Stacks = export.Stacks(clean.Stacks(j.Stacks))
		state.Steps = []Step{judgeStacks(j.Stacks, j.Took), judgeNCCL(j.Stacks.NCCL)}
	case j.Failure != nil:
		ranks.Text = j.Failure.Error()
	case j.Runs || !f.Slurm.Asked:
		ranks.Verdict, ranks.Text = Skipped, interrupted
	default:
		ranks.Text = fmt.Sprintf("job %q is not one of your running jobs", j.ID)
	}
	if state.Steps == nil {
		state.Steps = []Step{ranks}
	}
	state.Verdict = worstVerdict(state.Steps)
	return state
}

// judgeStacks returns the result of the two looks. Only the first sentence is given.
func judgeStacks(d *rankstacks.Verdict, took time.Duration) Step {
	s := Step{Name: "stacks", Verdict: OK, Text: string(d.State), Took: took.Seconds()}
	if len(d.Said) > 0 {
		s.Text += ": " + d.Said[0]
		s.Meaning = strings.Join(d.Said[1:], " ")
	}
	if d.State == rankstacks.Stuck || d.Read == 0 {
		s.Verdict = Warning
	}
	for i := range d.Refused {
		r := &d.Refused[i]
		hint := fmt.Sprintf("%d not read: %s; %s", r.Count, r.Cause, r.Hint)
		s.Hints = append(s.Hints, strings.TrimSuffix(hint, "; "))
	}
	return s
}

// judgeNCCL returns what the job's own NCCL library says.
func judgeNCCL(n *rankstacks.NCCL) Step {
	if n == nil || len(n.Said) == 0 {
		return Step{Name: "NCCL", Verdict: Skipped,
			Text: "no answer: no NCCL, one before 2.29, or its RAS is off"}
	}
	if n.State == rankstacks.NCCLNotAsked {
		return Step{Name: "NCCL", Verdict: Skipped, Text: n.Said[0]}
	}
	return Step{Name: "NCCL", Verdict: OK, Text: n.Said[0], Meaning: strings.Join(n.Said[1:], " ")}
}
