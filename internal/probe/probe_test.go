package probe

import (
	"context"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// session is a probe under test, seen from nvnodetop's end. It lives in a synctest bubble.
type session struct {
	t      *testing.T
	in     *io.PipeWriter
	out    *io.PipeReader
	msgs   chan wire.Message
	ended  chan error
	cancel context.CancelFunc
}

func open(t *testing.T, lib Library, proc string) *session {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	s := &session{t: t, in: inW, out: outR, msgs: make(chan wire.Message, 4096), ended: make(chan error, 1), cancel: cancel}
	go func() {
		err := Run(ctx, inR, outW, Options{Build: "v1", Library: lib, Proc: proc, Now: fakeNow, Name: "n1"})
		_ = errors.Join(outW.Close(), inR.Close()) // they never fail
		s.ended <- err
	}()
	go func() {
		defer close(s.msgs)
		lines := wire.NewReader(outR)
		if lines.SkipToMagic() != nil {
			return
		}
		for {
			var m wire.Message
			if lines.Next(&m) != nil {
				return
			}
			s.msgs <- m
		}
	}()
	return s
}

// say writes one line to the probe, and lets it do what it does at once.
func (s *session) say(line string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		s.t.Fatalf("write %.40q: %v", line, err)
	}
	synctest.Wait()
}

// got takes what the probe has written so far.
func (s *session) got() (msgs []wire.Message) {
	synctest.Wait()
	for {
		select {
		case m, ok := <-s.msgs:
			if !ok {
				return msgs
			}
			msgs = append(msgs, m)
		default:
			return msgs
		}
	}
}

func (s *session) reports() (reports []*wire.Report) {
	for _, m := range s.got() {
		if m.Report != nil {
			reports = append(reports, m.Report)
		}
	}
	return reports
}

// write writes to the probe what may find nobody who reads it any more.
func (s *session) write(raw string) {
	if _, err := io.WriteString(s.in, raw); err != nil && !errors.Is(err, io.ErrClosedPipe) {
		s.t.Error(err)
	}
}

// end closes the probe's input and returns what Run returned.
func (s *session) end() error {
	_ = s.in.Close() // never fails
	return <-s.ended
}

// finish ends a session of which nothing else is asked.
func (s *session) finish() {
	s.t.Helper()
	if err := s.end(); err != nil {
		s.t.Errorf("Run returned %v", err)
	}
}

func TestGreetingAndPace(t *testing.T) {
	proc := writeProc(t, nil)
	synctest.Test(t, func(t *testing.T) {
		lib, _ := newFakeLibrary(2)
		s := open(t, lib, proc)
		time.Sleep(30 * time.Second)
		msgs := s.got()
		if len(msgs) != 1 || msgs[0].Hello == nil {
			t.Fatalf("before a pace is asked for, got %+v, want one Hello", msgs)
		}
		h := msgs[0].Hello
		if h.Version != wire.Version || h.Build != "v1" || h.PID == 0 || h.CPUs != 2 || h.Job != "48211" ||
			h.Driver != "550.54.14" || h.CUDA != "12.4" || len(h.GPUs) != 2 || h.GPUs[1].Index != 1 || len(h.Missing) != 1 {
			t.Errorf("hello %+v", h)
		}

		s.say(`{"id":7,"pace":{"interval_ms":3000}}`)
		msgs = s.got()
		if len(msgs) != 2 || msgs[0].Reply == nil || *msgs[0].Reply != (wire.Reply{ID: 7}) || msgs[1].Report == nil {
			t.Fatalf("to the first pace, got %+v, want its reply and a report", msgs)
		}
		first := msgs[1].Report
		if first.Seq != 1 || first.OffBeat || first.MonoMS != (time.Hour+30*time.Second).Milliseconds() || !first.Listed {
			t.Errorf("first report %+v", first)
		}
		time.Sleep(9 * time.Second)
		reports := s.reports()
		if len(reports) != 3 {
			t.Fatalf("%d reports within three intervals, want 3", len(reports))
		}
		for i, r := range reports {
			if want := first.MonoMS + int64(i+1)*3000; r.MonoMS != want || r.Seq != uint64(i+2) {
				t.Errorf("report %d at %d ms with seq %d, want at %d", i, r.MonoMS, r.Seq, want)
			}
		}
		if err := s.end(); err != nil {
			t.Errorf("at the end of its input Run returned %v", err)
		}
		if inits, shutdowns := lib.opened(); inits != 1 || shutdowns != 1 {
			t.Errorf("%d Inits and %d Shutdowns, want one each", inits, shutdowns)
		}
	})
}

