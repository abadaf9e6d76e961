package bell

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// However many Events come, Await looks ten times a second, and at least once.
func TestAwait(t *testing.T) {
	for _, test := range []struct {
		name        string
		rings       int // in one second
		least, most int
	}{{"crowd", 10_000, 9, 12}, {"silence", 0, 1, 2}} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				news, began, looks := New(), time.Now(), 0
				var settled atomic.Bool
				go func() {
					for range test.rings {
						time.Sleep(time.Second / time.Duration(test.rings))
						news.Ring()
					}
					time.Sleep(time.Until(began.Add(time.Second + time.Millisecond)))
					settled.Store(true)
					news.Ring()
				}()
				Await(t.Context(), news, func() bool { looks++; return settled.Load() })
				if took := time.Since(began); looks < test.least || looks > test.most || took > time.Second+
					2*leastLook {
					t.Errorf("%d looks in %v, want %d to %d", looks, took, test.least, test.most)
				}
			})
		})
	}
}
