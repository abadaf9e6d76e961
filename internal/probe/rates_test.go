package probe

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// A rate is that of the time between two readings: it is absent at first, while values are repeated and when a lost GPU
// is back.
func TestRatesInReports(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lib, devices := newFakeLibrary(1)
		d := devices[0]
		began := time.Now()
		d.counter = func() uint64 { return uint64(1000 * time.Since(began).Seconds()) }
		s := open(t, lib)
		s.paced(pace1s)
		rate := func(what string, v metric.Values, want float64) {
			t.Helper()
			if got := v.Float(metric.NVLinkTX); math.Abs(got-want) > 1 || (got == got) != (want == want) {
				t.Errorf("%s: %v bytes/s, want %v", what, got, want)
			}
		}
		rate("first", s.reports()[0].GPUs[0].Values, math.NaN())
		for range 3 {
			rate("later", s.after(time.Second)[0].GPUs[0].Values, 1000)
		}
		time.Sleep(100 * time.Millisecond)
		s.say(`{"id":2,"pace":{"interval_ms":1000,"processes":true}}`)
		if r := s.reports(); len(r) != 1 || !r[0].OffBeat {
			t.Errorf("off the beat: %+v", r)
		} else {
			rate("off the beat", r[0].GPUs[0].Values, 1000)
		}
		release := d.hangAt()
		if g := s.after(2 * time.Second)[0].GPUs[0]; !g.Repeated || !g.Values.Has(metric.Power) {
			t.Errorf("while it hangs: %+v", g)
		} else {
			rate("while it hangs", g.Values, math.NaN())
		}
		release()
		s.after(2 * time.Second)
		rate("after it hung", s.after(time.Second)[0].GPUs[0].Values, 1000)
		lib.change(func() { d.err["power"] = errLost })
		s.after(time.Second)
		lib.change(func() { clear(d.err) })
		rate("back again", s.after(time.Second)[0].GPUs[0].Values, math.NaN())
		rate("and later", s.after(time.Second)[0].GPUs[0].Values, 1000)
		s.finish()
	})
}