func TestOffBeat(t *testing.T) {
	proc := writeProc(t, nil)
	synctest.Test(t, func(t *testing.T) {
		lib, _ := newFakeLibrary(1)
		s := open(t, lib, proc)
		s.say(`{"id":1,"pace":{"interval_ms":3000}}`)
		time.Sleep(time.Second)
		s.say(`{"id":2,"pace":{"interval_ms":3000,"processes":true}}`)
		s.say(`{"id":3,"pace":{"interval_ms":3000,"processes":true}}`)
		reports := s.reports()
		if len(reports) != 2 || !reports[1].OffBeat || !reports[1].Listed || reports[0].OffBeat || !reports[0].Listed {
			t.Fatalf("got %d reports, want the first and one off the beat, with processes: %+v", len(reports), reports)
		}
		time.Sleep(2 * time.Second)
		reports = s.reports()
		if len(reports) != 1 || reports[0].OffBeat || reports[0].MonoMS != (time.Hour+3*time.Second).Milliseconds() {
			t.Fatalf("the beat after it: %+v, want one report at 3 s", reports)
		}
		s.say(`{"id":4,"pace":{"interval_ms":500}}`)
		if reports = s.reports(); len(reports) != 0 {
			t.Errorf("to a new interval without processes, got %+v, want nothing at once", reports)
		}
		time.Sleep(time.Second)
		if reports = s.reports(); len(reports) != 2 || reports[1].Listed {
			t.Errorf("got %+v, want two reports without processes within a second", reports)
		}
		s.finish()
	})
}

func TestBadRequests(t *testing.T) {
	for _, tc := range []struct {
		name, line string
		id         uint64
		words      string
	}{
		{"not JSON", `hello`, 0, "not a message"},
		{"empty", ``, 0, "not a message"},
		{"wrong type", `{"id":5,"pace":"fast"}`, 0, "not a message"},
		{"negative id", `{"id":-5,"alive":{}}`, 0, "not a message"},
		{"nothing asked", `{"id":5}`, 5, "exactly one"},
		{"two things asked", `{"id":5,"alive":{},"pace":{"interval_ms":1000}}`, 5, "exactly one"},
		{"from the future", `{"id":5,"signal":{"pid":1}}`, 5, "exactly one"},
		{"too fast", `{"id":5,"pace":{"interval_ms":249}}`, 5, "249 ms is not within"},
		{"too slow", `{"id":5,"pace":{"interval_ms":600001}}`, 5, "600001 ms is not within"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			proc := writeProc(t, nil)
			synctest.Test(t, func(t *testing.T) {
				lib, _ := newFakeLibrary(1)
				s := open(t, lib, proc)
				s.got()
				s.say(tc.line)
				msgs := s.got()
				if len(msgs) != 1 || msgs[0].Reply == nil || msgs[0].Reply.ID != tc.id || !strings.Contains(msgs[0].Reply.Error, tc.words) {
					t.Fatalf("got %+v, want a reply to %d with %q", msgs, tc.id, tc.words)
				}
				time.Sleep(20 * time.Second)
				if msgs := s.got(); len(msgs) != 0 {
					t.Errorf("afterwards got %+v, want nothing", msgs)
				}
				s.say(`{"id":6,"pace":{"interval_ms":600000}}`)
				if msgs := s.got(); len(msgs) != 2 || msgs[0].Reply.Error != "" {
					t.Errorf("a good request after it got %+v", msgs)
				}
				s.finish()
			})
		})
	}
}

func TestSilence(t *testing.T) {
	proc := writeProc(t, nil)
	synctest.Test(t, func(t *testing.T) {
		lib, _ := newFakeLibrary(1)
		s := open(t, lib, proc)
		s.say(`{"id":1,"pace":{"interval_ms":600000}}`)
		for id := range 3 {
			time.Sleep(silence - time.Second)
			s.say(`{"id":` + string(rune('2'+id)) + `,"alive":{}}`)
		}
		heard := time.Now()
		err := <-s.ended
		if !errors.Is(err, ErrSilence) || time.Since(heard) != silence {
			t.Errorf("Run returned %v after %v, want %v after %v", err, time.Since(heard), ErrSilence, silence)
		}
	})
}

