package logs

import (
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// A state of a later version is an end if its time is over. What runs beyond its limit has not ended.
func TestIsEnd(t *testing.T) {
	now := time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC)
	before, after, never := now.Add(-time.Minute), now.Add(time.Minute), time.Time{}
	for _, test := range []struct {
		state cluster.EndState
		end   time.Time
		want  bool
	}{
		{cluster.JobFailed, before, true}, {cluster.JobFailed, never, true}, {cluster.JobPreempted, after, true},
		{"RUNNING", before, false}, {"RUNNING", never, false}, {"PENDING", never, false},
		{"SUSPENDED", before, false}, {cluster.JobCompleting, before, false}, {"REQUEUED", before, false},
		{"MELTED", before, true}, {"MELTED", now, true}, {"MELTED", after, false}, {"MELTED", never, false},
		{"", before, false}, {"\x00JobName", before, false}, {"Melted down", before, false},
	} {
		if got := IsEndState(test.state, test.end, now); got != test.want {
			t.Errorf("%q, end at %v: %v", test.state, test.end, got)
		}
	}
}
