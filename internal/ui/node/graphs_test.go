package node

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/test/pastgpu"
)

// pastScene is a node of alice's with GPUs that have a past, and a process on each, on a screen of this size.
func pastScene(gpus, w, h int) *part.Scene {
	now := time.Date(2026, 11, 20, 18, 42, 7, 0, time.UTC)
	n := &cluster.Node{Name: "n01", State: cluster.NodeReporting, Listed: true, ListedAt: now}
	for g := range gpus {
		gpu := pastgpu.New(g, make([]float32, pastgpu.Len), make([]float32, pastgpu.Len))
		gpu.Index, gpu.Key = g, fmt.Sprint("GPU-", g)
		n.GPUs = append(n.GPUs, gpu)
		n.Processes = append(n.Processes, wire.Process{PID: 1000 + g, GPU: g,
			Identity: wire.Identity{User: "alice", Name: "python", Command: "python train.py", Job: "48211"}})
	}
	for bin := range int64(pastgpu.Len) {
		n.History.AddNode(101-pastgpu.Len+bin, pastgpu.Len, func(metric.ID) float64 { return 50 })
	}
	job := cluster.JobView{Job: cluster.Job{ID: "48211", Number: "48211", User: "alice", Nodes: []string{"n01"}}}
	s := &part.Scene{Snap: &cluster.Snapshot{At: now, Poll: 3 * time.Second, Jobs: []cluster.JobView{job},
		Nodes: map[string]*cluster.Node{"n01": n}}, Size: part.Size{W: w, H: h}, Memory: &part.Memory{}}
	s.SetJob(0)
	s.SetNode(0)
	return s
}

// The key of the graphs never does nothing: it switches them, makes room for them, or says where there are some.
func TestTheKeyOfTheGraphs(t *testing.T) {
	view := keys.Pressed(keys.Grid.Keys()[0])
	for _, test := range []struct {
		w, h  int
		shows []string // before the key, and after each press
		says  []string
	}{
		{120, 60, []string{"v  host", "v  GPUs", "v  host"}, []string{"", ""}},
		{120, 34, []string{"Processes", "v  host", "v  GPUs"}, []string{"processes hidden, to make room", ""}},
		{80, 20, []string{"GPU", "GPU"}, []string{"no room for graphs here: the page GPU (4)"}},
	} {
		s, p := pastScene(8, test.w, test.h), New(&footer.History{})
		for i, want := range test.shows {
			if i > 0 {
				a, says := p.Press(view, s), test.says[i-1]
				if !a.Taken || !strings.Contains(a.Notice, says) || (a.Notice == "") != (says == "") {
					t.Errorf("%d×%d: press %d says %q, want %q", test.w, test.h, i, a.Notice, says)
				}
			}
			f := &part.Frame{Canvas: draw.New(s.W, s.H), Scene: s}
			p.Draw(f)
			text := string(draw.NewTheme(colorprofile.NoTTY, false, false).Encode(nil, f.Canvas))
			if !strings.Contains(text, want) {
				t.Errorf("%d×%d lacks %q after %d presses:\n%s", test.w, test.h, want, i, text)
			}
		}
	}
}
