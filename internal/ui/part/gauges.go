package part

import (
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
)

// gaugeWords are the words for each gauge.
var gaugeWords = [tally.Gauges]struct{ name, of, outer, unit string }{
	tally.GaugeUtil:        {"utilization", "%", "lowest", "%"},
	tally.GaugePower:       {"power", "% of limit", "lowest", "%"},
	tally.GaugeClock:       {"SM clock", "% of maximum", "lowest", "%"},
	tally.GaugeMemory:      {"memory", "% in use", "highest", "%"},
	tally.GaugeTemperature: {"temperature", "°C", "highest", "°C"},
}

// GaugeTitle names the metric of the overview's cells, with its unit: "power, % of limit".
func (s *Scene) GaugeTitle() string {
	w := gaugeWords[s.Gauge]
	if w.of == w.unit {
		return w.name + " " + w.of
	}
	return w.name + ", " + w.of
}

// GaugeOuter names the value that a cell shows for several GPUs: "lowest power".
func (s *Scene) GaugeOuter() string {
	w := gaugeWords[s.Gauge]
	return w.outer + " " + w.name
}

// GaugeUnit is the unit of the numbers in the cells.
func (s *Scene) GaugeUnit() string { return gaugeWords[s.Gauge].unit }

// Gauged is the gauge of several GPUs together, and its role.
func (s *Scene) Gauged(gpus []*cluster.GPU, quiet draw.Role) (tally.Sum, draw.Role) {
	sum := s.Gauge.Mean(gpus)
	return sum, s.GaugeRole(sum.Value, quiet)
}
