package probe

import (
	"errors"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/probe/gpus"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// A call for one GPU's card that hangs at the start takes nothing from the others: Hello and report arrive within a
// second. The GPU names the hanging call, and gets its card when the call returns.
func TestCardHangs(t *testing.T) {
	for _, call := range []string{"identity", "NVLink links", "MIG instances"} {
		t.Run(call, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				lib, devices := newFakeLibrary(8)
				hung := devices[3]
				lib.slots[3].Parts = func() []driver.Slot { hung.hangs("MIG instances"); return nil }
				release := hung.hangIn(call)
				s := open(t, lib)
				s.say(pace1s)
				time.Sleep(time.Second - time.Millisecond)
				msgs := s.got()
				if len(msgs) < 3 || msgs[0].Hello == nil || msgs[2].Report == nil {
					t.Fatalf("within a second, got %+v", msgs)
				}
				for i, c := range msgs[0].Hello.GPUs {
					if i != 3 && (c.UUID == "" || !c.Values.Has(metric.NVLinks) || c.Absent != nil) {
						t.Errorf("the card of GPU %d is %+v", i, c)
					}
				}
				card := msgs[0].Hello.GPUs[3]
				if once := call == "MIG instances"; (card.UUID == "") != (call == "identity") || card.Lost != "" ||
					card.Values.Has(metric.NVLinks) != once ||
					slices.Contains(card.Absent[gpus.Silent], "nvlink_links") == once {
					t.Errorf("the card of the GPU that hangs is %+v", card)
				}
				time.Sleep(time.Millisecond)
				for i, r := range s.atPace(time.Minute, time.Second) {
					for _, g := range r.GPUs {
						if hangs := g.Index == 3; (g.HangsMS > 0) != hangs || g.Values.Has(metric.Power) == hangs ||
							hangs && g.Call != call {
							t.Fatalf("report %d: %+v", i, g)
						}
					}
				}
				asked := hung.askedCard()
				release()
				msgs = s.got()
				if h := helloes(msgs); len(h) != 1 || h[0].GPUs[3].UUID != "GPU-3" ||
					!h[0].GPUs[3].Values.Has(metric.NVLinks) || h[0].GPUs[3].Absent != nil {
					t.Fatalf("when it returned: %+v", msgs)
				}
				if g := msgs[len(msgs)-1].Report.GPUs[3]; g.HangsMS != 0 || !g.Values.Has(metric.Power) {
					t.Errorf("when it returned: %+v", g)
				}
				if asked != 1 {
					t.Errorf("the card was asked for %d times while it hung", asked)
				}
				s.finish()
			})
		})
	}
}

// helloesOf takes the Hellos of some time in which nvnodetop is present.
func (s *session) helloesOf(d time.Duration) []*wire.Hello {
	time.Sleep(d / 2)
	s.say(`{"id":2,"alive":{}}`)
	time.Sleep(d - d/2)
	s.say(`{"id":2,"alive":{}}`)
	return helloes(s.got())
}

// A card that hangs while the GPUs are listed again, because one is lost, takes nothing from the lost GPU. The GPU with
// the hanging card stays the same.
func TestCardHangsWhenListedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lib, devices := newFakeLibrary(3)
		s := open(t, lib)
		s.paced(pace1s)
		was := s.got()[0].Hello.GPUs[2]
		release := devices[2].hangIn("identity")
		lib.change(func() { devices[1].err["*"], devices[1].err["UUID"] = errLost, errLost })
		listed := s.helloesOf(gpus.RetryEvery + 2*gpus.LongestWait)
		if len(listed) != 1 || listed[0].GPUs[1].Lost == "" || !reflect.DeepEqual(listed[0].GPUs[2], was) {
			t.Errorf("while the other one is lost: %+v", listed)
		}
		lib.change(func() { clear(devices[1].err) })
		listed = append(s.helloesOf(gpus.RetryEvery+gpus.LongestWait), s.helloesOf(time.Minute)...)
		if len(listed) != 1 || listed[0].GPUs[1].Lost != "" || !reflect.DeepEqual(listed[0].GPUs[2], was) ||
			devices[2].askedCard() != 2 {
			t.Errorf("when it is back: %+v, asked %d times", listed, devices[2].askedCard())
		}
		release()
		r := s.after(2 * time.Second)
		if g := r[len(r)-1].GPUs[2]; g.HangsMS != 0 || !g.Values.Has(metric.Power) {
			t.Errorf("when it returned: %+v", g)
		}
		s.finish()
	})
}

// A failed call leaves a gap in the card, reported with its reason, until a later try succeeds.
func TestCardSaysWhatFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lib, devices := newFakeLibrary(1)
		devices[0].err["memory size"], devices[0].err["NUMA node"] = errOther, errDenied
		s := open(t, lib)
		want := map[string][]string{"Unknown Error": {"memory_total_bytes"}, "Insufficient Permissions": {"numa_node"}}
		if h := s.got()[0].Hello; !cmp.Equal(h.GPUs[0].Absent, want) {
			t.Errorf("absent %v", h.GPUs[0].Absent)
		}
		time.Sleep(2 * gpus.RetryEvery)
		if msgs := s.got(); len(msgs) != 0 {
			t.Errorf("while nothing changes: %+v", msgs)
		}
		lib.change(func() { clear(devices[0].err) })
		time.Sleep(gpus.RetryEvery)
		if h := helloes(s.got()); len(h) != 1 || h[0].GPUs[0].Absent != nil ||
			!h[0].GPUs[0].Values.Has(metric.MemoryTotal) {
			t.Errorf("when it can be read: %+v", h)
		}
		s.finish()
	})
}

// A constant value is read again until it could be read, whatever the reason for the failure.
func TestCardIsCompleted(t *testing.T) {
	for _, err := range []error{errOther, errLost} {
		synctest.Test(t, func(t *testing.T) {
			lib, devices := newFakeLibrary(2)
			devices[1].err["memory size"] = err
			s := open(t, lib)
			if card := s.got()[0].Hello.GPUs[1]; card.Values.Has(metric.MemoryTotal) ||
				(card.Lost != "") != errors.Is(err, errLost) {
				t.Errorf("%v: %+v", err, card)
			}
			lib.change(func() { clear(devices[1].err) })
			time.Sleep(gpus.RetryEvery)
			if h := helloes(s.got()); len(h) != 1 || h[0].GPUs[1].Lost != "" ||
				!h[0].GPUs[1].Values.Has(metric.MemoryTotal) {
				t.Errorf("%v, and back: %+v", err, h)
			}
			time.Sleep(gpus.RetryEvery)
			if asked := devices[1].askedCard(); asked != 2 {
				t.Errorf("%v: a complete card was asked for %d times", err, asked)
			}
			s.finish()
		})
	}
}
