package probe

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/probe/gpus"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// watchedLibrary tells of events. Its Watches count as calls into the driver, which may not be opened or closed
// meanwhile.
type watchedLibrary struct {
	*fakeLibrary
	registering time.Duration // how long Watch takes, until which it gets no event
	breaks      chan error
	refused     map[int]error
	begun       [][]driver.Slot // of each Watch
	open        map[*fakeWatch]bool
}

type fakeWatch struct {
	lib    *watchedLibrary
	slots  []driver.Slot
	events chan driver.XidEvent
}

const fakeWait = 5 * time.Second

func newWatchedLibrary(gpus int) (*watchedLibrary, []*fakeDevice) {
	lib, devices := newFakeLibrary(gpus)
	return &watchedLibrary{fakeLibrary: lib, breaks: make(chan error, 1), open: map[*fakeWatch]bool{}}, devices
}

func (l *watchedLibrary) Watch(slots []driver.Slot) (driver.XidWatch, map[int]error) {
	time.Sleep(l.registering)
	w := &fakeWatch{lib: l, slots: slots, events: make(chan driver.XidEvent, 1000)}
	l.change(func() { l.begun = append(l.begun, slots) })
	if len(l.refused) == len(slots) {
		return nil, l.refused
	}
	l.calls.Add(1)
	l.change(func() { l.open[w] = true })
	return w, l.refused
}

// send is an Xid. Each Watch of the GPU gets it.
func (l *watchedLibrary) send(e driver.XidEvent) {
	l.change(func() {
		for w := range l.open {
			if !slices.ContainsFunc(w.slots, func(s driver.Slot) bool { return s.Index == e.GPU && s.Device == nil }) {
				w.events <- e
			}
		}
	})
}

func (w *fakeWatch) Next() (driver.XidEvent, bool, error) {
	select {
	case e := <-w.events:
		return e, true, nil
	case err := <-w.lib.breaks:
		return driver.XidEvent{}, false, err
	case <-time.After(fakeWait):
		return driver.XidEvent{}, false, nil
	}
}

func (w *fakeWatch) Close() {
	w.lib.change(func() { delete(w.lib.open, w) })
	w.lib.calls.Add(-1)
}

func (l *watchedLibrary) watches() (n int) {
	l.change(func() { n = len(l.begun) })
	return n
}

// finish ends a session, and the last wait for an event.
func (l *watchedLibrary) finish(s *session) {
	s.t.Helper()
	s.finish()
	time.Sleep(fakeWait)
}

const paceRarely = `{"id":1,"pace":{"interval_ms":600000}}`

// An event makes a report at once, the next events at most one per second. Each event is in one report.
func TestXidMakesAReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lib, _ := newWatchedLibrary(2)
		s := open(t, lib)
		s.say(paceRarely)
		s.got()
		time.Sleep(30 * time.Second)
		lib.send(driver.XidEvent{GPU: 1, Code: 79})
		reports := s.reports()
		want := []wire.Xid{{GPU: 1, Code: 79, MonoMS: (time.Hour + 30*time.Second).Milliseconds()}}
		if len(reports) != 1 || !reports[0].OffBeat || !cmp.Equal(reports[0].Xids, want) {
			t.Fatalf("got %+v, want one report with %v", reports, want)
		}
		time.Sleep(300 * time.Millisecond)
		lib.send(driver.XidEvent{GPU: 0, Code: 31})
		lib.send(driver.XidEvent{GPU: 7, Code: 13}) // of a GPU that is not listed
		if reports := s.reports(); len(reports) != 0 {
			t.Fatalf("a report of the second event comes after 300 ms: %+v", reports[0])
		}
		time.Sleep(700 * time.Millisecond)
		reports = s.reports()
		if len(reports) != 1 || len(reports[0].Xids) != 1 || reports[0].Xids[0].Code != 31 ||
			reports[0].Xids[0].MonoMS != want[0].MonoMS+300 {
			t.Fatalf("got %+v, want one report with the event of a second ago", reports)
		}
		time.Sleep(20 * time.Second)
		if reports := s.reports(); len(reports) != 0 {
			t.Errorf("without events, got %+v", reports[0])
		}
		lib.finish(s)
	})
}

// A storm of events fills no more than one report. Before the first pace, events wait.
func TestXidStorm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lib, _ := newWatchedLibrary(1)
		s := open(t, lib)
		synctest.Wait()
		for range 50 {
			lib.send(driver.XidEvent{Code: 48})
		}
		synctest.Wait()
		s.say(pace1s)
		reports := s.reports()
		if len(reports) != 1 || len(reports[0].Xids) != wire.MaxXids || len(reports[0].Faults) != 1 ||
			reports[0].Faults[0].Error != "more than 32 events: 18 left out" {
			t.Errorf("got %+v", reports)
		}
		lib.finish(s)
	})
}

// A GPU that gives no events says why in the Hello.
func TestXidsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lib, _ := newWatchedLibrary(2)
		lib.refused = map[int]error{1: errAbsent}
		s := open(t, lib)
		msgs := s.got()
		h := msgs[len(msgs)-1].Hello
		if want := map[string][]string{"Not Supported": {"xids"}}; !cmp.Equal(h.GPUs[1].Absent, want) ||
			h.GPUs[0].Absent != nil {
			t.Errorf("cards %+v", h.GPUs)
		}
		s.say(paceRarely)
		lib.send(driver.XidEvent{GPU: 0, Code: 79})
		if r := s.reports(); len(r) != 2 || len(r[1].Xids) != 1 {
			t.Errorf("the other GPU: got %+v", r)
		}
		lib.finish(s)
		if _, shutdowns := lib.opened(); shutdowns != 0 {
			t.Error("Shutdown at the end, while a call is under way")
		}
	})
}

