package health

import (
	"testing"
	"time"
)

// The only GPU of a job waits for no other GPU, and is not idle at once.
func TestOnlyGPU(t *testing.T) {
	for name, tc := range map[string]struct {
		does func(time.Duration, int, int) work
		long time.Duration
	}{
		"it only waits":        {always(waits), 8 * time.Minute},
		"it has begun to wait": {until(trains, waits, 4*time.Minute), 10 * time.Minute},
		"it pauses":            {until(trains, rests, 4*time.Minute), 8 * time.Minute},
	} {
		if got := (trace{nodes: 1, gpus: 1, age: traceAge, does: tc.does}).play(t, tc.long); len(got) > 0 {
			t.Errorf("%s: %q", name, got)
		}
	}
}
