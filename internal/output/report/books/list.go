package books

import (
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/slurm/sacct"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// Listing makes a List from the parts of an answer.
type Listing struct {
	list    report.List
	more    int
	endings []sacct.Job // of jobs that ended while waiting to run again
}

// maxRows is the number of jobs of a List. 100,000 take 60 MB.
const maxRows = 100_000

// NewListing begins a List of a user's jobs within a time. Without a user, it is a List of named jobs.
func NewListing(user string, from, to time.Time) *Listing {
	l := &Listing{list: report.List{Version: report.Version, User: user, Jobs: []report.Row{}}}
	if !from.IsZero() {
		l.list.From, l.list.To = from.UTC(), to.UTC()
	}
	return l
}

// Add adds a row for each run of a job that has begun.
func (l *Listing) Add(jobs []sacct.Job) {
	for i := range jobs {
		switch j := &jobs[i]; {
		case !j.Ran():
			if hasEnded(j) && len(l.endings) < maxRows {
				l.endings = append(l.endings, sacct.Job{ID: strings.Clone(j.ID), User: strings.Clone(j.User),
					Submit: j.Submit, State: strings.Clone(j.State)})
			}
			l.Add(j.Earlier[:min(len(j.Earlier), 1)])
		case len(l.list.Jobs) == maxRows:
			l.more++
		default:
			l.list.Jobs = append(l.list.Jobs, makeRow(j))
		}
	}
}

// List returns the rows by start time, with their totals. more is the number of rows left out.
func (l *Listing) List() (list *report.List, more int) {
	l.end()
	slices.SortStableFunc(l.list.Jobs, func(a, b report.Row) int { return a.Start.Compare(b.Start) })
	l.list.Total = sumRows(l.list.Jobs)
	return &l.list, l.more
}

// end handles jobs that ended while waiting to run again: their last run gets the state of the job.
func (l *Listing) end() {
	ends := map[string]*sacct.Job{} // by ID and user
	for i := range l.endings {
		e := &l.endings[i]
		ends[safeLine(e.ID)+" "+safeLine(e.User)] = e
	}
	for i := range l.list.Jobs {
		r := &l.list.Jobs[i]
		if e := ends[r.ID+" "+r.User]; e != nil && e.Submit.Sub(r.End).Abs() <= sacct.Requeued {
			r.State = safeLine(e.State)
		}
	}
}

// List returns the list of the named jobs.
func List(jobs []sacct.Job) *report.List {
	l := NewListing("", time.Time{}, time.Time{})
	l.Add(jobs)
	list, _ := l.List()
	return list
}

func makeRow(j *sacct.Job) report.Row {
	a := makeAccounting(j, j.Start)
	r := report.Row{Job: describeJob(j), Elapsed: a.Elapsed, Nodes: a.Nodes, CPUs: a.CPUs, GPUs: a.GPUs,
		GPUHours: a.GPUHours,
		GPUMost:  a.GPUUtilMost}
	if a.GPUs != nil {
		gpus := *a.GPUs
		r.GPUs = &gpus
	}
	for _, text := range []*string{&r.ID, &r.Number, &r.Name, &r.User, &r.Account, &r.QOS, &r.Partition, &r.State} {
		*text = strings.Clone(*text) // the rest of the answer need not be kept
	}
	if a.CPU != nil {
		r.CPU = &a.CPU.Percent
	}
	if m := a.Memory; m != nil && m.Limit != nil && *m.Limit > 0 {
		r.Memory = new(metric.Round(100*float64(m.Peak)/float64(*m.Limit), 2))
	}
	return r
}

// well are the states of jobs that did not fail.
var well = []string{"COMPLETED", "CANCELLED", "RUNNING", "SUSPENDED", "PENDING", "REQUEUED", "PREEMPTED"}

// sumRows adds up rows.
func sumRows(rows []report.Row) report.ListTotal {
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
		case h.WastedLeast == nil:
			t.Given, t.Unknown = t.Given+h.Given, t.Unknown+h.Given
		default:
			t.Given, t.Judged, t.Wasted = t.Given+h.Given, t.Judged+h.Given, t.Wasted+*h.WastedLeast
		}
	}
	for _, v := range []*float64{&t.Given, &t.Judged, &t.Wasted, &t.Unknown, &t.CPU, &t.CPUUsed} {
		*v = metric.Round(*v, 4)
	}
	return t
}
