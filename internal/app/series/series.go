// Package series has the flags that choose the metrics for Prometheus.
package series

import (
	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/output/export"
)

// Choice is what the user has chosen.
type Choice struct {
	Names     export.Names
	Which     export.MetricSelection
	Processes bool
}

// AddFlags adds the flags.
func (c *Choice) AddFlags(f *pflag.FlagSet) {
	f.StringVar((*string)(&c.Names), "metrics-names", string(export.OwnNames),
		"`NAMES` of the metrics for Prometheus: nvnodetop (in base units) or dcgm (DCGM's, where it has the metric)")
	f.StringVar((*string)(&c.Which), "metrics", string(export.AllMetrics),
		"`METRICS` for Prometheus: all, or core (for large clusters: at most 25 series a GPU)")
	f.BoolVar(&c.Processes, "processes", false, "add the processes on the GPUs to the metrics for Prometheus: 10 series "+
		"for each, new ones for each PID")
}

// Check checks the values of the flags.
func (c *Choice) Check() error {
	if err := cli.OneOf("metrics", c.Which, export.AllMetrics, export.CoreMetrics); err != nil {
		return err
	}
	return cli.OneOf("metrics-names", c.Names, export.OwnNames, export.DCGMNames)
}
