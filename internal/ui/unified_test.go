package ui

import (
	"bytes"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// unifiedFixture has GPUs whose memory is that of the host: two nodes with eight of them each.
func unifiedFixture() *cluster.Snapshot {
	s := uitest.Fixture()
	for _, name := range []string{"gpu-n01", "gpu-n02"} {
		n := s.Nodes[name]
		n.Processes = nil
		for i := range n.GPUs {
			g := &n.GPUs[i]
			uitest.Lacking(g, "Not Supported", metric.MemoryUsed, metric.MemoryTotal)
			n.Processes = append(n.Processes, wire.Process{PID: 7 + i, GPU: g.Index, GPUMemory: new(uint64(91 << 30))})
		}
	}
	return s
}

// The memory of its processes is in the column, and says what it is.
func TestMemoryOfProcesses(t *testing.T) {
	for _, w := range []int{80, 120, 200} {
		d := newDesk(t, shot{snap: unifiedFixture, view: func(v *view) { v.chooseNode("gpu-n01", 0) }}, w, 50)
		text := strings.Join(d.lines(), "\n")
		for _, want := range []string{" 91.0 procs ", " 728 procs "} { // of a GPU, and of all eight
			if !strings.Contains(text, want) {
				t.Errorf("%d columns: no %q in\n%s", w, want, text)
			}
		}
	}
}

// Sums of nodes and of the job are those of their processes too.
func TestMemoryOfProcessesInSums(t *testing.T) {
	d := newDesk(t, shot{snap: unifiedFixture, view: func(v *view) { v.on = keys.OnOverview }}, 120, 40)
	text := strings.Join(d.lines(), "\n")
	if strings.Count(text, " 728 procs ") != 2 || !strings.Contains(text, " 1456 procs ") {
		t.Errorf("the overview:\n%s", text)
	}
	var b bytes.Buffer
	if err := Print(&b, unifiedFixture(), PrintOptions{Width: 120, Profile: colorprofile.NoTTY}); err != nil {
		t.Fatal(err)
	}
	for want, times := range map[string]int{" 91.0 procs ": 16, " 728 procs ": 4, " 1456 procs ": 1} {
		if n := strings.Count(b.String(), want); n != times {
			t.Errorf("%q is %d times in the text, want %d:\n%s", want, n, times, &b)
		}
	}
}

// A sum that would lack a GPU is absent.
func TestMemoryOfSomeProcesses(t *testing.T) {
	snap := func() *cluster.Snapshot {
		s := unifiedFixture()
		s.Nodes["gpu-n01"].GPUs[3].Unlisted = "no permission"
		return s
	}
	d := newDesk(t, shot{snap: snap, view: func(v *view) { v.on = keys.OnOverview }}, 120, 40)
	text := strings.Join(d.lines(), "\n")
	if strings.Count(text, " 728 procs ") != 1 || strings.Contains(text, " 1456 procs ") {
		t.Errorf("the overview:\n%s", text)
	}
}

// The page of a GPU names the sum.
func TestMemoryOfProcessesOfGPU(t *testing.T) {
	d := newDesk(t, shot{snap: unifiedFixture, view: func(v *view) { v.chooseNode("gpu-n01", 0); v.on = keys.OnGPU }},
		120, 40)
	if text := strings.Join(d.lines(), "\n"); !strings.Contains(text, "memory of processes 91.0 GiB") {
		t.Errorf("the page:\n%s", text)
	}
}
