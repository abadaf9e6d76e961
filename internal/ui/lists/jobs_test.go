package lists

import (
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Enter on a job that waits says why, and when SLURM plans to start it.
func TestOpenWaiting(t *testing.T) {
	now := time.Date(2026, 11, 20, 18, 42, 0, 0, time.UTC)
	s := &part.Scene{Snap: &cluster.Snapshot{At: now}}
	for want, j := range map[string]cluster.PendingJob{
		"job 7 waits: Resources · planned start 2026-11-20 21:49, in 3h07m": {Reason: "Resources",
			Start: now.Add(187 * time.Minute)},
		"job 7 waits: Priority · no planned start": {Reason: "Priority"},
		"job 7 waits: Resources · planned start 2026-11-20 18:41": {Reason: "Resources",
			Start: now.Add(-time.Minute)},
		"job 7 waits: SLURM has not said why yet · no planned start": {Reason: "None"},
		"job 7 can never start: DependencyNeverSatisfied":            {Reason: "DependencyNeverSatisfied"},
		"job 7: its nodes are allocated, and are booting":            {Booting: true, Reason: "None"},
	} {
		j.ID = "7"
		a := openJob(s, &tally.JobRow{ID: "7", Pending: &j})
		if got := whyWaits(&j, now); !a.Taken || a.Page != keys.OnWaiting || a.Choice != "7" || got != want {
			t.Errorf("it opens %q, and says %q, want %q", a.Page, got, want)
		}
	}
}
