//go:build linux && cgo && (amd64 || arm64)

package probe_test

import (
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// The real library's calls for one GPU's card hang: the other GPU is there at once, and the card is completed when the
// calls return.
func TestRealProbeCardHangs(t *testing.T) {
	t.Parallel()
	for _, call := range []string{"nvmlDeviceGetUUID", "nvmlDeviceGetNvLinkState",
		"nvmlDeviceGetPowerManagementDefaultLimit"} {
		t.Run(call, func(t *testing.T) {
			t.Parallel()
			p := run(t, "current", "count 2\ngpu 1 slow "+call+" 60000\n")
			began := time.Now()
			h := p.hello()
			if took := time.Since(began); took > 15*time.Second || !h.GPUs[0].Values.Has(metric.NVLinks) ||
				h.GPUs[1].Values.Has(metric.NVLinks) {
				t.Errorf("after %v: %+v", took, h.GPUs)
			}
			p.say(paceAlone)
			if r := p.report(); !r.GPUs[0].Values.Has(metric.Power) || r.GPUs[1].HangsMS == 0 || r.GPUs[1].Call == "" {
				t.Errorf("report %+v", r.GPUs)
			}
			p.set("count 2\n")
			for h = p.hello(); !h.GPUs[1].Values.Has(metric.NVLinks); h = p.hello() {
			}
			if h.GPUs[1].UUID == "" {
				t.Errorf("when it returned: %+v", h.GPUs[1])
			}
			p.finish()
		})
	}
}
