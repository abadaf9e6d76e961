package bell

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Rings while the function runs make it run once more, never twice at the same time.
func TestErrand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var runs, atOnce atomic.Int32
		e := NewErrand(func() {
			if atOnce.Add(1) > 1 {
				t.Error("it runs twice at the same time")
			}
			time.Sleep(time.Second)
			atOnce.Add(-1)
			runs.Add(1)
		})
		wantRuns := func(want int32) {
			t.Helper()
			if got := runs.Load(); got != want {
				t.Errorf("it ran %d times, want %d", got, want)
			}
		}
		e.Ring()
		time.Sleep(500 * time.Millisecond)
		e.Ring()
		e.Ring()
		time.Sleep(time.Minute)
		wantRuns(2)
		e.Ring()
		time.Sleep(time.Minute)
		wantRuns(3)

		e.Ring()
		e.Ring()
		began := time.Now()
		e.End()
		if waited := time.Since(began); waited != time.Second {
			t.Errorf("End took %v, want the second of the run that had begun", waited)
		}
		e.Ring()
		time.Sleep(time.Minute)
		wantRuns(4)
	})
}
