package auto

import (
	"fmt"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Job is a running job of the user.
type Job struct {
	ID    string // SLURM's number
	Nodes []string
	GPUs  map[string]int // number of the job's GPUs by node; no entry: unknown
}

// Know tells the Opener which jobs run now.
func (o *Opener) Know(jobs []Job) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.jobs = jobs
}

// whyMisplaced returns Misplaced for the jobs that the Opener knows.
func (o *Opener) whyMisplaced(node string, hello *wire.Hello) (why string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return Misplaced(node, hello, o.jobs)
}

// Misplaced returns why a session over ssh does not show the wanted GPUs of a node: pam_slurm_adopt put it into a job
// that has fewer GPUs there than another job, and those of the other job are hidden. Empty: the session shows them, or
// the jobs are unknown.
func Misplaced(node string, hello *wire.Hello, jobs []Job) (why string) {
	if !hello.Adopted() {
		return ""
	}
	var most *Job
	own := 0
	for i := range jobs {
		j := &jobs[i]
		switch {
		case !slices.Contains(j.Nodes, node):
		case j.ID == hello.Job:
			own = j.GPUs[node]
		case most == nil || j.GPUs[node] > most.GPUs[node]:
			most = j
		}
	}
	seen := hello.WholeGPUs()
	if most == nil || most.GPUs[node] <= own || seen >= own+most.GPUs[node] {
		return ""
	}
	if hello.SLUID != "" {
		return fmt.Sprintf("the ssh session is in an unknown job (SLUID %s) and sees %d of the %d GPUs of job %s",
			hello.SLUID, seen, most.GPUs[node], most.ID)
	}
	return fmt.Sprintf("the ssh session is in job %s, which hides GPUs of job %s", hello.Job, most.ID)
}
