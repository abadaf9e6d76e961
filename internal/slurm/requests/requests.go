// Package requests asks squeue for the GPUs of jobs that wait and do not request them for each node, as with --gpus and
// --gpus-per-task. Only the TRES of a job have these, and only --Format has the TRES, which squeue does not take beside
// --format. So a second squeue tells them, of all jobs at once.
package requests

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/slurm/gres"
)

// Requests are the GPUs that waiting jobs request.
type Requests struct {
	told map[string]*int // by job number; nil: SLURM does not say, and is not asked again
	due  time.Time       // from when squeue may be asked again
}

// every is the least time between two questions.
const every = time.Minute

// Due reports whether to ask for the GPUs of one of these jobs: it is new, and the last question was a while ago.
func (r *Requests) Due(now time.Time, jobs []string) bool {
	return !now.Before(r.due) && slices.ContainsFunc(jobs, func(number string) bool {
		_, asked := r.told[number]
		return !asked
	})
}

// Ask asks for the GPUs of these jobs. The answer stays as long as they wait; a question that failed is repeated.
func (r *Requests) Ask(ctx context.Context, run command.Runner, jobs []string) {
	out, _, err := run.Within(ctx, "squeue", "--me", "--noheader", "--Format=JobID:|,tres-alloc:|")
	if ctx.Err() != nil {
		return
	}
	r.due = time.Now().Add(every)
	if err != nil {
		return
	}
	counts := parse(string(out))
	r.told = make(map[string]*int, len(jobs))
	for _, number := range jobs {
		r.told[number] = counts[number]
	}
}

// Of returns the GPUs of a job in total; nil: they are not known.
func (r *Requests) Of(number string) *int { return r.told[number] }

// parse reads the lines "48211|cpu=4,mem=32G,node=1,gres/gpu=3|". There are no GPUs in them if the job requests none,
// and wherever GPUs are not accounted for.
func parse(out string) map[string]*int {
	counts := map[string]*int{}
	for line := range strings.Lines(out) {
		number, rest, _ := strings.Cut(line, "|")
		list, _, _ := strings.Cut(rest, "|")
		if count, told := gres.InTRES(list); told && count >= 0 {
			counts[number] = &count
		}
	}
	return counts
}
