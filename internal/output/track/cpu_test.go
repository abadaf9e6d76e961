package track

import (
	"math"
	"testing"
)

func TestCounter(t *testing.T) {
	for name, tc := range map[string]struct{ reads, want []float64 }{
		"it grows":                      {[]float64{1, 3, 3, 7}, []float64{1, 2, 0, 4}},
		"a process ends between reads":  {[]float64{10, 4, 11}, []float64{10, 0, 1}},
		"nobody waits for what had 6 s": {[]float64{10, 4, 5, 6, 8}, []float64{10, 0, 0, 2, 2}},
		"and again":                     {[]float64{10, 4, 4, 4, 1, 1, 2, 3}, []float64{10, 0, 0, 0, 0, 0, 1, 1}},
	} {
		var c cpuCounter
		for i, read := range tc.reads {
			if got := c.take(read); math.Abs(got-tc.want[i]) > 1e-9 {
				t.Errorf("%s: read %d gives %v, want %v", name, i, got, tc.want[i])
			}
		}
	}
}

func TestMeter(t *testing.T) {
	var m meter
	if got := m.meterPercents(0); got != (Percents{}) {
		t.Errorf("nothing was measured: %+v", got)
	}
	single := meter{}
	single.addUtilization(40, 0)
	if got, want := single.meterPercents(2), (Percents{MaxSum: 40, MaxHardware: 20, MeanSum: 40,
		MeanHardware: 20}); got != want {
		t.Errorf("one sample: %+v, want %+v", got, want)
	}
	m.addUtilization(100, 1)
	m.addUtilization(400, 3)
	if got, want := m.meterPercents(4), (Percents{MaxSum: 400, MaxHardware: 100, MeanSum: 325,
		MeanHardware: 81.25}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestShared(t *testing.T) {
	process := func(resident, shared, part uint64) *member {
		return &member{processMemory: processMemory{resident: resident, shared: shared, part: part}}
	}
	for name, tc := range map[string]struct {
		members []*member
		want    RSS
	}{
		"none": {nil, RSS{}},
		"one":  {[]*member{process(100, 30, 1)}, RSS{Total: 100, Private: 70, Shared: 30}},
		"two share with all others": {[]*member{process(100, 30, 1), process(50, 20, 1)},
			RSS{Total: 130, Private: 100, Shared: 30}},
		"four share all that is there": {[]*member{process(90, 80, 20), process(90, 80, 20), process(90, 80, 20),
			process(90, 80, 20)}, RSS{Total: 120, Private: 40, Shared: 80}},
		"two pairs share": {[]*member{process(80, 80, 40), process(80, 80, 40), process(80, 80, 40),
			process(80, 80, 40)}, RSS{Total: 160, Private: 0, Shared: 160}},
		"it has shrunk since": {[]*member{process(20, 30, 15)}, RSS{Total: 20, Private: 0, Shared: 20}},
	} {
		if got := sumRSS(tc.members); got != tc.want {
			t.Errorf("%s: %+v, want %+v", name, got, tc.want)
		}
	}
}
