package probe

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

const pace1s = `{"id":1,"pace":{"interval_ms":1000}}`

// paced asks for a pace. The next steps of the test never coincide with a beat.
func (s *session) paced(line string) {
	s.t.Helper()
	s.say(line)
	time.Sleep(time.Millisecond)
}

// atPace checks that reports came at every beat of an interval, and returns them.
func (s *session) atPace(d, interval time.Duration) []*wire.Report {
	s.t.Helper()
	reports := s.after(d)
	if len(reports) != int(d/interval) {
		s.t.Fatalf("%d reports in %v, want one every %v", len(reports), d, interval)
	}
	for i, r := range reports[1:] {
		if took := r.MonoMS - reports[i].MonoMS; took != interval.Milliseconds() {
			s.t.Errorf("report %d comes after %d ms", i+1, took)
		}
	}
	return reports
}

// hangAt makes the reading of power hang until the function that it returns is called.
func (d *fakeDevice) hangAt() (release func()) { return d.hangIn("power") }

// hangIn makes a call hang likewise.
func (d *fakeDevice) hangIn(call string) (release func()) {
	hang := make(chan struct{})
	d.lib.change(func() { d.hang, d.hangsIn = hang, call })
	return func() {
		d.lib.change(func() { d.hang = nil })
		close(hang)
	}
}

// A call that hangs for one GPU is named, and the others go on. When it returns, the GPU goes on too.
func TestOneGPUHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lib, devices := newFakeLibrary(8)
		s := open(t, lib)
		s.paced(`{"id":1,"pace":{"interval_ms":1000,"processes":true}}`)
		s.reports()
		release := devices[3].hangAt()
		for i, r := range s.atPace(30*time.Second, time.Second) {
			for _, g := range r.GPUs {
				if g.Index != 3 && (g.HangsMS != 0 || g.AgeMS != 0 || g.Repeated || g.Unlisted != "" ||
					!g.Values.Has(metric.Power)) {
					t.Fatalf("report %d: GPU %d, which answers: %+v", i, g.Index, g)
				}
			}
			g := r.GPUs[3]
			if want := max(int64(i*1000), 500); g.HangsMS != want || g.Call != "power" || g.Lost != "" {
				t.Errorf("report %d: the GPU hangs for %d ms at %q, want %d at power", i, g.HangsMS, g.Call, want)
			}
			if repeated := i < 3; g.Values.Has(metric.Util) != repeated || (g.AgeMS > 0) != repeated ||
				g.Repeated != repeated || (g.Unlisted == "") != repeated {
				t.Errorf("report %d: %+v", i, g)
			}
		}
		release()
		for i, r := range s.atPace(5*time.Second, time.Second) {
			if g := r.GPUs[3]; g.HangsMS != 0 || g.Call != "" || g.AgeMS != 0 || g.Unlisted != "" ||
				!g.Values.Has(metric.Power) {
				t.Errorf("report %d after it returned: %+v", i, g)
			}
		}
		if inits, _ := lib.opened(); inits != 1 {
			t.Errorf("%d Inits", inits)
		}
		s.finish()
	})
}

// However many reports a hanging driver takes, it has one goroutine per GPU, and the probe ends soon after its input.
func TestAllGPUsHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lib, devices := newFakeLibrary(8)
		s := open(t, lib)
		s.paced(pace1s)
		s.reports()
		before := runtime.NumGoroutine()
		var releases []func()
		for _, d := range devices {
			releases = append(releases, d.hangAt())
		}
		for i, r := range s.atPace(100*time.Second, time.Second) {
			if !r.Host.Has(metric.Load) || len(r.GPUs) != 8 {
				t.Fatalf("report %d: %+v", i, r)
			}
			if i > 1 && slices.ContainsFunc(r.GPUs,
				func(g wire.GPU) bool { return g.HangsMS == 0 || g.Call != "power" }) {
				t.Errorf("report %d: not all GPUs hang: %+v", i, r.GPUs)
			}
		}
		if more := runtime.NumGoroutine() - before; more > 8 {
			t.Errorf("%d goroutines more than before", more)
		}
		s.say(fmt.Sprintf(`{"id":9,"environ":{"pid":%d,"start_ticks":1}}`, 4242))
		if msgs := s.got(); len(msgs) != 1 || msgs[0].Reply == nil || msgs[0].Reply.Error != "no process 4242" {
			t.Errorf("a question got %+v", msgs)
		}
		closed := time.Now()
		if err := s.end(); err != nil || time.Since(closed) > parting {
			t.Errorf("Run returned %v after %v", err, time.Since(closed))
		}
		for _, release := range releases {
			release()
		}
		synctest.Wait()
		if _, shutdowns := lib.opened(); shutdowns != 0 {
			t.Error("Shutdown was called while the driver hung")
		}
	})
}

