package tally

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// gauged is a GPU with all that gauges read.
func gauged(values map[metric.ID]float64) *cluster.GPU {
	g := &cluster.GPU{GPU: &wire.GPU{}, Card: &wire.Card{}}
	g.Values = metric.Make(values)
	g.Card.Values = metric.Make(map[metric.ID]float64{metric.SMClockMax: 2000, metric.MemoryTotal: 1000,
		metric.Slowdown: 90})
	return g
}

// A gauge compares a GPU with its own limits. An unknown value is neither 0 nor full.
func TestGauges(t *testing.T) {
	small := gauged(map[metric.ID]float64{metric.Util: 40, metric.Power: 100, metric.PowerLimit: 400,
		metric.SMClock: 500, metric.MemoryUsed: 990, metric.Temperature: 45})
	large := gauged(map[metric.ID]float64{metric.Util: 60, metric.Power: 600, metric.PowerLimit: 1000,
		metric.SMClock: 2000, metric.MemoryUsed: 100, metric.Temperature: 89})
	none := &cluster.GPU{GPU: &wire.GPU{}, Card: &wire.Card{}}
	for gauge, want := range map[Gauge]struct {
		level, number, mean float64
		high                bool // small
		outer               *cluster.GPU
	}{
		GaugeUtil: {40, 40, 50, false, small}, GaugePower: {25, 25, 50, false, small},
		GaugeClock:  {25, 25, 62.5, false, small},
		GaugeMemory: {99, 99, 54.5, true, small}, GaugeTemperature: {50, 45, 67, false, large},
	} {
		all := []*cluster.GPU{none, small, large}
		outer, standsOut := gauge.OuterNow(all)
		if gauge.Level(small) != want.level || gauge.Number(small) != want.number || gauge.High(small) != want.high ||
			outer.GPU != want.outer || outer.Count != 2 || !standsOut {
			t.Errorf("gauge %d: level %v, number %v, high %v, outer %+v", gauge, gauge.Level(small),
				gauge.Number(small), gauge.High(small), outer)
		}
		if got := gauge.Mean(all); got.Value != want.mean || got.Count != 2 {
			t.Errorf("gauge %d: the mean is %+v, want %v", gauge, got, want.mean)
		}
		if got := gauge.Mean(all[:1]); !math.IsNaN(gauge.Level(none)) || !math.IsNaN(gauge.Number(none)) ||
			got.Known() || got.Value == got.Value {
			t.Errorf("gauge %d: a GPU without numbers has %v, and a mean of %+v", gauge, gauge.Level(none), got)
		}
	}
	if !GaugeTemperature.High(large) {
		t.Error("a GPU close to its slowdown is not high")
	}
	unlimited := gauged(map[metric.ID]float64{metric.Power: 100})
	if v := GaugePower.Level(unlimited); v == v || GaugePower.Mean([]*cluster.GPU{unlimited}).Known() {
		t.Errorf("without a limit the power is at %v %%", v)
	}
}

// The series of several nodes end at the same bin, with the lowest of a share and the highest of a temperature.
func TestOuter(t *testing.T) {
	gpus := All(node())
	for i := range gpus {
		gpus[i].Card.Values = metric.Make(map[metric.ID]float64{metric.Slowdown: 100})
	}
	for gauge, want := range map[Gauge][]float32{GaugeUtil: {40, 42, gap, 44, gap},
		GaugeTemperature: {80, 61, gap, 70, gap}, GaugePower: {gap, gap, gap, gap, gap}} {
		if diff := cmp.Diff(want, gauge.Outer(gpus, 101, 5), cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("gauge %d (-want +got):\n%s", gauge, diff)
		}
	}
}
