package slurm

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/slurm/notation"
)

// A second squeue asks for the GPUs of jobs that wait and did not request them per node, as with --gpus and
// --gpus-per-task. Only --Format shows these requests, and squeue does not accept --Format together with --format. So
// it asks for all jobs at once.

// gpuRequests are the GPUs that waiting jobs request.
type gpuRequests struct {
	told map[string]*int // by job number; nil: SLURM does not say, and is not asked again
	due  time.Time       // from when squeue may be asked again
}

// requestsEvery is the shortest time between two questions.
const requestsEvery = time.Minute

// requestFields are those of --Format, in the order of a line.
var requestFields = []string{"JobID", "tres-alloc", "tres-per-job", "tres-per-task", "numtasks"}

// Due reports whether to ask about the GPUs of these jobs: one of them is new, and the last question was a while ago.
func (r *gpuRequests) Due(now time.Time, jobs []string) bool {
	return !now.Before(r.due) && slices.ContainsFunc(jobs, func(number string) bool {
		_, asked := r.told[number]
		return !asked
	})
}

// Ask asks about the GPUs of these jobs. The answer is kept as long as they wait; a question that failed is repeated.
func (r *gpuRequests) Ask(ctx context.Context, run command.Runner, jobs []string) {
	out, _, err := run.Within(ctx, "squeue", "--me", "--noheader", "--Format="+strings.Join(requestFields, ":|,")+":|")
	if ctx.Err() != nil {
		return
	}
	r.due = time.Now().Add(requestsEvery)
	if err != nil {
		return
	}
	counts := parseRequests(string(out))
	r.told = make(map[string]*int, len(jobs))
	for _, number := range jobs {
		r.told[number] = counts[number]
	}
}

// Of returns the GPUs of a job in total; nil: they are not known.
func (r *gpuRequests) Of(number string) *int { return r.told[number] }

// parseRequests reads the lines "48211|cpu=4,mem=32G,node=1,gres/gpu=3|gres/gpu:3|N/A|1|".
func parseRequests(out string) map[string]*int {
	counts := map[string]*int{}
	for line := range strings.Lines(out) {
		if f := strings.Split(strings.TrimSpace(line), "|"); len(f) >= len(requestFields) {
			if count := requestedGPUs(f[1], f[2], f[3], f[4]); count != nil {
				counts[f[0]] = count
			}
		}
	}
	return counts
}

// requestedGPUs returns the GPUs of a job in total; nil: it requests none. The TRES have them only if the site accounts
// for GPUs; otherwise the user's own request does.
func requestedGPUs(tres, perJob, perTask, tasks string) *int {
	if count, told := notation.CountInTRES(tres); told {
		return &count
	}
	if count := notation.RequestedGPUs(perJob, 1); count != nil {
		return count
	}
	n, err := strconv.Atoi(tasks)
	if err != nil {
		return nil
	}
	return notation.RequestedGPUs(perTask, n)
}