func TestEnds(t *testing.T) {
	for _, tc := range []struct {
		name string
		do   func(*session)
		want string // in the error; empty: none
	}{
		{"input ends", func(s *session) { _ = s.in.Close() }, ""},
		{"input ends within a line", func(s *session) { s.write(`{"id":`); _ = s.in.Close() }, ""},
		{"input breaks", func(s *session) { _ = s.in.CloseWithError(errors.New("reset by peer")) }, "reset by peer"},
		{"context ends", func(s *session) { s.cancel() }, ""},
		{"output closes", func(s *session) { _ = s.out.Close(); s.write("{}\n") }, "write"},
		{"a line without end", func(s *session) {
			for range wire.MaxLine>>10 + 32 { // the reader looks at 16 KiB at a time
				s.write(strings.Repeat("x", 1<<10))
			}
		}, wire.ErrLineTooLong.Error()},
	} {
		t.Run(tc.name, func(t *testing.T) {
			proc := writeProc(t, nil)
			synctest.Test(t, func(t *testing.T) {
				lib, _ := newFakeLibrary(1)
				s := open(t, lib, proc)
				s.got()
				tc.do(s)
				synctest.Wait()
				select {
				case err := <-s.ended:
					if (err == nil) != (tc.want == "") || (err != nil && !strings.Contains(err.Error(), tc.want)) {
						t.Errorf("Run returned %v, want %q", err, tc.want)
					}
				default:
					t.Error("Run goes on")
				}
			})
		})
	}
}

// A driver that comes late is found, and says so with a new Hello; one that goes away as well.
func TestDriverComesAndGoes(t *testing.T) {
	proc := writeProc(t, nil)
	synctest.Test(t, func(t *testing.T) {
		lib, devices := newFakeLibrary(2)
		lib.initErr = &InitError{ID: wire.FaultMismatch, Words: "Driver/library version mismatch"}
		s := open(t, lib, proc)
		s.say(`{"id":1,"pace":{"interval_ms":20000}}`)
		msgs := s.got()
		h, r := msgs[0].Hello, msgs[2].Report
		if h.Fault != "Driver/library version mismatch" || h.FaultID != wire.FaultMismatch || h.GPUs == nil || len(h.GPUs) != 0 {
			t.Errorf("hello %+v", h)
		}
		if len(r.GPUs) != 0 || !r.Host.Has(metric.Load) {
			t.Errorf("report %+v, want one of the host alone", r)
		}

		lib.change(func() { lib.initErr = nil })
		time.Sleep(retryEvery)
		msgs = s.got()
		if len(msgs) != 2 || msgs[0].Hello == nil || msgs[0].Hello.Fault != "" || len(msgs[0].Hello.GPUs) != 2 {
			t.Fatalf("when the driver came, got %+v, want a Hello with 2 GPUs and a report", msgs)
		}
		if r := msgs[1].Report; r == nil || !r.OffBeat || len(r.GPUs) != 2 || !r.GPUs[1].Values.Has(metric.Util) {
			t.Errorf("after it, got %+v, want a report of 2 GPUs at once", msgs[1])
		}

		lib.change(func() { devices[0].err["*"], devices[1].err["*"] = errGone, errGone })
		time.Sleep(retryEvery + time.Millisecond)
		msgs = s.got()
		if len(msgs) < 2 || msgs[0].Hello == nil || msgs[0].Hello.FaultID != wire.FaultNoDriver || msgs[0].Hello.Fault != "Uninitialized" ||
			msgs[1].Report == nil || len(msgs[1].Report.GPUs) != 0 {
			t.Fatalf("when the driver went, got %+v, want a Hello that says so and a report of the host", msgs)
		}
		time.Sleep(retryEvery)
		if inits, shutdowns := lib.opened(); shutdowns != 1 || inits != 3 {
			t.Errorf("%d Shutdowns and %d Inits, want one Shutdown before the third Init", shutdowns, inits)
		}
		s.finish()
	})
}

