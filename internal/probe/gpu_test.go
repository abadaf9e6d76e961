package probe

import (
	"io"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/sample"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/test/fakeproc"
)

func TestDegrades(t *testing.T) {
	full := func(g *wire.GPU) bool {
		for id := range metric.All(metric.GPU) {
			if g.Values.Has(id) != (id.Row().Pace != metric.Once) {
				return false
			}
		}
		return true
	}
	take := func(t *testing.T, err0, err1 map[string]error) *sample.Report {
		lib, devices := newFakeLibrary(2)
		devices[0].err, devices[1].err = err0, err1
		s := newSampler(&output{w: io.Discard}, Options{Library: lib, Proc: fakeproc.Write(t, nil)})
		learnGPUs(s)
		return s.take()
	}
	t.Run("nothing", func(t *testing.T) {
		sm := take(t, nil, nil)
		if !full(&sm.GPUs[0]) || !full(&sm.GPUs[1]) || len(sm.Faults) != 0 {
			t.Errorf("report %+v", sm.Report)
		}
	})
	t.Run("absent", func(t *testing.T) {
		sm := take(t, map[string]error{"ECC": errAbsent, "utilization": errAbsent}, nil)
		v := &sm.GPUs[0].Values
		if v.Has(metric.ECCUncorrected) || v.Has(metric.Util) || v.Has(metric.MemUtil) || !v.Has(metric.Power) ||
			len(sm.Faults) != 0 {
			t.Errorf("GPU %v, faults %v; want two columns absent and no fault", v, sm.Faults)
		}
	})
	t.Run("fault of both GPUs", func(t *testing.T) {
		err := map[string]error{"power": errOther}
		sm := take(t, err, err)
		v := &sm.GPUs[0].Values
		if v.Has(metric.Power) || !v.Has(metric.Temperature) ||
			!reflect.DeepEqual(sm.Faults,
				[]wire.Fault{{Collector: "power", Error: "Unknown Error", GPUs: []int{0, 1}}}) {
			t.Errorf("GPU %v, faults %v; want power absent, said once, of both", v, sm.Faults)
		}
	})
	t.Run("lost", func(t *testing.T) {
		sm := take(t, nil, map[string]error{"SM clock": errLost})
		if sm.GPUs[1] != (wire.GPU{Index: 1, Lost: "GPU is lost", LostID: wire.LostFellOff}) || !full(&sm.GPUs[0]) ||
			sm.Gone != "" {
			t.Errorf("GPUs %+v", sm.GPUs)
		}
	})
	t.Run("one of two is gone", func(t *testing.T) {
		sm := take(t, nil, map[string]error{"*": errGone})
		if sm.Gone != "" || len(sm.Faults) != 1 || !reflect.DeepEqual(sm.Faults[0].GPUs, []int{1}) ||
			!full(&sm.GPUs[0]) {
			t.Errorf("gone %q, faults %v", sm.Gone, sm.Faults)
		}
	})
	t.Run("one of two is gone, with processes", func(t *testing.T) {
		lib, devices := newFakeLibrary(2)
		devices[1].err["*"] = errGone
		s := newSampler(&output{w: io.Discard}, Options{Library: lib, Proc: fakeproc.Write(t, nil)})
		learnGPUs(s)
		s.pace = &wire.Pace{IntervalMS: 1000, Processes: true}
		sm := s.take()
		if !sm.Listed || sm.GPUs[0].Unlisted != "" || sm.GPUs[1].Unlisted != "Uninitialized" {
			t.Errorf("listed %v, GPUs %+v: want to know that those of one are unknown", sm.Listed, sm.GPUs)
		}
	})
	t.Run("no /proc", func(t *testing.T) {
		lib, _ := newFakeLibrary(1)
		s := newSampler(&output{w: io.Discard}, Options{Library: lib, Proc: t.TempDir()})
		learnGPUs(s)
		sm := s.take()
		if len(sm.Faults) != 1 || sm.Faults[0].Collector != "host" || !full(&sm.GPUs[0]) {
			t.Errorf("faults %v, GPU %+v", sm.Faults, sm.GPUs[0])
		}
	})
}

// Constant values are in the Hello. Slow values are read every minute and repeated in between. All others are in every
// report.
func TestPaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lib, devices := newFakeLibrary(1)
		d := devices[0]
		s := open(t, lib)
		s.say(`{"id":1,"pace":{"interval_ms":5000}}`)
		msgs := s.got()
		card, first := msgs[0].Hello.GPUs[0], msgs[2].Report.GPUs[0]
		for id := range metric.All(metric.GPU) {
			once := id.Row().Pace == metric.Once
			if card.Values.Has(id) != once || first.Values.Has(id) == once {
				t.Errorf("%v: in the Hello %t, in the first report %t", id, card.Values.Has(id), first.Values.Has(id))
			}
		}
		lib.change(func() { d.limit, d.err["power limit"] = 300, errOther })
		for _, r := range s.after(metric.SlowSeconds*time.Second - time.Millisecond) {
			if r.GPUs[0].Values.Float(metric.PowerLimit) != 400 || len(r.Faults) != 0 {
				t.Errorf("within the minute a report has %v, faults %v", r.GPUs[0].Values, r.Faults)
			}
		}
		for _, r := range s.after(metric.SlowSeconds * time.Second) {
			if r.GPUs[0].Values.Has(metric.PowerLimit) || len(r.Faults) != 1 || r.Faults[0].Collector != "power limit" {
				t.Errorf("after it failed a report has %v, faults %v", r.GPUs[0].Values, r.Faults)
			}
		}
		lib.change(func() { delete(d.err, "power limit") })
		if next := s.after(metric.SlowSeconds * time.Second)[0]; next.GPUs[0].Values.Float(metric.PowerLimit) != 300 ||
			len(next.Faults) != 0 {
			t.Errorf("the first report that can read it has %v, faults %v", next.GPUs[0].Values, next.Faults)
		}
		s.finish()
		if n := d.reads[metric.PowerLimit]; n != 14 || // at the beginning, in each report that fails, and once more
			d.reads[metric.MemoryTotal] != 1 || d.reads[metric.Util] != 37 { // once before the Hello
			t.Errorf("read so often: %v", d.reads)
		}
	})
}

// A GPU that was lost is read anew when it is back, slow numbers too.
func TestLostGPUComesBack(t *testing.T) {
	lib, devices := newFakeLibrary(2)
	s := newSampler(&output{w: io.Discard}, Options{Library: lib, Proc: fakeproc.Write(t, nil)})
	learnGPUs(s)
	s.take()
	devices[1].limit, devices[1].err["temperature"] = 300, errLost
	if g := s.take().GPUs[1]; g != (wire.GPU{Index: 1, Lost: "GPU is lost", LostID: wire.LostFellOff}) {
		t.Errorf("lost: %+v", g)
	}
	delete(devices[1].err, "temperature")
	if g := s.take().GPUs[1]; g.Values.Float(metric.PowerLimit) != 300 {
		t.Errorf("back again: %+v", g)
	}
}