// A Watch that fails says so, and begins again with the next inventory.
func TestWatchBreaks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lib, devices := newWatchedLibrary(2)
		s := open(t, lib)
		s.say(pace1s)
		s.got()
		lib.change(func() { devices[1].err["*"] = errLost })
		lib.breaks <- errLost
		msgs := s.got()
		if len(msgs) != 2 || msgs[0].Hello == nil || msgs[0].Hello.GPUs[0].Absent["GPU is lost"] == nil {
			t.Fatalf("got %+v, want a Hello with the reason", msgs)
		}
		time.Sleep(gpus.RetryEvery + time.Second)
		lib.send(driver.XidEvent{GPU: 0, Code: 79})
		var last *wire.Hello
		for _, m := range s.got() {
			if m.Hello != nil {
				last = m.Hello
			}
		}
		if lib.watches() != 2 || last == nil || last.GPUs[0].Absent != nil {
			t.Errorf("%d watches, hello %+v", lib.watches(), last)
		}
		lib.finish(s)
	})
}

// The driver is opened again only when nothing waits in it any more. The fake driver panics otherwise.
func TestDriverIsOpenedAgainWithoutAWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lib, devices := newWatchedLibrary(1)
		s := open(t, lib)
		s.say(pace1s)
		time.Sleep(3 * time.Second)
		lib.change(func() { devices[0].err["*"] = errGone })
		time.Sleep(2 * time.Second)
		lib.change(func() { clear(devices[0].err) })
		time.Sleep(gpus.RetryEvery)
		if inits, shutdowns := lib.opened(); inits != 2 || shutdowns != 1 || lib.watches() != 2 {
			t.Errorf("%d Inits, %d Shutdowns, %d watches", inits, shutdowns, lib.watches())
		}
		s.got()
		lib.send(driver.XidEvent{GPU: 0, Code: 79})
		if r := s.reports(); len(r) != 1 || len(r[0].Xids) != 1 {
			t.Errorf("got %+v", r)
		}
		lib.finish(s)
	})
}

// A GPU that is back has another handle: it is watched too.
func TestAnotherGPUIsWatched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lib, _ := newWatchedLibrary(2)
		back := lib.slots[1]
		lib.slots[1] = driver.Slot{Index: 1, Lost: "GPU is lost", LostID: wire.LostFellOff}
		s := open(t, lib)
		s.say(pace1s)
		time.Sleep(time.Second)
		lib.change(func() { lib.slots[1] = back })
		time.Sleep(gpus.RetryEvery + fakeWait)
		if lib.watches() != 2 || lib.begun[1][1].Device == nil {
			t.Errorf("%d watches, the last of %+v", lib.watches(), lib.begun[len(lib.begun)-1])
		}
		lib.finish(s)
	})
}

// While a GPU comes back, the Xids of all GPUs arrive, each once: those of the returning GPU as soon as it is listed.
func TestXidsWhileAGPUComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lib, _ := newWatchedLibrary(2)
		lib.registering = 300 * time.Millisecond
		back := lib.slots[1]
		lib.slots[1] = driver.Slot{Index: 1, Lost: "GPU is lost", LostID: wire.LostFellOff}
		s := open(t, lib)
		s.paced(pace1s)
		time.Sleep(3 * time.Second)
		lib.change(func() { lib.slots[1] = back })
		var want, got []uint64
		for code := uint64(1); code <= 200; code++ {
			lib.send(driver.XidEvent{GPU: 0, Code: code})
			want = append(want, code)
			time.Sleep(100 * time.Millisecond)
			for _, m := range s.got() {
				if m.Hello != nil && m.Hello.GPUs[1].Lost == "" {
					time.Sleep(2 * lib.registering)
					lib.send(driver.XidEvent{GPU: 1, Code: 1000})
					want = append(want, 1000)
				}
				if r := m.Report; r != nil {
					for _, x := range r.Xids {
						got = append(got, x.Code)
					}
				}
			}
		}
		s.say(`{"id":2,"alive":{}}`)
		time.Sleep(2 * time.Second)
		for _, r := range s.reports() {
			for _, x := range r.Xids {
				got = append(got, x.Code)
			}
		}
		if !slices.Equal(got, want) || !slices.Contains(got, 1000) {
			t.Errorf("got %v", got)
		}
		lib.finish(s)
	})
}

// An event that had to wait makes no report of its own if a report on the beat has it.
func TestNoReportForWhatIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lib, _ := newWatchedLibrary(1)
		s := open(t, lib)
		s.paced(pace1s)
		time.Sleep(600 * time.Millisecond)
		s.got()
		lib.send(driver.XidEvent{Code: 31})
		synctest.Wait()
		time.Sleep(100 * time.Millisecond)
		lib.send(driver.XidEvent{Code: 32}) // it may be reported at 1600 ms, and the beat is at 1000
		time.Sleep(1200 * time.Millisecond)
		reports := s.reports()
		if len(reports) != 2 || !reports[0].OffBeat || reports[1].OffBeat || len(reports[1].Xids) != 1 {
			t.Errorf("got %+v", reports)
		}
		lib.finish(s)
	})
}
