package probe

import (
	"io"
	"os"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/probe/sample"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/test/raced"
)

// steadyGPUs is the number of GPUs of the node of steady.
const steadyGPUs = 8

// steady returns a sampler of this machine with 8 busy GPUs, whose values change in each report. The sampler has
// written its first reports.
func steady(t testing.TB) *sampler {
	lib := &fakeLibrary{}
	for i := range steadyGPUs {
		lib.slots = append(lib.slots, driver.Slot{Index: i, Device: newFakeDevice(lib, i), Readers: busyReaders()})
	}
	s := newSampler(&output{w: io.Discard}, Options{Library: lib, Beat: sample.NewBeat(), Patience: sample.NewBeat()})
	t.Cleanup(s.closeSampler)
	next := func() error { return s.writeReport(false) }
	s.pace = &wire.Pace{IntervalMS: maxInterval}
	learnGPUs(s)
	for _, do := range []func() error{s.writeHello, next, next, next} {
		if err := do(); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// busyReaders read every number; the fast ones read another number each time.
func busyReaders() (all []driver.Reader) {
	n, grown := 0.0, uint64(0)
	for id := range metric.All(metric.GPU) {
		all = append(all, driver.Reader{IDs: []metric.ID{id}, Read: func(to *driver.Answer) error {
			n = float64(int(n)%96 + 1) // 0 is no value of some
			if grown += 1000; id.Row().Rate {
				to.Count(id, grown)
			} else {
				to.Set(id, n)
			}
			return nil
		}})
	}
	return all
}

func BenchmarkSteadyReport(b *testing.B) {
	s := steady(b)
	b.ReportAllocs()
	for b.Loop() {
		if err := s.writeReport(false); err != nil {
			b.Fatal(err)
		}
	}
}

// In its steady state, without processes, a report allocates nothing: the heap does not grow, and no garbage is
// collected.
func TestSteadyReport(t *testing.T) {
	raced.Skip(t)
	if _, err := os.Stat("/proc/meminfo"); err != nil {
		t.Skip("needs /proc of Linux")
	}
	s := steady(t)
	allocs := testing.AllocsPerRun(200, func() {
		if err := s.writeReport(false); err != nil {
			t.Fatal(err)
		}
		// the goroutine that has read the GPUs waits for the next report: there is more time between two
		time.Sleep(time.Millisecond)
	})
	if allocs != 0 {
		t.Errorf("a report allocates %v times", allocs)
	}
}
