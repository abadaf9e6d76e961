package health

import (
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// The clock of a GPU alone is compared with its highest and with its usual one, where neither power nor the driver
// explains it.
func TestLowClock(t *testing.T) {
	full := work{util: 99, memory: 50, power: 500, clock: 1650, link: 300e6, used: 60}
	with := func(util, power, clock float64) work {
		w := full
		w.util, w.power, w.clock = util, power, clock
		return w
	}
	for name, tc := range map[string]struct {
		before, then work
		found        bool
	}{
		"half of the usual":    {full, with(100, 260, 840), true},
		"a little less":        {full, with(100, 380, 1200), false},
		"hardly used":          {full, with(30, 120, 345), false},
		"at the power limit":   {full, with(100, 640, 840), false},
		"always half":          {with(100, 260, 840), with(100, 260, 840), false},
		"never known to clock": {with(20, 120, 840), with(100, 260, 840), false},
	} {
		t.Run(name, func(t *testing.T) {
			tr := trace{nodes: 1, gpus: 1, age: traceAge, does: until(tc.before, tc.then, changesAt)}
			all := tr.play(t, changesAt+8*time.Minute)
			found := len(all) > 0 && all[0].Kind == cluster.KindLowClock && all[0].Severity == cluster.Warning
			if found != tc.found || len(all) > 1 {
				t.Errorf("found %v", all)
			}
		})
	}
}
