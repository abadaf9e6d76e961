package inspect

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// lone is a scene whose process is on GPU 0 only, of which ten minutes are known. It started so many seconds ago.
func lone(started int64) *part.Scene {
	s := scene(120, 40, noon)
	n := s.Snap.Nodes["n1"]
	n.Processes = n.Processes[:1]
	n.Processes[0].ElapsedSec = &started
	bin := noon.UnixNano() / int64(s.Snap.Poll)
	for i := range int64(200) {
		n.GPUs[0].History.Add(bin-199+i, 240, func(id metric.ID) float64 {
			return map[metric.ID]float64{metric.Util: 88, metric.MemoryUsed: 12 << 30}[id]
		})
	}
	return s
}

func openedOn(s *part.Scene) *Metrics {
	t := target()
	t.GPUs = []int{0}
	m, _ := NewMetrics(t)
	m.Settle(s)
	return m
}

// The page opens with the past of the GPU if no other process is there, and says so.
func TestAlone(t *testing.T) {
	s := lone(3600)
	m := openedOn(s)
	if got := m.past.chartSamples(chartSM)(3); got[0] != 88 || got[1] != 88 || got[2] != 60 {
		t.Errorf("the past is %v", got)
	}
	if got := m.past.chartSamples(chartRSS)(2); got[0] == got[0] || got[1] != 4<<30 {
		t.Errorf("the past of the host memory is %v", got)
	}
	text := drawn(s, m)
	if !strings.Contains(text, "Last 10 min") ||
		!strings.Contains(text, "before 12:00:00 all of GPU0, where this is the only process") {
		t.Errorf("shown is\n%s", text)
	}
	s.Snap.Nodes["n1"].ListedAt = noon.Add(3 * time.Second)
	m.Settle(s)
	if got := m.past.chartSamples(chartSM)(3); got[0] != 88 || got[1] != 60 || got[2] != 60 {
		t.Errorf("the past is then %v", got)
	}
}

// The time before its start belongs to another process.
func TestAloneSinceItsStart(t *testing.T) {
	m := openedOn(lone(30))
	if got := m.past.chartSamples(chartSM)(12); got[0] == got[0] || got[1] != 88 {
		t.Errorf("the past is %v", got)
	}
}

func TestNotAlone(t *testing.T) {
	s := lone(3600)
	n := s.Snap.Nodes["n1"]
	other := n.Processes[0]
	other.PID++
	n.Processes = append(n.Processes, other)
	m := openedOn(s)
	if got := m.past.chartSamples(chartSM)(2); got[0] == got[0] {
		t.Errorf("with another process the past is %v", got)
	}
	if text := drawn(s, m); !strings.Contains(text, "since this page was opened") {
		t.Errorf("shown is\n%s", text)
	}
}

// Charts name metrics that have a history.
func TestPastOfGPU(t *testing.T) {
	found := 0
	for _, c := range charts {
		if c.Chart.OfGPU == "" {
			continue
		}
		found++
		if id, known := metric.Find(c.Chart.OfGPU, metric.GPU); !known || !slices.Contains(metric.Kept, id) {
			t.Errorf("%s has the past of %q", c.Key, c.Chart.OfGPU)
		}
	}
	if found == 0 {
		t.Error("no chart has a past")
	}
}
