package driver

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// fakeWatch gives the events that are sent to it, and fails when it is closed.
type fakeWatch chan XidEvent

func (w fakeWatch) Next() (XidEvent, bool, error) {
	select {
	case e, ok := <-w:
		if !ok {
			return e, false, errors.New("GPU is lost")
		}
		return e, true, nil
	case <-time.After(5 * time.Second):
		return XidEvent{}, false, nil
	}
}

func (fakeWatch) Close() {}

func cards(uuids ...string) (list []wire.Card) {
	for i, uuid := range uuids {
		list = append(list, wire.Card{Index: i, UUID: uuid})
	}
	return list
}

// There are never more than two Watches, however often the GPUs change. A replaced Watch gives no more events, and its
// failure does not matter.
func TestHandover(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewXidListener(func() time.Duration { return time.Hour })
		var begun []fakeWatch
		watch := func(uuids ...string) {
			l.Watch(cards(uuids...), func() (XidWatch, map[int]error) {
				w := make(fakeWatch, 10)
				begun = append(begun, w)
				return w, nil
			})
			synctest.Wait()
		}
		watch("A")
		l.Started(<-l.Begun)
		watch("A")
		watch("A", "B")
		watch("A", "C") // while the second Watch begins
		if len(begun) != 2 {
			t.Fatalf("%d Watches", len(begun))
		}
		begun[0] <- XidEvent{Code: 1}
		begun[1] <- XidEvent{Code: 1}
		l.Started(<-l.Begun)
		watch("A", "C") // while the first Watch ends
		synctest.Wait()
		if xids, left := l.Box.Take(); len(xids) != 1 || left != 0 || !l.Box.Empty() || len(begun) != 2 {
			t.Errorf("got %v, %d Watches", xids, len(begun))
		}
		close(begun[0])
		if failed, news := l.Over(<-l.Ended); failed || news {
			t.Error("the end of the first one is said")
		}
		watch("A", "C")
		l.Started(<-l.Begun)
		close(begun[2])
		if failed, news := l.Over(<-l.Ended); !failed || !news ||
			len(l.Mark(cards("A", "C"))[1].Absent["GPU is lost"]) != 1 {
			t.Error("the failure of the last one is not said")
		}
		if l.Over(<-l.Ended); l.Running() {
			t.Error("something runs")
		}
	})
}
