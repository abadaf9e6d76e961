package probe

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/probe/gpus"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/test/fakeproc"
)

// While Init hangs, the node is reported, and so is the driver when it appears.
func TestInitHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lib, _ := newFakeLibrary(2)
		lib.hang = make(chan struct{})
		s := open(t, lib)
		s.say(pace1s)
		time.Sleep(gpus.DriverPatience - time.Millisecond)
		if msgs := s.got(); len(msgs) != 0 {
			t.Fatalf("while there is hope, got %+v", msgs)
		}
		time.Sleep(time.Millisecond)
		msgs := s.got()
		if len(msgs) < 3 || msgs[0].Hello == nil || msgs[0].Hello.FaultID != wire.FaultHangs || msgs[1].Reply == nil ||
			msgs[2].Report == nil {
			t.Fatalf("got %+v, want a Hello that says so and a report", msgs)
		}
		time.Sleep(time.Millisecond)
		for _, r := range s.atPace(time.Minute, time.Second) {
			if !r.Host.Has(metric.Load) || len(r.GPUs) != 0 {
				t.Fatalf("report %+v", r)
			}
		}
		if inits, _ := lib.opened(); inits != 1 {
			t.Errorf("%d Inits while the first hangs", inits)
		}
		close(lib.hang)
		msgs = s.got()
		if len(msgs) != 2 || msgs[0].Hello == nil || len(msgs[0].Hello.GPUs) != 2 || msgs[0].Hello.Fault != "" ||
			!msgs[1].Report.OffBeat || len(msgs[1].Report.GPUs) != 2 {
			t.Errorf("when it returned, got %+v, want a Hello and a report", msgs)
		}
		s.finish()
	})
}

// The GPUs are listed again because one is lost, and the listing may hang: healthy GPUs are read meanwhile.
func TestListingHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lib, devices := newFakeLibrary(2)
		s := open(t, lib)
		s.paced(pace1s)
		listing := make(chan struct{})
		lib.change(func() { devices[1].err["temperature"], lib.listing = errLost, listing })
		s.after(gpus.RetryEvery)
		for i, r := range s.atPace(time.Minute, time.Second) {
			if g := r.GPUs[0]; g.AgeMS != 0 || !g.Values.Has(metric.Util) || r.GPUs[1].Lost == "" {
				t.Fatalf("report %d: %+v", i, r.GPUs)
			}
		}
		close(listing)
		s.finish()
	})
}

// A GPU that was lost while the probe ran is listed again, since its old handle may be dead for good. It stays the same
// GPU.
func TestLostGPUIsListedAgain(t *testing.T) {
	for _, all := range []bool{false, true} {
		t.Run(fmt.Sprintf("all=%v", all), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				lib, devices := newFakeLibrary(3)
				s := open(t, lib)
				s.paced(pace1s)
				was := s.got()[0].Hello
				lib.change(func() {
					for i, d := range devices {
						if all || i == 1 {
							d.err["*"], d.err["UUID"] = errLost, errLost
						}
					}
				})
				time.Sleep(30 * time.Second)
				hellos := helloes(s.got())
				if len(hellos) != 1 || hellos[0].GPUs[1].Lost == "" || hellos[0].GPUs[1].LostID != wire.LostFellOff {
					t.Fatalf("while it is lost, got %+v, want one Hello", hellos)
				}
				if g := hellos[0].GPUs[1]; g.UUID != was.GPUs[1].UUID || *g.Minor != 1 ||
					g.Values != was.GPUs[1].Values {
					t.Errorf("the lost GPU is %+v, it was %+v", g, was.GPUs[1])
				}
				reads := 0
				lib.change(func() { // new handles
					reads = devices[0].reads[metric.PowerLimit]
					for i := range lib.slots {
						if all || i == 1 {
							d := newFakeDevice(lib, i)
							lib.slots[i] = driver.Slot{Index: i, Device: d, Readers: d.readers()}
						}
					}
				})
				time.Sleep(gpus.RetryEvery)
				s.say(`{"id":2,"alive":{}}`)
				if all {
					time.Sleep(gpus.ReopenEvery / 2)
					s.say(`{"id":2,"alive":{}}`)
				}
				msgs := s.got()
				hellos = helloes(msgs)
				if len(hellos) != 1 || hellos[0].GPUs[1].Lost != "" || hellos[0].GPUs[1].UUID != was.GPUs[1].UUID {
					t.Fatalf("when it is back, got %+v, want one Hello", hellos)
				}
				last := msgs[len(msgs)-1]
				if last.Report == nil {
					last = msgs[len(msgs)-2]
				}
				for _, g := range last.Report.GPUs {
					if g.Lost != "" || !g.Values.Has(metric.PowerLimit) || !g.Values.Has(metric.Util) {
						t.Errorf("GPU %+v", g)
					}
				}
				s.finish()
				if !all && devices[0].reads[metric.PowerLimit] != reads {
					t.Error("the slow numbers of a GPU that was always well were read again")
				}
			})
		})
	}
}

