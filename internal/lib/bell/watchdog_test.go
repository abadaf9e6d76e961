package bell

import (
	"testing"
	"testing/synctest"
	"time"
)

const quietLimit = 30 * time.Second

// The end comes to the second, however often something was heard before, and once.
func TestSilenceEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := NewWatchdog()
		over := make(chan time.Duration, 2)
		w.Start(quietLimit, func(quiet time.Duration) { over <- quiet })
		for range 100 {
			time.Sleep(29 * time.Second)
			w.Heard()
		}
		time.Sleep(quietLimit - 1)
		synctest.Wait()
		if len(over) != 0 || w.Quiet() != quietLimit-1 {
			t.Fatalf("over %d times after a silence of %v", len(over), w.Quiet())
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := len(over); n != 1 || <-over != quietLimit {
			t.Errorf("over %d times, want once after %v", n, quietLimit)
		}
	})
}

// A sign of life before Start counts.
func TestStartCountsFromWhatWasHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := NewWatchdog()
		time.Sleep(20 * time.Second)
		over := make(chan time.Duration, 1)
		w.Start(quietLimit, func(quiet time.Duration) { over <- quiet })
		time.Sleep(10*time.Second + 1)
		synctest.Wait()
		if len(over) == 0 {
			t.Error("a silence of 30 s is not noticed")
		}
	})
}

func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		NewWatchdog().Stop() // before Start
		w := NewWatchdog()
		w.Start(quietLimit, func(time.Duration) { t.Error("called") })
		time.Sleep(29 * time.Second)
		w.Heard()
		w.Stop()
		w.checkSilence() // the timer fired while Stop was called
		w.checkSilence()
		time.Sleep(time.Hour)
	})
}

// Nothing is called silent before the messages that came while the process was stopped could be read, whenever the stop
// ended.
func TestLateTimer(t *testing.T) {
	const grace, hour = longGrace, time.Hour
	type look struct{ quiet, tardy, want time.Duration } // want: until the next look; 0: over
	for name, looks := range map[string][]look{
		"on time":       {{quietLimit - grace, 0, grace}, {quietLimit, 0, 0}},
		"a little late": {{quietLimit - grace + lateTick, lateTick, grace}, {quietLimit + lateTick, lateTick, 0}},
		"early":         {{20 * time.Second, 0, 10*time.Second - grace}},
		"heard at the last": {{quietLimit - grace, 0, grace}, {1, 0, quietLimit - grace - 1}, {quietLimit - grace, 0, grace},
			{quietLimit, 0, 0}},
		"stopped, dead":         {{hour, hour, grace}, {hour + grace, 0, 0}},
		"stopped, alive":        {{hour, hour, grace}, {grace, 0, quietLimit - 2*grace}},
		"stopped until the end": {{quietLimit, grace, grace}, {grace, 0, quietLimit - 2*grace}},
		"stopped between looks": {{quietLimit - grace, 0, grace}, {hour, hour, grace}, {hour + grace, 0, 0}},
		"stopped twice, then mum": {{hour, hour, grace}, {grace, 0, quietLimit - 2*grace}, {hour, hour, grace},
			{hour + grace, 0, 0}},
	} {
		w := &Watchdog{limit: quietLimit}
		for i, l := range looks {
			if got := w.timeToCheck(l.quiet, l.tardy); got != l.want {
				t.Errorf("%s: after %v of silence the next look (%d) is in %v, want %v", name, l.quiet, i, got, l.want)
			}
		}
	}
}

// A new limit counts from when it is set, whether it is longer or shorter.
func TestLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := NewWatchdog()
		w.Limit(time.Second) // before Start, which has the last word
		over := make(chan time.Duration, 2)
		w.Start(quietLimit, func(quiet time.Duration) { over <- quiet })
		time.Sleep(29 * time.Second)
		w.Limit(10 * quietLimit)
		time.Sleep(10*quietLimit - 1)
		w.Limit(quietLimit)
		time.Sleep(quietLimit - 1)
		synctest.Wait()
		if len(over) != 0 {
			t.Fatal("over too soon")
		}
		time.Sleep(2 * time.Nanosecond)
		synctest.Wait()
		if len(over) != 1 {
			t.Error("the new limit does not count")
		}
		w.Stop()
		w.Limit(1)
	})
}