func TestDriverIsReplaced(t *testing.T) {
	proc := writeProc(t, nil)
	synctest.Test(t, func(t *testing.T) {
		lib, devices := newFakeLibrary(1)
		s := open(t, lib, proc)
		s.say(`{"id":1,"pace":{"interval_ms":1000}}`)
		lib.change(func() { devices[0].err["*"] = errGone })
		time.Sleep(time.Second + time.Millisecond)
		lib.change(func() { lib.initErr = &InitError{ID: wire.FaultMismatch, Words: "Driver/library version mismatch"} })
		time.Sleep(retryEvery)
		if err := <-s.ended; !errors.Is(err, ErrOutdated) {
			t.Errorf("Run returned %v, want %v", err, ErrOutdated)
		}
	})
}

func TestGPUWithoutHandle(t *testing.T) {
	proc := writeProc(t, nil)
	synctest.Test(t, func(t *testing.T) {
		lib, devices := newFakeLibrary(2)
		lib.slots[1] = Slot{Index: 1, Lost: "GPU is lost"}
		s := open(t, lib, proc)
		s.say(`{"id":1,"pace":{"interval_ms":600000}}`)
		msgs := s.got()
		if h, r := msgs[0].Hello, msgs[2].Report; h.GPUs[1].Lost != "GPU is lost" || r.GPUs[1].Lost != "GPU is lost" || r.GPUs[0].Lost != "" {
			t.Errorf("hello %+v, report %+v", h, r)
		}
		time.Sleep(3 * retryEvery)
		if msgs := s.got(); len(msgs) != 0 {
			t.Errorf("while nothing changes, got %+v", msgs)
		}
		lib.change(func() { lib.slots[1] = Slot{Index: 1, Device: devices[1], Readers: devices[1].readers()} })
		time.Sleep(retryEvery)
		if msgs := s.got(); len(msgs) != 2 || msgs[0].Hello == nil || msgs[0].Hello.GPUs[1].Lost != "" || msgs[1].Report.GPUs[1].Lost != "" {
			t.Errorf("when it came back, got %+v, want a Hello and a report", msgs)
		}
		s.finish()
	})
}

func TestDegrades(t *testing.T) {
	full := func(g *wire.GPU) bool {
		for id := range metric.All(metric.GPU) {
			if g.Values.Has(id) != (id.Row().Pace != metric.Once) {
				return false
			}
		}
		return true
	}
	take := func(t *testing.T, err0, err1 map[string]error) *sample {
		lib, devices := newFakeLibrary(2)
		devices[0].err, devices[1].err = err0, err1
		s := newSampler(&output{w: io.Discard}, Options{Library: lib, Proc: writeProc(t, nil)})
		s.cards = s.cards.taken(false, s.opts.Proc)
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
		if v.Has(metric.ECCUncorrected) || v.Has(metric.Util) || v.Has(metric.MemUtil) || !v.Has(metric.Power) || len(sm.Faults) != 0 {
			t.Errorf("GPU %v, faults %v; want two columns absent and no fault", v, sm.Faults)
		}
	})
	t.Run("fault of both GPUs", func(t *testing.T) {
		err := map[string]error{"power": errOther}
		sm := take(t, err, err)
		v := &sm.GPUs[0].Values
		if v.Has(metric.Power) || !v.Has(metric.Temperature) || !reflect.DeepEqual(sm.Faults, []wire.Fault{{Collector: "power", Error: "Unknown Error", GPUs: []int{0, 1}}}) {
			t.Errorf("GPU %v, faults %v; want power absent, said once, of both", v, sm.Faults)
		}
	})
	t.Run("lost", func(t *testing.T) {
		sm := take(t, nil, map[string]error{"SM clock": errLost})
		if sm.GPUs[1] != (wire.GPU{Index: 1, Lost: "GPU is lost", LostID: wire.LostFellOff}) || !full(&sm.GPUs[0]) || sm.gone != "" {
			t.Errorf("GPUs %+v", sm.GPUs)
		}
	})
	t.Run("one of two is gone", func(t *testing.T) {
		sm := take(t, nil, map[string]error{"*": errGone})
		if sm.gone != "" || len(sm.Faults) != 1 || !reflect.DeepEqual(sm.Faults[0].GPUs, []int{1}) || !full(&sm.GPUs[0]) {
			t.Errorf("gone %q, faults %v", sm.gone, sm.Faults)
		}
	})
	t.Run("one of two is gone, with processes", func(t *testing.T) {
		lib, devices := newFakeLibrary(2)
		devices[1].err["*"] = errGone
		s := newSampler(&output{w: io.Discard}, Options{Library: lib, Proc: writeProc(t, nil)})
		s.cards = s.cards.taken(false, s.opts.Proc)
		s.pace = &wire.Pace{IntervalMS: 1000, Processes: true}
		sm := s.take()
		if !sm.Listed || sm.GPUs[0].Unlisted != "" || sm.GPUs[1].Unlisted != "Uninitialized" {
			t.Errorf("listed %v, GPUs %+v: want to know that those of one are unknown", sm.Listed, sm.GPUs)
		}
	})
	t.Run("no /proc", func(t *testing.T) {
		lib, _ := newFakeLibrary(1)
		s := newSampler(&output{w: io.Discard}, Options{Library: lib, Proc: t.TempDir()})
		s.cards = s.cards.taken(false, s.opts.Proc)
		sm := s.take()
		if len(sm.Faults) != 1 || sm.Faults[0].Collector != "host" || !full(&sm.GPUs[0]) {
			t.Errorf("faults %v, GPU %+v", sm.Faults, sm.GPUs[0])
		}
	})
}