// A driver that is slow with every call is asked about all GPUs at once. Each report is on time, and every GPU has
// numbers.
func TestSlowDriver(t *testing.T) {
	for _, tt := range []struct {
		name     string
		gpus     int
		reading  time.Duration // of one GPU
		interval time.Duration
	}{
		{"2 s a GPU", 16, 2 * time.Second, 3 * time.Second},
		{"9 s a GPU", 4, 9 * time.Second, 3 * time.Second},
		{"300 ms a GPU at 4 Hz", 8, 300 * time.Millisecond, 250 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				lib, devices := newFakeLibrary(tt.gpus)
				call := tt.reading / time.Duration(fastReaders())
				for _, d := range devices {
					d.slow = call
				}
				s := open(t, lib)
				s.after(40 * time.Second) // until the GPUs are listed
				s.paced(fmt.Sprintf(`{"id":1,"pace":{"interval_ms":%d}}`, tt.interval.Milliseconds()))
				s.after(30*time.Second + tt.interval*2/3) // until the report of this beat is surely there
				for i, r := range s.atPace(90*time.Second, tt.interval) {
					if r.TookMS < tt.reading.Milliseconds()*3/4 {
						t.Errorf("report %d: took %d ms", i, r.TookMS)
					}
					for _, g := range r.GPUs {
						if !g.Values.Has(metric.Util) || g.HangsMS > 2*max(tt.interval, call).Milliseconds() {
							t.Errorf("report %d: %+v", i, g)
						}
					}
				}
				s.finish()
				time.Sleep(time.Minute) // until the last readings have ended
			})
		})
	}
}

// The first report waits for all GPUs of a driver that needs more than a moment for each, up to half an interval.
func TestFirstReportOfASlowDriver(t *testing.T) {
	for _, gpus := range []int{1, 2, 4, 8} {
		t.Run(fmt.Sprint(gpus), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				lib, devices := newFakeLibrary(gpus)
				s := open(t, lib)
				s.got()
				lib.change(func() {
					for _, d := range devices {
						d.slow = 400 * time.Millisecond / time.Duration(readersOf(metric.Fast))
					}
				})
				s.say(`{"id":1,"pace":{"interval_ms":3000}}`)
				time.Sleep(1500 * time.Millisecond)
				reports := s.reports()
				if len(reports) != 1 {
					t.Fatalf("%d reports within half an interval", len(reports))
				}
				for _, g := range reports[0].GPUs {
					if !g.Values.Has(metric.Util) || g.HangsMS != 0 || g.AgeMS != 0 {
						t.Errorf("%+v", g)
					}
				}
				s.finish()
			})
		})
	}
}

// Numbers that are late are not shown as new, and a GPU that needs a moment is not late at all.
func TestLateNumbersSayTheirAge(t *testing.T) {
	for _, tt := range []struct {
		reading  time.Duration // of all metrics; every second reading has the fast metrics alone
		from, to int64         // its age in ms
	}{{400 * time.Millisecond, 0, 0}, {30 * time.Second, 20_000, 40_000}} {
		t.Run(tt.reading.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				lib, devices := newFakeLibrary(2)
				s := open(t, lib)
				s.got()
				s.paced(`{"id":1,"pace":{"interval_ms":50000}}`)
				lib.change(func() { devices[1].slow = tt.reading / time.Duration(len(devices[1].readers())-onceReaders()) })
				s.after(50 * time.Second)
				s.after(50 * time.Second)
				for range 6 {
					reports := s.after(50 * time.Second)
					if len(reports) != 1 {
						t.Fatalf("%d reports in one interval", len(reports))
					}
					quick, g := &reports[0].GPUs[0], &reports[0].GPUs[1]
					if quick.AgeMS != 0 || quick.Repeated || !g.Values.Has(metric.Util) || g.Repeated ||
						g.AgeMS < tt.from || g.AgeMS > tt.to {
						t.Errorf("quick %+v, slow %+v", quick, g)
					}
				}
				s.finish()
				time.Sleep(time.Minute) // until the last reading has ended
			})
		})
	}
}

// fastReaders is how many readers of a fake device are used for each report.
func fastReaders() (n int) {
	for _, r := range newFakeDevice(nil, 0).readers() {
		if r.Row().Pace == metric.Fast {
			n++
		}
	}
	return n
}

// onceReaders is how many readers of a fake device are not used for reports.
func onceReaders() (n int) { return readersOf(metric.Once) }

// readersOf is the number of readers with a pace.
func readersOf(pace metric.Pace) (n int) {
	for id := range metric.All(metric.GPU) {
		if id.Row().Pace == pace {
			n++
		}
	}
	return n
}

// A flood of requests is answered even while a GPU hangs. If nothing can be answered yet, the flood ends the probe.
func TestFloodWhileTheDriverHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lib, devices := newFakeLibrary(1)
		release := devices[0].hangAt()
		s := open(t, lib)
		for range maxQueued {
			s.say(pace1s)
		}
		time.Sleep(time.Second)
		s.got()
		release()
		s.finish()
	})
	synctest.Test(t, func(t *testing.T) {
		lib, _ := newFakeLibrary(1)
		lib.hang = make(chan struct{})
		s := open(t, lib)
		for range maxQueued + 1 {
			s.say(pace1s)
		}
		if err := <-s.ended; err == nil || !strings.Contains(err.Error(), "requests unanswered") {
			t.Errorf("Run returned %v", err)
		}
		close(lib.hang)
	})
}
