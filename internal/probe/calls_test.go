package probe

import (
	"io"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/probe/sample"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// metered is a library that counts calls.
type metered struct {
	*fakeLibrary
	calls uint64
}

func (m *metered) Calls() uint64 { return m.calls }

// A report has the number of calls since the last report, if somebody counts them and there is a driver.
func TestCalls(t *testing.T) {
	lib, _ := newFakeLibrary(1)
	counts := func(of driver.Library, calls *uint64) (got []float64) {
		s := newSampler(&output{w: io.Discard}, Options{Library: of, Proc: t.TempDir(), Now: sample.Now})
		defer s.closeSampler()
		s.pace = &wire.Pace{IntervalMS: 3000}
		learnGPUs(s)
		for _, more := range []uint64{30, 18, 0} {
			*calls += more
			if sm := s.take(); sm.Host.Has(metric.NVMLCalls) {
				got = append(got, sm.Host.Float(metric.NVMLCalls))
			}
		}
		return got
	}
	m := &metered{fakeLibrary: lib}
	if got := counts(m, &m.calls); len(got) != 3 || got[0] != 30 || got[1] != 18 || got[2] != 0 {
		t.Errorf("calls %v, want 30, 18 and 0", got)
	}
	if got := counts(lib, new(uint64)); got != nil {
		t.Errorf("calls %v of a library that does not count", got)
	}
	broken := &metered{fakeLibrary: &fakeLibrary{initErr: &driver.InitError{ID: wire.FaultNoLibrary, Words: "no"}}}
	if got := counts(broken, &broken.calls); got != nil {
		t.Errorf("calls %v without a driver", got)
	}
}
