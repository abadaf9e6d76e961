package metric

import (
	"math"
	"strings"
)

// Prefixes of the names of time series, by scope.
var prefixes = map[Scope]string{GPU: "nvnodetop_gpu_", Host: "nvnodetop_node_"}

// SeriesName returns the name of the metric as a time series, as Prometheus wants it: it ends in a base unit, and for a
// counter in _total. Metrics that differ only in their Labels share a name.
func (r Row) SeriesName() string {
	name := r.Series
	if name == "" {
		name = r.Key
		if stem, isShare := strings.CutSuffix(name, "_percent"); isShare {
			name = stem + "_ratio"
		}
	}
	if r.Counter {
		name += "_total"
	}
	return prefixes[r.Scope] + name
}

// seriesHelp describes series that a row covers only in part, or in another form.
var seriesHelp = map[string]string{
	"cpu_seconds_total": "Time of all CPUs since boot, by what they did: programs (with nice), the kernel (with " +
		"interrupts), nothing, or nothing while a process waited for a disk.",
	"clock_hertz":               "Clock, by domain.",
	"clock_max_hertz":           "Maximum clock, by domain.",
	"clock_event_active":        "1 if this reason reduces the clocks now, else 0.",
	"clock_event_seconds_total": "Time for which this reason has reduced the clocks, since the driver was loaded.",
	"nvlink_links_up":           "NVLink links that are up.",
	"nvlink_errors_total":       "NVLink errors of all links by kind, since the driver was loaded.",
	"ecc_errors_total": "ECC errors by kind: volatile ones since the driver was loaded, aggregate ones in " +
		"the life of the GPU.",
	"retired_pages": "Retired memory pages by cause. Up to Volta.",
	"remapped_rows": "Remapped memory rows by cause. Ampere and later.",
}

// SeriesHelp describes the time series of that name.
func (r Row) SeriesHelp() string {
	if help := seriesHelp[strings.TrimPrefix(r.SeriesName(), prefixes[r.Scope])]; help != "" {
		return help
	}
	return r.Help
}

// Base converts a value to the base unit: a percentage to a share of 1, MHz to Hz.
func (r *Row) Base(value float64) float64 {
	switch r.Unit {
	case Percent, Relative:
		return r.fractionOf(value)
	case MHz:
		return value * 1e6
	}
	return value
}

// fractionOf returns a percentage as a share of 1, with two more decimals.
func (r *Row) fractionOf(percent float64) float64 { return Round(percent/100, r.Decimals+2) }

// InDCGM converts a value to DCGM's unit for it: whole MiB, mJ, ns, and shares of 1 for profiling metrics.
func (r *Row) InDCGM(value float64) float64 {
	switch {
	case r.Unit == Bytes:
		return math.Floor(value / (1 << 20))
	case r.Unit == Joules:
		return math.Round(value * 1e3)
	case r.Unit == Seconds:
		return math.Round(value * 1e9)
	case r.Unit == Percent && strings.HasPrefix(r.DCGM, "DCGM_FI_PROF_"):
		return r.fractionOf(value)
	}
	return value
}
