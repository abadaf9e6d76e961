package rows

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/filter"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/tally"
)

// JobFields are the fields of a job. Its numbers are those of each of its GPUs, and those that the page of the jobs
// shows.
var JobFields = filter.Of(
	filter.Job, filter.Name, filter.Partition, filter.State, filter.User, filter.Node, filter.Nodes, filter.GPUs,
	filter.Util, filter.Lowest, filter.UtilMean, filter.Power,
	filter.PowerSum, filter.Time, filter.Problem, filter.Letter, filter.Severity,
)

// Job is a job as a filter.Subject.
type Job struct {
	Snapshot *cluster.Snapshot

	row *tally.JobRow
}

// Of is that job.
func (r *Job) Of(row *tally.JobRow) filter.Subject {
	r.row = row
	return r
}

// Values implements filter.Subject.
func (r *Job) Values(key filter.Key, to []filter.Value) []filter.Value {
	switch j := r.row; key {
	case filter.Job:
		return word(to, j.ID)
	case filter.Name:
		return word(to, j.Name)
	case filter.Partition:
		return word(to, j.Partition)
	case filter.State:
		return word(word(to, j.State.Word), j.State.Code)
	case filter.User:
		return word(to, r.Snapshot.Discovery.User)
	case filter.Nodes:
		return number(to, float64(j.Nodes))
	case filter.GPUs:
		return known(to, j.GPUs)
	}
	if r.row.Running == nil {
		return to
	}
	return r.running(key, to)
}

// running appends what only jobs have that have nodes.
func (r *Job) running(key filter.Key, to []filter.Value) []filter.Value {
	switch j := r.row; key {
	case filter.Node:
		for _, name := range j.Running.Nodes {
			to = word(to, name)
		}
	case filter.Util, filter.Power:
		for _, g := range tally.Fresh(r.Snapshot, j.Running) {
			to = ofGPU(to, key, g)
		}
	case filter.Lowest:
		return number(to, j.Low.Value)
	case filter.UtilMean:
		return number(to, j.Util.Value)
	case filter.PowerSum:
		return number(to, j.Power.Value)
	case filter.Time:
		if start := j.Running.Start; !start.IsZero() {
			return number(to, r.Snapshot.At.Sub(start).Seconds())
		}
	case filter.Problem, filter.Letter, filter.Severity:
		for i := range j.Running.Findings {
			if f := &j.Running.Findings[i]; f.Holds() {
				to = finding(to, key, f)
			}
		}
	}
	return to
}

// Texts implements filter.Subject: the ID, the name, the partition, the state, why it waits, and the worst problem.
func (r *Job) Texts(to []string) []string {
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

// UserFields are the fields of a user who has processes on the nodes.
var UserFields = filter.Of(filter.User, filter.Nodes, filter.GPUs, filter.Memory, filter.PowerSum, filter.Time,
	filter.Job, filter.Command)

// User is what a user holds as a filter.Subject.
type User struct{ row *tally.UserRow }

// Of is that user.
func (r *User) Of(row *tally.UserRow) filter.Subject {
	r.row = row
	return r
}

// Values implements filter.Subject.
func (r *User) Values(key filter.Key, to []filter.Value) []filter.Value {
	switch u := r.row; key {
	case filter.User:
		return word(to, u.User)
	case filter.Nodes:
		return number(to, float64(u.Nodes))
	case filter.GPUs:
		return number(to, float64(u.GPUs))
	case filter.Memory:
		return number(to, u.Memory)
	case filter.PowerSum:
		return number(to, u.Power)
	case filter.Time:
		return known(to, u.Longest)
	case filter.Command:
		return word(to, u.Command)
	case filter.Job:
		for _, id := range u.Jobs {
			to = word(to, id)
		}
	}
	return to
}

// Texts implements filter.Subject: the name, the jobs and the command.
func (r *User) Texts(to []string) []string {
	return slices.Concat(to, []string{r.row.User, r.row.Command}, r.row.Jobs)
}
