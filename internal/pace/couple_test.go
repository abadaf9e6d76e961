package pace

import (
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/metric"
)

// GPUs work together only where they are seen to exchange data in both directions, and none of them is missed by nobody.
func TestEvidence(t *testing.T) {
	const mib = 1 << 20
	type links = map[metric.ID]float64
	for name, tc := range map[string]struct {
		links    links
		host     Traffic
		idle     bool // one GPU stands still at the end, and the others go on
		evidence Evidence
		together bool
	}{
		"NVLink":                     {links{metric.NVLinkTX: 20 * mib}, Traffic{}, false, NVLink, true},
		"a poll over NVLink":         {links{metric.NVLinkTX: mib / 8}, Traffic{}, false, None, false},
		"PCIe in both directions":    {links{metric.PCIeTX: 200 * mib, metric.PCIeRX: 300 * mib}, Traffic{}, false, PCIe, true},
		"images over PCIe":           {links{metric.PCIeTX: 70 * mib, metric.PCIeRX: 2000 * mib}, Traffic{}, false, None, false},
		"a network on one node":      {links{metric.PCIeRX: mib}, Traffic{900 * mib, 900 * mib}, false, None, false},
		"one stands, none misses it": {links{metric.NVLinkTX: 20 * mib}, Traffic{}, true, NVLink, false},
	} {
		t.Run(name, func(t *testing.T) {
			var job Job
			gpus := eight()
			for at := time.Duration(0); at < 5*time.Minute; at += 3 * time.Second {
				for i, g := range gpus {
					util := 97.0
					if tc.idle && i == 3 && at > 3*time.Minute {
						util = 0
					}
					v := values(util, 100+5*util, 1650)
					v.Set(metric.NVLinkTX, 0)
					for id, x := range tc.links {
						if util > 0 {
							v.Set(id, x)
						}
					}
					g.Add(t0.Add(at), v, tc.host)
				}
				job.Compare(t0.Add(at), gpus, false)
			}
			if g := &job.Groups[0]; g.Evidence != tc.evidence || g.Together() != tc.together {
				t.Errorf("%q, together: %t", g.Evidence, g.Together())
			}
		})
	}
}

// Pauses that begin and end together count, until some GPUs pause for themselves.
func TestRhythm(t *testing.T) {
	var r rhythm
	at := t0
	see := func(halted int, length time.Duration) {
		for end := at.Add(length); at.Before(end); at = at.Add(3 * time.Second) {
			r.see(at, halted, 8)
		}
	}
	for range 3 {
		see(0, time.Minute)
		see(4, 6*time.Second)
		see(8, 30*time.Second)
	}
	see(0, time.Minute)
	if r.count != 3 {
		t.Errorf("%d pauses", r.count)
	}
	see(4, time.Minute)
	if see(0, time.Minute); r.count != 0 {
		t.Errorf("%d pauses after one of half the GPUs", r.count)
	}
}
