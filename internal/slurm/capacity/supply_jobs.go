package capacity

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/slurm/notation"
)

// SuppliedJob is a job that has nodes.
type SuppliedJob struct {
	ID, User, Partition string
	Start, End          time.Time // zero: unknown
	Unlimited           bool      // it has no time limit, and no end
	Nodes               []string
	PerNode             int // GPUs that it requested for each of its nodes; 0: none, or it requested them otherwise
}

// jobsFormat separates the fields with a mark that occurs in none of them: the name of a job could contain it, and is
// left out.
const jobsFormat = "%i|%u|%P|%S|%e|%b|%N"

// askJobs runs squeue for the jobs of all users. It lists the waiting jobs too: --states would compare whole states,
// and leave out, for example, a job with nodes that is being signaled. The controller sends all jobs in either case. If
// there are jobs, the error is about lines that are not understood.
func askJobs(ctx context.Context, run command.Runner) ([]SuppliedJob, error) {
	out, stderr, err := run.Within(ctx, "squeue", "--noheader", "--format="+jobsFormat)
	if err != nil {
		return nil, command.Failed("squeue", stderr, err)
	}
	jobs, err := parseJobs(out)
	if err != nil {
		return jobs, command.Failed("squeue", nil, fmt.Errorf("unexpected output: %w", err))
	}
	return jobs, nil
}

// parseJobs reads lines such as
// "48211_3|alice|gpu|2026-11-20T18:22:34|2026-11-21T18:22:34|gres:gpu:a100:4|node[01-03]". A job whose node list is not
// understood gets no nodes. The error quotes the first line that is not a job; the jobs are returned nevertheless.
func parseJobs(out []byte) (jobs []SuppliedJob, err error) {
	total := 0
	for line := range bytes.Lines(out) {
		if bytes.HasPrefix(line, clusterLine) {
			continue
		}
		fields := strings.Split(strings.TrimSpace(string(line)), "|")
		if len(fields) != 7 || fields[0] == "" {
			err = cmp.Or(err, fmt.Errorf("%.80q", line))
			continue
		}
		if fields[6] == "" {
			continue // it waits
		}
		j := SuppliedJob{ID: fields[0], User: fields[1], Partition: fields[2], Start: command.ParseTime(fields[3]),
			End: command.ParseTime(fields[4]), Unlimited: fields[4] == "NONE"}
		if n := notation.RequestedGPUs(fields[5], 1); n != nil {
			j.PerNode = *n
		}
		names, unread := notation.ExpandHosts(fields[6])
		if unread == nil && notation.CheckHosts(names) == nil && total+len(names) <= maxListed {
			j.Nodes, total = names, total+len(names)
		}
		jobs = append(jobs, j)
	}
	return jobs, err
}