// A lost GPU is listed again when it is back, even if another GPU is always slow, or hangs for good.
func TestLostGPUIsListedBesideASlowOne(t *testing.T) {
	for name, slow := range map[string]time.Duration{"slow": 60 * time.Millisecond, "hung": 0} {
		for _, interval := range []int{1000, 5000} {
			t.Run(fmt.Sprint(name, interval), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					lib, devices := newFakeLibrary(3)
					s := open(t, lib)
					s.paced(fmt.Sprintf(`{"id":1,"pace":{"interval_ms":%d}}`, interval))
					s.after(10 * time.Second)
					release := func() {}
					if lib.change(func() { devices[0].slow = slow }); slow == 0 {
						release = devices[0].hangAt()
					}
					s.after(20 * time.Second)
					cards := devices[0].askedCard()
					lib.change(func() { devices[1].err["*"], devices[1].err["UUID"] = errLost, errLost })
					s.say(`{"id":2,"alive":{}}`)
					time.Sleep(30 * time.Second)
					if h := helloes(s.got()); len(h) != 1 || h[0].GPUs[1].Lost == "" || h[0].GPUs[0].Lost != "" {
						t.Errorf("while it is lost: %+v", h)
					}
					lib.change(func() { clear(devices[1].err) })
					s.say(`{"id":2,"alive":{}}`)
					time.Sleep(30 * time.Second)
					msgs := s.got()
					if h := helloes(msgs); len(h) != 1 || h[0].GPUs[1].Lost != "" || h[0].GPUs[0].UUID != "GPU-0" {
						t.Errorf("when it is back: %+v", h)
					}
					for _, g := range msgs[len(msgs)-1].Report.GPUs[1:] {
						if g.Lost != "" || !g.Values.Has(metric.Util) {
							t.Errorf("%+v", g)
						}
					}
					if slow == 0 && devices[0].askedCard() != cards {
						t.Error("the card of a GPU that hangs was read")
					}
					release()
					s.finish()
					time.Sleep(time.Minute)
				})
			})
		}
	}
}

func helloes(msgs []wire.Message) (h []*wire.Hello) {
	for _, m := range msgs {
		if m.Hello != nil {
			h = append(h, m.Hello)
		}
	}
	return h
}

// All lost GPUs of a driver that has to be opened again for them come back, too, and it is not opened again all the
// time.
func TestDriverIsOpenedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lib, devices := newFakeLibrary(1)
		s := open(t, lib)
		s.paced(pace1s)
		lib.change(func() { devices[0].err["*"] = errLost })
		for range 11 {
			time.Sleep(30 * time.Second)
			s.say(`{"id":2,"alive":{}}`)
		}
		if inits, shutdowns := lib.opened(); inits < 5 || inits > 7 || shutdowns != inits-1 {
			t.Errorf("%d Inits and %d Shutdowns in 5.5 minutes, want about one a minute", inits, shutdowns)
		}
		s.finish()
	})
}

// A GPU that was missing when the probe started, and one that fell off the bus, are listed once the kernel has them:
// the driver is opened again for each, once, and not while nothing is new.
func TestGPUComesLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const first, second = "driver/nvidia/gpus/0000:05:00.0/power", "driver/nvidia/gpus/0000:85:00.0/power"
		proc := fakeproc.Write(t, map[string]string{first: ""})
		lib, devices := newFakeLibrary(1)
		s := open(t, lib, proc)
		s.paced(pace1s)
		wait := func() {
			for range 6 {
				time.Sleep(25 * time.Second)
				s.say(`{"id":2,"alive":{}}`)
			}
		}
		wait()
		if inits, _ := lib.opened(); inits != 1 {
			t.Errorf("%d Inits while nothing is new", inits)
		}
		late := newFakeDevice(lib, 1)
		lib.change(func() { lib.slots = append(lib.slots, driver.Slot{Index: 1, Device: late, Readers: late.readers()}) })
		fakeproc.File(t, filepath.Join(proc, second), "")
		s.got()
		wait()
		if inits, _ := lib.opened(); inits != 2 {
			t.Errorf("%d Inits with a new GPU", inits)
		}
		hellos := helloes(s.got())
		if len(hellos) != 1 || len(hellos[0].GPUs) != 2 {
			t.Fatalf("with a new GPU: %+v", hellos)
		}
		if err := os.RemoveAll(filepath.Join(proc, filepath.Dir(first))); err != nil {
			t.Fatal(err)
		}
		lib.change(func() { devices[0].err["*"] = errLost })
		wait()
		fakeproc.File(t, filepath.Join(proc, first), "")
		lib.change(func() { delete(devices[0].err, "*") })
		wait()
		if inits, _ := lib.opened(); inits != 3 {
			t.Errorf("%d Inits when a GPU is back", inits)
		}
		s.finish()
	})
}
