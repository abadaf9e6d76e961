package cli

import (
	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/output/export"
)

// SeriesChoice is what the user has chosen.
type SeriesChoice struct {
	Names     export.Names
	Which     export.MetricSelection
	Processes bool
}

// AddFlags adds the flags.
func (c *SeriesChoice) AddFlags(f *pflag.FlagSet) {
	f.StringVar((*string)(&c.Names), "metrics-names", string(export.OwnNames),
		"`NAMES` of the metrics for Prometheus: nvnodetop (in base units) or dcgm (DCGM's, where it has the metric)")
	f.StringVar((*string)(&c.Which), "metrics", string(export.AllMetrics),
		"`METRICS` for Prometheus: all, or core (for large clusters: at most 25 series a GPU)")
	f.BoolVar(&c.Processes, "processes", false, "add the processes on the GPUs to the metrics for Prometheus: 10 series "+
		"for each, new ones for each PID")
}

// Check checks the values of the flags.
func (c *SeriesChoice) Check() error {
	if err := OneOf("metrics", c.Which, export.AllMetrics, export.CoreMetrics); err != nil {
		return err
	}
	return OneOf("metrics-names", c.Names, export.OwnNames, export.DCGMNames)
}
