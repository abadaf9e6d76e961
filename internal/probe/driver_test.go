package probe

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/probe/gpus"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// A driver that comes late is found, and reported in a new Hello; so is the loss of a driver.
func TestDriverComesAndGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lib, devices := newFakeLibrary(2)
		lib.initErr = &driver.InitError{ID: wire.FaultMismatch, Words: "Driver/library version mismatch"}
		s := open(t, lib)
		s.say(`{"id":1,"pace":{"interval_ms":20000}}`)
		msgs := s.got()
		h, r := msgs[0].Hello, msgs[2].Report
		if h.Fault != "Driver/library version mismatch" || h.FaultID != wire.FaultMismatch || h.GPUs == nil ||
			len(h.GPUs) != 0 {
			t.Errorf("hello %+v", h)
		}
		if len(r.GPUs) != 0 || !r.Host.Has(metric.Load) {
			t.Errorf("report %+v, want one of the host alone", r)
		}

		lib.change(func() { lib.initErr = nil })
		time.Sleep(gpus.RetryEvery)
		msgs = s.got()
		if len(msgs) != 2 || msgs[0].Hello == nil || msgs[0].Hello.Fault != "" || len(msgs[0].Hello.GPUs) != 2 {
			t.Fatalf("when the driver came, got %+v, want a Hello with 2 GPUs and a report", msgs)
		}
		if r := msgs[1].Report; r == nil || !r.OffBeat || len(r.GPUs) != 2 || !r.GPUs[1].Values.Has(metric.Util) {
			t.Errorf("after it, got %+v, want a report of 2 GPUs at once", msgs[1])
		}

		lib.change(func() { devices[0].err["*"], devices[1].err["*"] = errGone, errGone })
		time.Sleep(gpus.RetryEvery + time.Millisecond)
		msgs = s.got()
		if len(msgs) < 2 || msgs[0].Hello == nil || msgs[0].Hello.FaultID != wire.FaultNoDriver ||
			msgs[0].Hello.Fault != "Uninitialized" ||
			msgs[1].Report == nil || len(msgs[1].Report.GPUs) != 0 {
			t.Fatalf("when the driver went, got %+v, want a Hello that says so and a report of the host", msgs)
		}
		time.Sleep(gpus.RetryEvery)
		if inits, shutdowns := lib.opened(); shutdowns != 1 || inits != 3 {
			t.Errorf("%d Shutdowns and %d Inits, want one Shutdown before the third Init", shutdowns, inits)
		}
		s.finish()
	})
}

func TestDriverIsReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lib, devices := newFakeLibrary(1)
		s := open(t, lib)
		s.say(`{"id":1,"pace":{"interval_ms":1000}}`)
		lib.change(func() { devices[0].err["*"] = errGone })
		time.Sleep(time.Second + time.Millisecond)
		lib.change(func() {
			lib.initErr = &driver.InitError{ID: wire.FaultMismatch, Words: "Driver/library version mismatch"}
		})
		time.Sleep(gpus.RetryEvery)
		if err := <-s.ended; !errors.Is(err, gpus.ErrOutdated) {
			t.Errorf("Run returned %v, want %v", err, gpus.ErrOutdated)
		}
	})
}

func TestGPUWithoutHandle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lib, devices := newFakeLibrary(2)
		lib.slots[1] = driver.Slot{Index: 1, Lost: "GPU is lost"}
		s := open(t, lib)
		s.say(`{"id":1,"pace":{"interval_ms":600000}}`)
		msgs := s.got()
		if h, r := msgs[0].Hello, msgs[2].Report; h.GPUs[1].Lost != "GPU is lost" || r.GPUs[1].Lost != "GPU is lost" ||
			r.GPUs[0].Lost != "" {
			t.Errorf("hello %+v, report %+v", h, r)
		}
		time.Sleep(3 * gpus.RetryEvery)
		if msgs := s.got(); len(msgs) != 0 {
			t.Errorf("while nothing changes, got %+v", msgs)
		}
		lib.change(func() { lib.slots[1] = driver.Slot{Index: 1, Device: devices[1], Readers: devices[1].readers()} })
		time.Sleep(gpus.RetryEvery)
		if msgs := s.got(); len(msgs) != 2 || msgs[0].Hello == nil || msgs[0].Hello.GPUs[1].Lost != "" ||
			msgs[1].Report.GPUs[1].Lost != "" {
			t.Errorf("when it came back, got %+v, want a Hello and a report", msgs)
		}
		s.finish()
	})
}
