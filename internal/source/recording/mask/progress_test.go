package mask

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/progress"
)

// How far a program is keeps its numbers, with the job that the other lines have, and no words.
func TestProgressHasNoNames(t *testing.T) {
	m, step := New(), int64(41_200)
	jobs := m.Event(cluster.Event{Discovery: &cluster.Discovery{Jobs: []cluster.Job{{ID: "48211_3", Number: "48214"}}}})
	told := cluster.JobProgress{Job: "48211_3", Progress: progress.Progress{Form: "Keras /home/alice", Unit: "tokens",
		Step: &step}}
	got := m.Event(cluster.Event{Progress: &told}).Progress
	if got.Job != jobs.Discovery.Jobs[0].ID || got.Job == told.Job || got.Form != "Keras" || got.Unit != "tokens" ||
		*got.Step != step {
		t.Errorf("%+v", got)
	}
	if told.Form != "Keras /home/alice" {
		t.Error("the original has changed")
	}
}
