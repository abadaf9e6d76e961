package tally

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Readings that are taken over from Snapshot to Snapshot say what the GPUs say, whichever reported, came or went.
func TestReadingsAreThoseOfTheGPUs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	report := func() *cluster.GPU {
		var v metric.Values
		for _, id := range []metric.ID{metric.Util, metric.Temperature, metric.MemoryUsed, metric.MemoryTotal,
			metric.Power, metric.PowerLimit, metric.SMClock, metric.SMClockMax, metric.Slowdown} {
			if r.IntN(6) > 0 {
				v.Set(id, float64(1+r.IntN(99)))
			}
		}
		return &cluster.GPU{GPU: &wire.GPU{Values: v}, Card: &wire.Card{}}
	}
	gpus := []*cluster.GPU{report(), report(), report()}
	var kept *Readings
	for round := range 300 {
		gpus = append([]*cluster.GPU(nil), gpus...)
		gpus[r.IntN(len(gpus))] = report()
		switch r.IntN(9) {
		case 0:
			gpus = append(gpus, report())
		case 1:
			gpus = gpus[:max(len(gpus)-1, 1)]
		}
		kept = NewReadings(gpus, kept)
		low, out := Slowest(gpus)
		keptLow, keptOut := kept.Slowest()
		for _, pair := range [][2]any{{kept.Total(), Total(gpus)}, {keptLow, low}, {keptOut, out},
			{kept.Lowest(metric.Slowdown), Lowest(gpus, metric.Slowdown)}} {
			if !reflect.DeepEqual(known(pair[0]), known(pair[1])) {
				t.Fatalf("round %d: %+v, not %+v", round, pair[0], pair[1])
			}
		}
		for g := range Gauges {
			if round/20%2 == int(g)%2 { // a column that nobody reads for a while
				continue
			}
			level, number := kept.Median(g)
			wantLevel, wantNumber := NewReadings(gpus, nil).Median(g)
			if known(level) != known(wantLevel) || known(number) != known(wantNumber) {
				t.Fatalf("round %d, gauge %d: %v and %v, not %v and %v", round, g, level, number, wantLevel, wantNumber)
			}
		}
	}
}

// known replaces NaN, which equals nothing.
func known(v any) any {
	switch v := v.(type) {
	case float64:
		if math.IsNaN(v) {
			return -1.0
		}
	case Sum:
		if math.IsNaN(v.Value) {
			v.Value = -1
		}
		return v
	case Totals:
		return []any{v.GPUs, known(v.Util), known(v.Used), known(v.Memory), known(v.Power), known(v.PowerLimit),
			known(v.Temperature)}
	}
	return v
}
