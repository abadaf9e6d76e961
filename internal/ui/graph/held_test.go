package graph

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// slowOne is a node with a GPU that lags since three seconds, and others that do not.
func slowOne(how cluster.Difference) *part.Frame {
	n := &cluster.Node{Name: "a", State: cluster.NodeReporting}
	for i := range 4 {
		past := []float64{90, 90, 90, 90, 90, 90}
		if i == 0 {
			past = []float64{80, 80, 80, 20, 20, 20}
		}
		g := gpu(map[metric.ID]float64{metric.Util: past[5], metric.SMClock: 900}, metric.Util, past...)
		g.Key, g.Number = string(rune('a'+i)), i
		n.GPUs = append(n.GPUs, *g)
	}
	f := frame(100, 12)
	f.Snap.Nodes["a"], f.Node = n, n
	f.Job.Nodes, f.Job.Minors = []string{"a"}, map[string][]int{"a": {0, 1, 2, 3}}
	f.Health.ByNode = map[string][]*cluster.Finding{"a": {{Kind: cluster.KindLag, Severity: cluster.Warning, Key: "a",
		Since: now.Add(-2 * time.Second), Compared: &cluster.Comparison{How: how}}}}
	return f
}

func TestSlowGPU(t *testing.T) {
	f := slowOne(cluster.Starved)
	c := NewGPUCharts(f, &f.Node.GPUs[0])
	if since := c.Since(); since == nil || since.Kind != cluster.KindLag {
		t.Fatalf("amber since %+v", since)
	}
	util := c.makeChart(0)
	same(t, "amber", util.held(6), 0, 0, 0, 1, 1, 1)
	same(t, "the median of the job", util.usual(6), 90, 90, 90, 90, 90, 90)
	if util.nowRole != draw.Warn {
		t.Error("the present value is not amber")
	}

	c = NewGPUCharts(f, &f.Node.GPUs[1])
	if c.Since() != nil || c.makeChart(0).held != nil || c.makeChart(0).usual == nil {
		t.Error("another GPU is amber, or has no median")
	}

	f = slowOne(cluster.Slowed)
	c = NewGPUCharts(f, &f.Node.GPUs[0])
	clock := slices.IndexFunc(c.charts, func(k gpuChart) bool { return k.name == "SM clock" })
	if made := c.makeChart(clock); made.nowRole != draw.Warn || made.held(6)[5] != 1 {
		t.Error("the clock of a GPU that works at a lower clock is not amber")
	}

	f.Health.ByNode["a"][0].Over = now
	c = NewGPUCharts(f, &f.Node.GPUs[0])
	if c.Since() != nil || c.makeChart(0).nowRole == draw.Warn {
		t.Error("what is over is amber")
	}
}

// A line of two GPUs would be one of them.
func TestFewPeers(t *testing.T) {
	f := slowOne(cluster.Starved)
	f.Node.GPUs = f.Node.GPUs[:2]
	if c := NewGPUCharts(f, &f.Node.GPUs[0]); c.Compared() || c.makeChart(0).usual != nil {
		t.Error("two GPUs have a median")
	}
}

func TestFullSoon(t *testing.T) {
	g := gpu(map[metric.ID]float64{metric.MemoryUsed: 75 * gib, metric.MemoryTotal: 80 * gib}, metric.MemoryUsed)
	if c := gpuMemory(g); strings.Contains(c.title, "full") {
		t.Errorf("without a past: %q", c.title)
	}
	for sec := range 40 * 60 {
		g.Memory = g.Memory.Add(now.Add(time.Duration(sec)*time.Second), (65+float64(sec)/240)*gib)
	}
	if c := gpuMemory(g); c.title != "Memory GiB of 80.0, full in 20 min" || c.nowRole != draw.Warn {
		t.Errorf("%q", c.title)
	}
}
