package ui

import (
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// unifiedFixture has a GPU whose memory is that of the host.
func unifiedFixture() *cluster.Snapshot {
	s := fixture()
	n := s.Nodes["gpu-n01"]
	g := &n.GPUs[0]
	lacking(g, "Not Supported", metric.MemoryUsed, metric.MemoryTotal)
	n.Processes = []wire.Process{{PID: 7, GPU: g.Index, GPUMemory: new(uint64(91 << 30))}}
	return s
}

// The memory of its processes is in the column, and says what it is.
func TestMemoryOfProcesses(t *testing.T) {
	for _, w := range []int{80, 120, 200} {
		d := newDesk(t, shot{snap: unifiedFixture, view: func(v *view) { v.choose("gpu-n01", 0) }}, w, 50)
		if text := strings.Join(d.lines(), "\n"); !strings.Contains(text, " 91.0 procs ") {
			t.Errorf("%d columns:\n%s", w, text)
		}
	}
}
