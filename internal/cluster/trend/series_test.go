package trend

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/history"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/test/pastgpu"
)

const thermal = wire.ThrottleHWThermal | wire.ThrottleSWThermal

var gap = history.Gap

func TestSeries(t *testing.T) {
	gpus := []*cluster.GPU{ // busy, young with a gap, slow
		new(pastgpu.New(0, []float32{90, 92, gap, 94}, []float32{60, 61, gap, 63})),
		new(pastgpu.New(1, []float32{gap, 96}, []float32{gap, 70})),
		new(pastgpu.New(2, []float32{40, 42, gap, 44}, []float32{80, 50, gap, 51})),
	}
	for _, test := range []struct {
		name string
		of   func(n int) []float32
		want []float32
	}{
		{"mean", func(n int) []float32 { return Of(gpus, metric.Util, metric.Mean, n) },
			[]float32{gap, 65, 67, gap, 78}},
		{"lowest", func(n int) []float32 { return Of(gpus, metric.Util, metric.Lowest, n) },
			[]float32{gap, 40, 42, gap, 44}},
		{"median", func(n int) []float32 { return Samples{Median: true}.Of(gpus, n) }, []float32{gap, 40, 42, gap, 94}},
		{"hottest", func(n int) []float32 { return Of(gpus, metric.Temperature, metric.Highest, n) },
			[]float32{gap, 80, 61, gap, 70}},
		{"amount", func(n int) []float32 { return Of(gpus, metric.Power, metric.Add, n) },
			[]float32{gap, gap, gap, gap, 184}},
		{"last", func(n int) []float32 { return Last(gpus[1], metric.Util, n) }, []float32{gap, gap, gap, gap, 96}},
	} {
		if diff := cmp.Diff(test.want, test.of(5), cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
	if got := Of(gpus, metric.Util, metric.Mean, 1); len(got) != 1 || got[0] != 78 {
		t.Errorf("the newest sample is %v", got)
	}
}

// The median of a single GPU is its history, however long.
func TestLongMedian(t *testing.T) {
	past := make([]float32, 50)
	for i := range past {
		past[i] = float32(i)
	}
	g := pastgpu.New(0, past, past)
	for _, n := range []int{1, 15, 16, 17, 32, 45, 50} {
		got := Samples{Median: true}.Of([]*cluster.GPU{&g}, n)
		if !slices.Equal(got, past[50-n:]) {
			t.Errorf("the last %d are %v", n, got)
		}
	}
}

// A sum is a gap while a GPU is missing in it, not a step. A GPU that misses a report, or never reports the number,
// does no harm.
func TestSumsHaveNoSteps(t *testing.T) {
	level := func(watts ...float32) cluster.GPU { return pastgpu.New(1, watts, make([]float32, len(watts))) }
	never := pastgpu.New(3, []float32{gap, gap, gap, gap, gap, gap}, make([]float32, 6))
	lost := level(100, 100, 100, gap, gap, gap)
	lost.Values = metric.Values{}
	for _, test := range []struct {
		name string
		gpus []cluster.GPU
		want []float32
	}{
		{"one that joins late", []cluster.GPU{level(100, 100, 100, 100, 100, 100), level(200, 200)},
			[]float32{gap, gap, gap, gap, 300, 300}},
		{"one that misses a report", []cluster.GPU{level(100, 100, 100, 100, 100, 100),
			level(200, 210, gap, 200, 200, 200)}, []float32{300, 310, 310, 300, 300, 300}},
		{"nobody reports", []cluster.GPU{level(100, 100, gap, 100, 100, 100)}, []float32{100, 100, gap, 100, 100, 100}},
		{"one that does not give it", []cluster.GPU{level(100, 100, 100, 100, 100, 100), never},
			[]float32{100, 100, 100, 100, 100, 100}},
		{"one that is lost", []cluster.GPU{level(100, 100, 100, 100, 100, 100), lost},
			[]float32{200, 200, 200, 200, 200, 100}},
		{"one that does not respond", []cluster.GPU{level(100, 100, 100, 100, 100, 100),
			stale(level(200, 200, gap, gap, gap, gap))}, []float32{300, 300, 300, 300, gap, gap}},
	} {
		var gpus []*cluster.GPU
		for i := range test.gpus {
			gpus = append(gpus, &test.gpus[i])
		}
		if diff := cmp.Diff(test.want, Of(gpus, metric.Power, metric.Add, 6), cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// stale is a GPU whose last numbers are still there.
func stale(g cluster.GPU) cluster.GPU {
	g.Values = metric.Make(map[metric.ID]float64{metric.Power: 200})
	return g
}

// The right edge of several histories is a bin that all have, except those without new reports.
func TestEdge(t *testing.T) {
	gpu := func(newest int64) *cluster.GPU {
		g := &cluster.GPU{GPU: &wire.GPU{}, Card: &wire.Card{}}
		g.History.Add(newest, pastgpu.Len, func(metric.ID) float64 { return 1 })
		return g
	}
	for _, test := range []struct {
		gpus []*cluster.GPU
		want int64
	}{
		{nil, 0}, {[]*cluster.GPU{{GPU: &wire.GPU{}}}, 0}, {[]*cluster.GPU{gpu(100)}, 100},
		{[]*cluster.GPU{gpu(99), gpu(100), {GPU: &wire.GPU{}}}, 99},
		{[]*cluster.GPU{gpu(100), gpu(98), gpu(99)}, 98}, {[]*cluster.GPU{gpu(97), gpu(100)}, 100},
	} {
		if got := Edge(test.gpus...); got != test.want {
			t.Errorf("got %d, want %d", got, test.want)
		}
	}
}

// A reason of any GPU counts; a bin without any report is a gap.
func TestThrottled(t *testing.T) {
	bits := func(first int64, bits ...float64) *cluster.GPU {
		g := &cluster.GPU{GPU: &wire.GPU{}, Card: &wire.Card{}}
		for i, b := range bits {
			g.History.Add(first+int64(i), pastgpu.Len, func(id metric.ID) float64 {
				if id == metric.Throttle {
					return b
				}
				return math.NaN()
			})
		}
		return g
	}
	got := fmt.Sprint(Throttled([]*cluster.GPU{bits(3, 0, 0x44, 4, math.NaN()), bits(4, 0, 0, math.NaN())}, thermal, 5))
	if want := "[NaN 0 1 0 NaN]"; got != want {
		t.Errorf("heat held the clocks down at %s, want %s", got, want)
	}
}
