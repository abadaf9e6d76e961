package rows

import (
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/lib/field"
)

// progressFields are how far the program of a job is, as its log says it.
var progressFields = []field.Field[Job]{
	{Key: "step", Unit: field.Count, Example: "41200", Help: "step of its program, by its log", Title: "step", Width: 9,
		DownFirst: true, Number: (*Job).step},
	{Key: "done_percent", Unit: field.Percent, Example: "62", Help: "how much of its run is done, by its log",
		Title: "done", Width: 4, Number: (*Job).donePercent},
	{Key: "pace", Example: "3.1 s/step", Help: "time of a step, by its log or its GPUs' power",
		Title: "s/step", Width: 11,
		Text: (*Job).pace},
	{Key: "ends_in_seconds", Also: []string{"ends"}, Unit: field.Seconds, Example: "2h", Title: "ends in", Width: 10,
		Help: "time until its run ends, by its log", Number: (*Job).timeToEnd},
}

// progress returns how far the program is; nil: not known.
func (r *Job) progress() *cluster.JobProgress {
	if r.row.Running == nil {
		return nil
	}
	return r.row.Running.Progress
}

func (r *Job) step() (float64, bool) {
	p := r.progress()
	if p == nil || p.Step == nil {
		return 0, false
	}
	return float64(*p.Step), true
}

func (r *Job) donePercent() (float64, bool) {
	if p := r.progress(); p != nil {
		if done := p.Done(); done != nil {
			return 100 * *done, true
		}
	}
	return 0, false
}

func (r *Job) pace() string {
	p := r.progress()
	if p == nil {
		return ""
	}
	return say.Pace(p)
}

func (r *Job) timeToEnd() (float64, bool) {
	if r.row.Running == nil {
		return 0, false
	}
	f := r.row.Running.Forecast(r.Snapshot.At)
	if f == nil {
		return 0, false
	}
	return f.EndsIn.Seconds(), true
}
