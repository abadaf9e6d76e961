//go:build linux && cgo && (amd64 || arm64)

package probe_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// indices are the indices of a Hello's cards, in their order.
func indices(h *wire.Hello) (all []int) {
	for _, c := range h.GPUs {
		all = append(all, c.Index)
	}
	return all
}

// Each MIG instance is listed after its GPU, with its own memory and processes, and GPM where there is any. A process
// is listed once.
func TestRealProbeInstances(t *testing.T) {
	t.Parallel()
	for _, library := range []string{"current", "r470", "old"} {
		t.Run(library, func(t *testing.T) {
			t.Parallel()
			me := os.Getpid()
			p := run(t, library, "count 2\ngpu 0 hopper\ngpu 0 gpm_sm 70\ngpu 0 mig 3:0:20000:2 5:0:10000:1\n"+
				fmt.Sprintf("proc 0 1 100 compute 5 3:0\nproc 0 %d 200 compute 5 5:0\nproc 1 1 300 compute 5\n", me))
			h := p.hello()
			if !slices.Equal(indices(h), []int{0, 1024, 1040, 1}) || !h.GPUs[0].MIG || h.GPUs[0].Instance != nil {
				t.Fatalf("cards %+v", h.GPUs)
			}
			c, parent := h.GPUs[2], h.GPUs[0]
			if want := (wire.Instance{Parent: parent.UUID, Index: 1, GPU: 5}); c.Instance == nil ||
				*c.Instance != want || !strings.HasPrefix(c.UUID, "MIG-") ||
				*c.Minor != 0 || c.PCIBus != parent.PCIBus || !strings.HasSuffix(c.Name, "MIG 1g.10gb") ||
				c.Values.Float(metric.MemoryTotal) != 10000<<20 {
				t.Errorf("instance %+v", c)
			}
			p.say(paceProcesses)
			r := p.report()
			got := map[int]int{}
			for _, process := range r.Processes {
				got[process.GPU] = process.PID
			}
			if !r.Listed || len(r.Processes) != 3 || got[1024] != 1 || got[1040] != me || got[1] != 1 ||
				len(r.Faults) != 0 {
				t.Errorf("processes %v of %+v, faults %v", got, r.Processes, r.Faults)
			}
			if g := r.GPUs[1]; g.Values.Has(metric.Util) || !g.Values.Has(metric.MemoryUsed) ||
				g.Values.Has(metric.Power) {
				t.Errorf("values %v", g.Values)
			}
			if library == "current" { // 2 of 7 slices
				p.next(func(m wire.Message) bool {
					return m.Report != nil && m.Report.GPUs[1].Values.Float(metric.SMActive) == 20
				})
			}
			p.finish()
		})
	}
}

// If a user may not list all processes of a GPU, the processes of its instances are there, and nothing is called
// missing.
func TestRealProbeInstancesWithoutTheWhole(t *testing.T) {
	t.Parallel()
	p := run(t, "current", "count 1\nmig 3:0:20000\nproc 0 1 100 compute 5 3:0\nfail "+
		"nvmlDeviceGetComputeRunningProcesses_v3 4\n")
	p.hello()
	p.say(paceProcesses)
	if r := p.report(); r.GPUs[0].Unlisted != "" || r.GPUs[1].Unlisted == "" {
		t.Errorf("GPUs %+v", r.GPUs)
	}
	p.close()
	_ = p.wait() // it has been looked at elsewhere
}

// A destroyed instance disappears without an alarm, and a new instance appears.
func TestRealProbeReconfiguredInstances(t *testing.T) {
	t.Parallel()
	p := run(t, "current", "count 1\nmig 3:0:20000 5:0:10000\n")
	p.hello()
	p.say(paceAlone)
	p.report()
	p.set("count 1\nmig 5:0:10000 6:0:10000\n")
	h := p.next(func(m wire.Message) bool {
		if r := m.Report; r != nil && (r.GPUs[1].Lost != "" || len(r.Faults) > 0) {
			t.Fatalf("report %+v", r)
		}
		return m.Hello != nil
	}).Hello
	if !slices.Equal(indices(h), []int{0, 1040, 1048}) || h.GPUs[1].Instance.Index != 0 {
		t.Errorf("cards %+v", h.GPUs)
	}
	if r := p.report(); len(r.GPUs) != 3 || !r.GPUs[2].Values.Has(metric.MemoryUsed) {
		t.Errorf("GPUs %+v", r.GPUs)
	}
	p.finish()
}
