package part

import (
	"math"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
)

// gaugeWords are the words for each gauge.
var gaugeWords = [tally.Gauges]struct{ name, of, outer, unit string }{
	tally.GaugeUtil:        {"utilization", "%", "lowest", "%"},
	tally.GaugePower:       {"power", "% of limit", "lowest", "%"},
	tally.GaugeClock:       {"SM clock", "% of maximum", "lowest", "%"},
	tally.GaugeMemory:      {"memory", "% in use", "highest", "%"},
	tally.GaugeTemperature: {"temperature", "°C", "highest", "°C"},
}

// GaugeName returns the name of a metric of the overview's cells.
func GaugeName(g tally.Gauge) string { return gaugeWords[g].name }

// GaugeTitle names the metric of the overview's cells, with its unit: "power, % of limit".
func GaugeTitle(g tally.Gauge) string {
	w := gaugeWords[g]
	if w.of == w.unit {
		return w.name + " " + w.of
	}
	return w.name + ", " + w.of
}

// GaugeOuter names the value that a cell shows for several GPUs: "lowest power".
func GaugeOuter(g tally.Gauge) string {
	w := gaugeWords[g]
	return w.outer + " " + w.name
}

// GaugeUnit is the unit of the numbers in the cells.
func GaugeUnit(g tally.Gauge) string { return gaugeWords[g].unit }

// Median is the median over the job's GPUs of the Scene's Gauge, as a level and as a number.
type Median struct{ Level, Number float64 }

// Median returns the median with which the heat map compares the GPUs of the job.
func (s *Scene) Median() Median {
	return Once(s, medianKey{s.Gauge}, func() (m Median) {
		m.Level, m.Number = lastReadings(s).Median(s.Gauge)
		return m
	})
}

type medianKey struct{ of tally.Gauge }

// steps are the distances from the median, in points, at which a cell gets the next shade.
var steps = [...]float64{5, 15, 35}

// Shade returns the glyph and the role of a level of a gauge. Values at the median are quiet; others point up or down,
// and stand out more the farther they are. The side that matters for the gauge is amber.
func Shade(of tally.Gauge, level, median float64) (rune, draw.Role) {
	away := level - median
	far := 0
	for far < len(steps) && math.Abs(away) >= steps[far] {
		far++
	}
	if far == 0 {
		return '─', draw.Even
	}
	glyph, role := '↓', draw.Odd1
	if away > 0 {
		glyph = '↑'
	}
	if away > 0 != of.Highest() {
		role = draw.Fine1
	}
	return glyph, role + draw.Role(far-1)
}

// Gauged is the gauge of several GPUs together, and its role.
func (s *Scene) Gauged(gpus []*cluster.GPU, quiet draw.Role) (tally.Sum, draw.Role) {
	sum := s.Gauge.Mean(gpus)
	return sum, s.GaugeRole(sum.Value, quiet)
}
