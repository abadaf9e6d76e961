package pace

import (
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Traffic that goes over PCIe as much in one direction as in the other, while NVLink carries nothing, has fallen back.
// What is loaded or offloaded has not, and neither has a GPU without NVLink.
func TestLanes(t *testing.T) {
	for name, tc := range map[string]struct {
		nvlink, tx, rx float64
		instead        bool
	}{
		"over NVLink":        {40e9, 60e6, 300e6, false},
		"over PCIe":          {0, 18e9, 18e9, true},
		"loads":              {0, 1e9, 18e9, false},
		"waits":              {100e3, 200e3, 150e3, false},
		"both":               {9e9, 9e9, 9e9, false},
		"no NVLink is known": {-1, 18e9, 18e9, false},
	} {
		g := New("x")
		for sec := range 600 {
			nvlink, tx, rx := 50e9, 60e6, 300e6
			if sec >= 300 {
				nvlink, tx, rx = tc.nvlink, tc.tx, tc.rx
			}
			v := metric.Make(map[metric.ID]float64{metric.Util: 98, metric.PCIeTX: tx, metric.PCIeRX: rx})
			if tc.nvlink >= 0 {
				v.Set(metric.NVLinkTX, nvlink)
				v.Set(metric.NVLinkRX, nvlink)
			}
			g.Add(t0.Add(time.Duration(sec)*time.Second), &v, Traffic{})
		}
		if got := g.Lanes.Instead(); got != tc.instead {
			t.Errorf("%s: instead of NVLink: %t", name, got)
		}
		if got := g.Lanes.Used(); got != (tc.nvlink >= 0) {
			t.Errorf("%s: NVLink was used: %t", name, got)
		}
	}
}
