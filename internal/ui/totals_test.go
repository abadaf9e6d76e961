package ui

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// Sums fit their columns whatever the GPUs are, and what has no number is not counted as 0.
func TestTotals(t *testing.T) {
	gpu := func(memory int, watts, limit float64) *cluster.GPU {
		g := &cluster.GPU{GPU: &wire.GPU{}}
		uitest.Set(g.GPU, uitest.Values{"util": 50, "used": float64(memory / 2), "total": float64(memory), "power": watts,
			"limit": limit})
		return g
	}
	of := func(n int, g *cluster.GPU) (gpus []*cluster.GPU) {
		for range n {
			gpus = append(gpus, g)
		}
		return gpus
	}
	bare := &cluster.GPU{GPU: &wire.GPU{}}
	noLimit := gpu(81559, 600, 0)
	uitest.Unset(noLimit.GPU, "limit")
	for _, test := range []struct {
		name                           string
		gpus                           []*cluster.GPU
		util, memory, watts, kilowatts string
		counted                        int
	}{
		{"8 H100", of(8, gpu(81559, 612, 700)), "50%", "319/637", "4896/5600W", "4.9/5.6kW", 8},
		{"8 B200", of(8, gpu(183359, 1012, 1200)), "50%", "716/1432", "8096/9600W", "8.1/9.6kW", 8},
		{"512 B200", of(512, gpu(183359, 1012, 1200)), "50%", "45840/91680", "518/614kW", "518/614kW", 512},
		{"16 H100", of(16, gpu(81559, 650, 700)), "50%", "637/1274", "10.4/11.2kW", "10.4/11.2kW", 16},
		{"one lost", append(of(3, gpu(81559, 612, 700)), bare), "50%", "119/239", "1836/2100W", "1.8/2.1kW", 3},
		{"no limit", of(2, noLimit), "50%", "79.6/159", "1200W", "1.2kW", 2},
		{"nothing known", of(2, bare), "n/a", "", "", "", 0},
	} {
		tot := tally.Total(test.gpus)
		watts, kilowatts := part.Power(&tot, 10, false), part.Power(&tot, 10, true)
		for _, got := range [][2]string{
			{part.Percent(tot.Util.Value), test.util}, {part.MemorySum(&tot), test.memory},
			{watts.Share() + watts.Unit, test.watts},
			{kilowatts.Share() + kilowatts.Unit, test.kilowatts},
		} {
			if got[0] != got[1] {
				t.Errorf("%s: got %q, want %q", test.name, got[0], got[1])
			}
		}
		if tot.Counted() != test.counted {
			t.Errorf("%s: %d counted, want %d", test.name, tot.Counted(), test.counted)
		}
	}
}
