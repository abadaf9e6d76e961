package remote

import (
	"fmt"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// KnownJob is a running job of the user.
type KnownJob struct {
	ID    string // SLURM's number
	Nodes []string
	GPUs  map[string]int // number of the job's GPUs by node; no entry: unknown
}

// Know tells the Chooser which jobs run now.
func (o *Chooser) Know(jobs []KnownJob) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.jobs = jobs
}

// whyMisplaced returns WhyMisplaced for the jobs that the Chooser knows.
func (o *Chooser) whyMisplaced(node string, hello *wire.Hello) (why string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return WhyMisplaced(node, hello, o.jobs)
}

// WhyMisplaced returns why a session over ssh does not show the wanted GPUs of a node: pam_slurm_adopt put it into a
// job that has fewer GPUs there than another job, and those of the other job are hidden. Empty: the session shows them,
// or the jobs are unknown.
func WhyMisplaced(node string, hello *wire.Hello, jobs []KnownJob) (why string) {
	if !hello.Adopted() {
		return ""
	}
	var most *KnownJob
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
