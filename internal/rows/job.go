package rows

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/lib/field"
)

// Job is a row about a job.
type Job struct {
	Snapshot *cluster.Snapshot

	row *tally.JobRow
}

// Jobs has the fields of a job. Its numbers are those of each of its GPUs, and those on the jobs page.
var Jobs = field.Table[Job]{Name: "jobs", Words: (*Job).appendWords, Fields: slices.Concat(
	[]field.Field[Job]{
		{Key: "job", Example: "48211", Help: "job ID", Title: "job", Width: 9,
			Text: func(r *Job) string { return r.row.ID }},
		{Key: "name", Example: "train", Help: "name of the job", Title: "name", Width: 10,
			Text: func(r *Job) string { return r.row.Name }},
		{Key: "partition", Example: "gpu", Help: "SLURM partition", Title: "partition", Width: 9,
			Text: func(r *Job) string { return r.row.Partition }},
		{Key: "state", Example: "running", Help: "state of the job, also as squeue shortens it", Title: "ST", Width: 3,
			Each: func(r *Job, to []field.Value) []field.Value {
				return field.Word(field.Word(to, r.row.State.Word), r.row.State.Code)
			}},
		{Key: "user", Example: "alice", Help: "user name",
			Text: func(r *Job) string { return r.Snapshot.Discovery.User }},
		{Key: "node", Also: []string{"host"}, Example: "gpu-n01", Help: "name of the node", Each: (*Job).appendNodes},
		{Key: "nodes", Unit: field.Count, Example: "4", Help: "how many nodes", Title: "nodes", Width: 5,
			DownFirst: true, Number: func(r *Job) (float64, bool) { return knownNumber(r.row.Nodes) }},
		{Key: "gpus", Unit: field.Count, Example: "32", Help: "how many GPUs", Title: "GPUs", Width: 4, DownFirst: true,
			Number: func(r *Job) (float64, bool) { return field.Known(r.row.GPUs) }},
	},
	field.Each(ofJobGPU, (*Job).freshGPUs),
	field.Of(ofJobSums, (*Job).totalSums),
	[]field.Field[Job]{
		{Key: "elapsed_seconds", Also: []string{"time"}, Unit: field.Seconds, Example: "2h",
			Help: "how long it has run", DownFirst: true, Number: (*Job).runTime},
		{Key: "left_seconds", Also: []string{"left"}, Unit: field.Seconds, Example: "2h", Title: "time left", Width: 10,
			Help: "how long it may still run", Number: (*Job).remainingTime},
	},
	progressFields,
	problemFields((*Job).presentFindings),
)}

// Of sets the row to that job.
func (r *Job) Of(row *tally.JobRow) *Job {
	r.row = row
	return r
}

func (r *Job) appendNodes(to []field.Value) []field.Value {
	if r.row.Running == nil {
		return to
	}
	for _, name := range r.row.Running.Nodes {
		to = field.Word(to, name)
	}
	return to
}

func (r *Job) freshGPUs() []*cluster.GPU {
	if r.row.Running == nil {
		return nil
	}
	return tally.Fresh(r.Snapshot, r.row.Running)
}

func (r *Job) totalSums() *sums {
	if r.row.Running == nil {
		return nil
	}
	return &sums{&r.row.Totals, r.row.Low}
}

// runTime returns the job's run time in seconds.
func (r *Job) runTime() (float64, bool) {
	if r.row.Running == nil || r.row.Running.Start.IsZero() {
		return 0, false
	}
	return r.Snapshot.At.Sub(r.row.Running.Start).Seconds(), true
}

// remainingTime returns the job's remaining time in seconds.
func (r *Job) remainingTime() (float64, bool) {
	if r.row.Running == nil || r.row.Running.End.IsZero() {
		return 0, false
	}
	return r.row.Running.End.Sub(r.Snapshot.At).Seconds(), true
}

func (r *Job) presentFindings() (hold []*cluster.Finding) {
	if r.row.Running == nil {
		return nil
	}
	for i := range r.row.Running.Findings {
		if f := &r.row.Running.Findings[i]; f.Holds() {
			hold = append(hold, f)
		}
	}
	return hold
}

// appendWords appends the ID, the name, the partition, the state, the reason for waiting, and the worst problem.
func (r *Job) appendWords(to []string) []string {
	j := r.row
	to = append(to, j.ID, j.Name, j.Partition, j.State.Word)
	if j.Pending != nil {
		to = append(to, j.Pending.Reason)
	}
	if j.Worst != nil {
		to = append(to, j.Worst.Node, say.LabelOf(j.Worst).One)
	}
	return to
}
