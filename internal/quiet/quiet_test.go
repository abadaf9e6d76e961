package quiet

import (
	"testing"
	"testing/synctest"
	"time"
)

const limit = 30 * time.Second

// The end comes to the second, however often something was heard before, and once.
func TestSilenceEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := New()
		over := make(chan time.Duration, 2)
		w.Start(limit, func(quiet time.Duration) { over <- quiet })
		for range 100 {
			time.Sleep(29 * time.Second)
			w.Heard()
		}
		time.Sleep(limit - 1)
		synctest.Wait()
		if len(over) != 0 || w.Quiet() != limit-1 {
			t.Fatalf("over %d times after a silence of %v", len(over), w.Quiet())
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := len(over); n != 1 || <-over != limit {
			t.Errorf("over %d times, want once after %v", n, limit)
		}
	})
}

// What was heard before Start counts.
func TestStartCountsFromWhatWasHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := New()
		time.Sleep(20 * time.Second)
		over := make(chan time.Duration, 1)
		w.Start(limit, func(quiet time.Duration) { over <- quiet })
		time.Sleep(10*time.Second + 1)
		synctest.Wait()
		if len(over) == 0 {
			t.Error("a silence of 30 s is not noticed")
		}
	})
}

func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		New().Stop() // before Start
		w := New()
		w.Start(limit, func(time.Duration) { t.Error("called") })
		time.Sleep(29 * time.Second)
		w.Heard()
		w.Stop()
		w.look() // the timer fired while Stop was called
		time.Sleep(time.Hour)
	})
}

// A timer that fires late, as after SIGCONT, gives what is waiting to be read a moment; once in a silence.
func TestLateTimer(t *testing.T) {
	for name, tc := range map[string]struct {
		looks []time.Duration // the silence at each
		want  []time.Duration // until the next look; 0: over
	}{
		"on time":          {[]time.Duration{limit}, []time.Duration{0}},
		"a little late":    {[]time.Duration{limit + late}, []time.Duration{0}},
		"early":            {[]time.Duration{20 * time.Second}, []time.Duration{10 * time.Second}},
		"stopped, dead":    {[]time.Duration{time.Hour, time.Hour + grace}, []time.Duration{grace, 0}},
		"stopped, alive":   {[]time.Duration{time.Hour, grace}, []time.Duration{grace, limit - grace}},
		"stopped twice":    {[]time.Duration{time.Hour, grace, time.Hour}, []time.Duration{grace, limit - grace, grace}},
		"starved for long": {[]time.Duration{2 * limit, 3 * limit}, []time.Duration{grace, 0}},
	} {
		w := &Watch{limit: limit}
		for i, quiet := range tc.looks {
			if got := w.wait(quiet); got != tc.want[i] {
				t.Errorf("%s: after %v of silence the next look is in %v, want %v", name, quiet, got, tc.want[i])
			}
		}
	}
}
