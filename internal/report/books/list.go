package books

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/slurm/sacct"
	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// List returns a row for each job that has run, by their start.
func List(jobs []sacct.Job, user string, from, to time.Time) *report.List {
	l := &report.List{Version: report.Version, User: user, From: from.UTC(), To: to.UTC(), Jobs: []report.Row{}}
	if from.IsZero() {
		l.From, l.To = from, from
	}
	jobs = slices.Clone(jobs)
	slices.SortStableFunc(jobs, func(a, b sacct.Job) int { return a.Start.Compare(b.Start) })
	for i := range jobs {
		if j := &jobs[i]; j.Elapsed > 0 {
			l.Jobs = append(l.Jobs, row(j))
		}
	}
	l.Total = total(l.Jobs)
	return l
}

func row(j *sacct.Job) report.Row {
	a := accounting(j, j.Start)
	r := report.Row{Job: job(j), Elapsed: a.Elapsed, Nodes: a.Nodes, CPUs: a.CPUs, GPUs: a.GPUs, GPUHours: a.GPUHours,
		GPUUtil: a.GPUUtil}
	if a.CPU != nil {
		r.CPU = &a.CPU.Percent
	}
	if m := a.Memory; m != nil && m.Limit != nil && *m.Limit > 0 {
		r.Memory = known(100*float64(m.Peak)/float64(*m.Limit), 2)
	}
	return r
}

// well are the states of jobs that have not failed.
var well = []string{"COMPLETED", "CANCELLED", "RUNNING", "SUSPENDED", "PENDING", "REQUEUED", "PREEMPTED"}

// total adds up rows.
func total(rows []report.Row) report.ListTotal {
	var t report.ListTotal
	for i := range rows {
		r := &rows[i]
		t.Jobs++
		if !slices.Contains(well, r.State) {
			t.Failed++
		}
		given := float64(r.CPUs) * r.Elapsed / 3600
		t.CPU += given
		if r.CPU != nil {
			t.CPUUsed += given * *r.CPU / 100
		}
		switch h := r.GPUHours; {
		case h == nil:
			t.NoGPUs++
		case h.Wasted == nil:
			t.Given, t.Unknown = t.Given+h.Given, t.Unknown+h.Given
		default:
			t.Given, t.Judged, t.Wasted = t.Given+h.Given, t.Judged+h.Given, t.Wasted+*h.Wasted
		}
	}
	for _, v := range []*float64{&t.Given, &t.Judged, &t.Wasted, &t.Unknown, &t.CPU, &t.CPUUsed} {
		*v = round(*v, 4)
	}
	return t
}
