package graph

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/history"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// now begins bin number newest of 1 s, and newest + 1 is the one that runs.
var now = time.Unix(1_800_000_000, 0)

const newest = 1_800_000_000

var gap = math.NaN()

// frame is an empty screen at the time now, with polls of 1 s.
func frame(w, h int) *part.Frame {
	snap := &cluster.Snapshot{At: now, Poll: time.Second, Nodes: map[string]*cluster.Node{}}
	return &part.Frame{Canvas: draw.New(w, h), Scene: &part.Scene{Snap: snap, Job: &cluster.JobView{},
		Size:   part.Size{W: w, H: h},
		Memory: &part.Memory{}}}
}

// shown are the lines of a screen, without the blanks at their ends.
func shown(f *part.Frame) []string {
	lines := strings.Split(string(draw.NewTheme(colorprofile.NoTTY, false, false).Encode(nil, f.Canvas)), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}

// gpu is a GPU with these values now, and with the past of one metric up to the newest bin.
func gpu(values map[metric.ID]float64, id metric.ID, past ...float64) *cluster.GPU {
	g := &cluster.GPU{Card: &wire.Card{}, Key: "GPU-1", GPU: &wire.GPU{Values: metric.Make(values)}}
	remember(g, map[metric.ID][]float64{id: past})
	return g
}

// remember gives a GPU the pasts of metrics, all of one length.
func remember(g *cluster.GPU, pasts map[metric.ID][]float64) {
	n := 0
	for _, past := range pasts {
		n = len(past)
	}
	g.History = history.History{}
	for i := range n {
		g.History.Add(newest-int64(n-1-i), 720, func(id metric.ID) float64 {
			if past := pasts[id]; past != nil {
				return past[i]
			}
			return gap
		})
	}
}

// same says whether two rows of samples are the same, gaps included.
func same(t *testing.T, what string, got []float32, want ...float64) {
	t.Helper()
	ok := len(got) == len(want)
	for i := 0; ok && i < len(got); i++ {
		ok = got[i] == float32(want[i]) || got[i] != got[i] && math.IsNaN(want[i])
	}
	if !ok {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}
