package header

import (
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

func TestJobTimes(t *testing.T) {
	now := time.Date(2026, 11, 20, 18, 42, 7, 0, time.UTC)
	running := cluster.Job{Start: now.Add(-time.Hour), End: now.Add(3 * time.Hour), Limit: 4 * time.Hour}
	suspended := running
	suspended.Suspended, suspended.End = true, time.Time{}
	stopped := running
	stopped.Suspended = true // by a signal: its limit runs
	for _, test := range []struct {
		job   cluster.Job
		width int
		want  string
	}{
		{running, 130, "R 1:00:00 of 4:00:00  3:00:00 left"},
		{running, 100, "R 1:00:00  3:00:00 left"},
		{running, 80, "3:00:00 left"},
		{suspended, 130, "suspended"},
		{suspended, 80, "suspended"},
		{stopped, 130, "suspended"},
		{cluster.Job{}, 130, ""},
	} {
		f := &part.Frame{Scene: &part.Scene{Snap: &cluster.Snapshot{At: now}, Job: &cluster.JobView{Job: test.job},
			Size: part.Size{W: test.width}}}
		var got strings.Builder
		for _, piece := range JobTimes(f) {
			got.WriteString(piece.Text)
		}
		if strings.TrimSpace(got.String()) != test.want {
			t.Errorf("%d columns, %+v: got %q, want %q", test.width, test.job, got.String(), test.want)
		}
	}
}
