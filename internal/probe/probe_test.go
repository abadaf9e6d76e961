package probe

import (
	"errors"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

func TestGreetingAndPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lib, _ := newFakeLibrary(2)
		s := open(t, lib)
		time.Sleep(30 * time.Second)
		msgs := s.got()
		if len(msgs) != 1 || msgs[0].Hello == nil {
			t.Fatalf("before a pace is asked for, got %+v, want one Hello", msgs)
		}
		h := msgs[0].Hello
		if h.Version != wire.Version || h.Build != "v1" || h.System != runtime.GOOS+"/"+runtime.GOARCH ||
			h.Program == "" || h.PID == 0 || h.CPUs != 2 || h.Job != "48211" ||
			h.Driver != "550.54.14" || h.CUDA != "12.4" || len(h.GPUs) != 2 || h.GPUs[1].Index != 1 ||
			len(h.Missing) != 1 {
			t.Errorf("hello %+v", h)
		}

		s.say(`{"id":7,"pace":{"interval_ms":3000}}`)
		msgs = s.got()
		if len(msgs) != 2 || msgs[0].Reply == nil || !reflect.DeepEqual(*msgs[0].Reply, wire.Reply{ID: 7}) ||
			msgs[1].Report == nil {
			t.Fatalf("to the first pace, got %+v, want its reply and a report", msgs)
		}
		first := msgs[1].Report
		if first.Seq != 1 || first.OffBeat || first.MonoMS != (time.Hour+30*time.Second).Milliseconds() ||
			!first.Listed {
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

// The second report may come sooner than the others, however long the first report took. A later pace changes only the
// reports after it.
func TestSecondReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lib, _ := newFakeLibrary(1)
		s := open(t, lib)
		s.say(`{"id":1,"pace":{"interval_ms":3000,"second_ms":1000}}`)
		s.reports()
		time.Sleep(7500 * time.Millisecond)
		var at []int64
		for _, r := range s.reports() {
			at = append(at, r.MonoMS-time.Hour.Milliseconds())
		}
		if !slices.Equal(at, []int64{1000, 4000, 7000}) {
			t.Errorf("after the first report others come at %v ms", at)
		}
		s.say(`{"id":2,"pace":{"interval_ms":2000,"second_ms":1000}}`)
		s.reports()
		time.Sleep(2500 * time.Millisecond)
		if late := s.reports(); len(late) != 1 || late[0].MonoMS != time.Hour.Milliseconds()+9500 {
			t.Errorf("a later pace brings %+v", late)
		}
	})
}

func TestOffBeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lib, _ := newFakeLibrary(1)
		s := open(t, lib)
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
		{"from the future", `{"id":5,"trace":{"pid":1}}`, 5, "exactly one"},
		{"too fast", `{"id":5,"pace":{"interval_ms":249}}`, 5, "249 ms is not within"},
		{"second too fast", `{"id":5,"pace":{"interval_ms":3000,"second_ms":249}}`, 5, "249 ms is not within"},
		{"too slow", `{"id":5,"pace":{"interval_ms":600001}}`, 5, "600001 ms is not within"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				lib, _ := newFakeLibrary(1)
				s := open(t, lib)
				s.got()
				s.say(tc.line)
				msgs := s.got()
				if len(msgs) != 1 || msgs[0].Reply == nil || msgs[0].Reply.ID != tc.id ||
					!strings.Contains(msgs[0].Reply.Error, tc.words) {
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
	synctest.Test(t, func(t *testing.T) {
		lib, _ := newFakeLibrary(1)
		s := open(t, lib)
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
			synctest.Test(t, func(t *testing.T) {
				lib, _ := newFakeLibrary(1)
				s := open(t, lib)
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
