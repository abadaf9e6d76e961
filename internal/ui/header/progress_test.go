package header

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/progress"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Row 0 has as much of the progress as fits, in whole parts; row 1 has the rest, if nothing is wrong.
func TestProgress(t *testing.T) {
	now := time.Date(2026, 11, 27, 15, 0, 0, 0, time.UTC)
	step, total, pace, loss := int64(41_200), int64(100_000), 3.1, 2.31
	job := cluster.JobView{Job: cluster.Job{ID: "48211", Name: "llama-70b", User: "alice", Nodes: []string{"n1"},
		Start: now.Add(-8 * time.Hour), End: now.Add(16 * time.Hour), Limit: 24 * time.Hour}, GPUs: 8, GPUsSeen: 8,
		Reporting: 1, Progress: &cluster.JobProgress{Job: "48211", Progress: progress.Progress{Form: "general", At: now,
			Step: &step, Total: &total, Scope: progress.OfRun, SecondsPerStep: &pace, Loss: &loss}}}
	const first, second, third, end = "step 41,200 of 100,000", "3.1 s/step", "loss 2.31",
		"ends in 51 h: 35 h after its limit"
	for _, test := range []struct {
		width      int
		row0, row1 string
	}{
		{80, "left   " + second, "GPUs on these nodes)   " + first},
		{130, "left   " + first + "   " + second, third + "   " + end},
		{180, "left   " + first + "   " + second + "   " + third + "   " + end, "at this pace it reaches"},
	} {
		f := &part.Frame{Canvas: draw.New(test.width, 3), Scene: &part.Scene{Memory: &part.Memory{},
			Snap: &cluster.Snapshot{At: now, Jobs: []cluster.JobView{job}, Nodes: map[string]*cluster.Node{
				"n1": {Name: "n1", State: cluster.NodeReporting}}}, Size: part.Size{W: test.width, H: 40}}}
		f.SetJob(0)
		Draw(f, false)
		rows := strings.Split(string(draw.NewTheme(colorprofile.NoTTY, false, false).Encode(nil, f.Canvas)), "\n")
		if !strings.Contains(rows[0], test.row0) || !strings.Contains(rows[1], test.row1) {
			t.Errorf("%d columns:\n%s", test.width, strings.Join(rows, "\n"))
		}
	}
}
