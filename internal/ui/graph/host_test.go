package graph

import (
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// The graphs of a host have its present numbers in their titles, and as many dots as its past.
func TestHostGraphs(t *testing.T) {
	values := map[metric.ID]float64{metric.CPU: 50, metric.Load: 9.5, metric.Load5: 8.25, metric.Load15: 7,
		metric.HostMemoryUsed: 300 << 30, metric.HostMemoryTotal: 1008 << 30, metric.SwapUsed: 3 << 30,
		metric.SwapTotal: 16 << 30}
	draws := func(w, h int) string {
		n := &cluster.Node{Hello: &wire.Hello{CPUs: 128}, Host: wire.Host{Values: metric.Make(values)}}
		for i := range int64(40) {
			n.History.AddNode(newest-39+i, 720, n.Host.Float)
		}
		f := frame(w, h)
		f.Node = n
		HostGraphs(f, 2, "v  GPUs")
		return strings.Join(shown(f), "\n")
	}
	text := draws(240, 50)
	for _, want := range []string{"Host history, last 2 min", "v  GPUs", "CPU %", "50%",
		"Load  (5 min 8.2, 15 min 7.0)", "9.5", "128", "Memory GiB of 1008  (swap 3.0 GiB of 16.0)", "Swap GiB of 16.0"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if text := draws(120, 16); strings.Contains(text, "Swap GiB") || !strings.Contains(text, "CPU %") {
		t.Errorf("in a low terminal:\n%s", text)
	}
	values[metric.SwapTotal], values[metric.SwapUsed] = 0, 0
	if text := draws(240, 50); strings.Contains(text, "Swap GiB") || !strings.Contains(text, "no swap") {
		t.Errorf("without swap\n%s", text)
	}
	values[metric.Load] = 400
	if text := draws(240, 50); !strings.Contains(text, "500┊") {
		t.Errorf("a load above the CPUs\n%s", text)
	}
}