// What is read once is in the Hello, what is slow is read every minute and repeated in between, and the rest is in every report.
func TestPaces(t *testing.T) {
	proc := writeProc(t, nil)
	synctest.Test(t, func(t *testing.T) {
		lib, devices := newFakeLibrary(1)
		d := devices[0]
		s := open(t, lib, proc)
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
		for _, r := range s.after(slowEvery - time.Millisecond) {
			if r.GPUs[0].Values.Float(metric.PowerLimit) != 400 || len(r.Faults) != 0 {
				t.Errorf("within the minute a report has %v, faults %v", r.GPUs[0].Values, r.Faults)
			}
		}
		for _, r := range s.after(slowEvery) {
			if r.GPUs[0].Values.Has(metric.PowerLimit) || len(r.Faults) != 1 || r.Faults[0].Collector != "power limit" {
				t.Errorf("after it failed a report has %v, faults %v", r.GPUs[0].Values, r.Faults)
			}
		}
		lib.change(func() { delete(d.err, "power limit") })
		if next := s.after(slowEvery)[0]; next.GPUs[0].Values.Float(metric.PowerLimit) != 300 || len(next.Faults) != 0 {
			t.Errorf("the first report that can read it has %v, faults %v", next.GPUs[0].Values, next.Faults)
		}
		s.finish()
		if n := d.reads[metric.PowerLimit]; n != 14 || // at the beginning, in each report that fails, and once more
			d.reads[metric.MemoryTotal] != 1 || d.reads[metric.Util] != 37 { // once before the Hello
			t.Errorf("read so often: %v", d.reads)
		}
	})
}

// after takes the reports of a time in which nvnodetop is there.
func (s *session) after(d time.Duration) []*wire.Report {
	time.Sleep(d / 2)
	s.say(`{"id":2,"alive":{}}`)
	time.Sleep(d - d/2)
	s.say(`{"id":2,"alive":{}}`)
	return s.reports()
}

// A GPU that was lost is read anew when it is back, slow numbers too.
func TestLostGPUComesBack(t *testing.T) {
	lib, devices := newFakeLibrary(2)
	s := newSampler(&output{w: io.Discard}, Options{Library: lib, Proc: writeProc(t, nil)})
	s.cards = s.cards.taken(false, s.opts.Proc)
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

// What does not change is read again as long as it could not be read, for whatever reason.
func TestCardIsCompleted(t *testing.T) {
	for _, err := range []error{errOther, errLost} {
		lib, devices := newFakeLibrary(2)
		n := inventory{lib: lib, crew: newCrew()}
		devices[1].err["memory size"] = err
		n = n.taken(false, t.TempDir())
		if !n.incomplete() || (n.hello.GPUs[1].Lost != "") != errors.Is(err, errLost) {
			t.Errorf("%v: incomplete %v, %+v", err, n.incomplete(), n.hello.GPUs[1])
		}
		delete(devices[1].err, "memory size")
		if n = n.taken(false, t.TempDir()); n.incomplete() || !n.hello.GPUs[1].Values.Has(metric.MemoryTotal) {
			t.Errorf("%v, and back: incomplete %v, %+v", err, n.incomplete(), n.hello.GPUs[1])
		}
	}
}
