package table

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// A spare column of nodes and of GPUs is a row of its table and needs no code: it comes in if it is chosen, and shows
// its field.
func TestSpareColumnsOfNodesAndGPUs(t *testing.T) {
	withSpare(t, &nodeColumns, rows.ColumnsFor(&rows.Nodes,
		rows.Column{Key: "driver_version", Title: "DRIVER", Least: 12, Spare: true}))
	withSpare(t, &gpuColumns, rows.ColumnsFor(&rows.Processes,
		rows.Column{Key: "uuid", Title: "UUID", Least: 12, Spare: true}))
	n := &cluster.Node{Name: "gpu-n01", State: cluster.NodeReporting, Hello: &wire.Hello{Driver: "550.54.15"},
		GPUs: []cluster.GPU{{GPU: &wire.GPU{}, Card: &wire.Card{UUID: "GPU-1c2d"}, Key: "GPU-1c2d"}}}
	s := &part.Scene{Snap: &cluster.Snapshot{At: time.Unix(1_800_000_000, 0), Poll: time.Second,
		Jobs:  []cluster.JobView{{Job: cluster.Job{ID: "48211", Nodes: []string{n.Name}}}},
		Nodes: map[string]*cluster.Node{n.Name: n}}, Size: part.Size{W: 120, H: 2}, Memory: &part.Memory{}}
	s.SetJob(0)
	s.SetNode(0)
	for _, test := range []struct {
		node, overview rows.ColumnList
		there          bool
	}{{"", "", false}, {"gpu,uuid", "node,driver_version", true}} {
		s.Columns.Node, s.Columns.Overview = test.node, test.overview
		f := &part.Frame{Canvas: draw.New(s.W, s.H), Scene: s}
		NewNodes(f).Row(f, 0, n, false)
		NewGPUs(f).Row(f, 1, &n.GPUs[0])
		text := string(draw.NewTheme(colorprofile.NoTTY, false, false).Encode(nil, f.Canvas))
		for _, want := range []string{"550.54.15", "GPU-1c2d"} {
			if strings.Contains(text, want) != test.there {
				t.Errorf("%q, %q: %s is there: %t\n%s", test.node, test.overview, want, !test.there, text)
			}
		}
	}
}

// withSpare adds columns to a table for the time of a test.
func withSpare(t *testing.T, table *[]Column, more []Column) {
	was := *table
	*table = slices.Concat(was, more)
	t.Cleanup(func() { *table = was })
}
