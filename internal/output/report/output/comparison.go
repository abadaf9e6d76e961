package output

import (
	"math"

	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// The units of numbers.
const (
	unitSeconds = "s"
	unitCount   = ""
	unitPercent = "%"
	unitBytes   = "B"
	unitWatts   = "W"
	unitHours   = "h"
	unitKWh     = "kWh"
	unitCelsius = "°C"
)

// comparedNumbers are the values that are compared, in this order. Each returns nil if it is not known.
var comparedNumbers = []struct {
	name, unit string
	of         func(*report.Report) *float64
}{
	{"Elapsed", unitSeconds, elapsedTime},
	{"Time limit", unitSeconds, func(r *report.Report) *float64 { return positiveOrNil(r.Job.Limit) }},
	{"Waited", unitSeconds, ofBooks(func(a *report.Accounting) *float64 { return a.Waited })},
	{"Nodes", unitCount, func(r *report.Report) *float64 { return positiveOrNil(float64(r.Total.Nodes)) }},
	{"GPUs", unitCount, func(r *report.Report) *float64 { return positiveOrNil(float64(r.Total.GPUs)) }},
	{"CPUs", unitCount, ofBooks(func(a *report.Accounting) *float64 { return positiveOrNil(float64(a.CPUs)) })},
	{"GPU-hours given", unitHours, givenHours},
	{"GPU-hours wasted", unitHours, wastedHours},
	{"wasted at least", unitHours, ofBooks(func(a *report.Accounting) *float64 {
		if a.GPUHours == nil {
			return nil
		}
		return a.GPUHours.WastedLeast
	})},
	{"GPU utilization", unitPercent, func(r *report.Report) *float64 {
		if r.Total.Util == nil {
			return nil
		}
		return &r.Total.Util.Mean
	}},
	{"of the lowest GPU", unitPercent, func(r *report.Report) *float64 {
		if r.Total.Util == nil {
			return nil
		}
		return &r.Total.Util.Lowest
	}},
	{"GPU util at most", unitPercent, ofBooks(func(a *report.Accounting) *float64 { return a.GPUUtilMost })},
	{"GPU memory peak", unitBytes, gpuMemory},
	{"CPU used", unitPercent, ofBooks(func(a *report.Accounting) *float64 {
		if a.CPU == nil {
			return nil
		}
		return &a.CPU.Percent
	})},
	{"Host memory peak", unitBytes, hostMemoryPeak},
	{"Power mean", unitWatts, func(r *report.Report) *float64 {
		if r.Total.Power == nil {
			return nil
		}
		return &r.Total.Power.Mean
	}},
	{"Energy of GPUs", unitKWh, func(r *report.Report) *float64 {
		if r.Total.Energy == nil {
			return nil
		}
		return &r.Total.Energy.KWh
	}},
	{"Energy of nodes", unitKWh, ofBooks(func(a *report.Accounting) *float64 { return a.Energy })},
	{"Temperature peak", unitCelsius, func(r *report.Report) *float64 { return r.Total.Temperature }},
	{"Throttled", unitSeconds, throttledTime},
	{"Problems", unitCount, func(r *report.Report) *float64 {
		if r.Watched == (report.Watched{}) {
			return nil
		}
		n := float64(len(r.Findings))
		return &n
	}},
}

// Compare compares two reports. It leaves out numbers that neither of them has.
func Compare(a, b *report.Report) *report.Comparison {
	c := &report.Comparison{Version: report.Version, Reports: [2]*report.Report{a, b}, Rows: []report.Compared{}}
	for _, n := range comparedNumbers {
		row := report.Compared{Name: n.name, Unit: n.unit, A: n.of(a), B: n.of(b)}
		if row.A == nil && row.B == nil {
			continue
		}
		if row.A != nil && row.B != nil && *row.A != 0 {
			change := math.Round(1000*(*row.B-*row.A) / *row.A) / 10
			row.Change = &change
		}
		c.Rows = append(c.Rows, row)
	}
	return c
}

func ofBooks(of func(*report.Accounting) *float64) func(*report.Report) *float64 {
	return func(r *report.Report) *float64 {
		if r.Accounting == nil {
			return nil
		}
		return of(r.Accounting)
	}
}

func positiveOrNil(v float64) *float64 {
	if v <= 0 {
		return nil
	}
	return &v
}

func elapsedTime(r *report.Report) *float64 {
	if a := r.Accounting; a != nil {
		return &a.Elapsed
	}
	if r.Job.Start.IsZero() || r.Job.End.IsZero() {
		return nil
	}
	return positiveOrNil(float64(r.Job.End.Sub(r.Job.Start).Milliseconds()) / 1000)
}

func givenHours(r *report.Report) *float64 {
	if a := r.Accounting; a != nil && a.GPUHours != nil {
		return &a.GPUHours.Given
	}
	return positiveOrNil(r.Total.Hours.Given)
}

func wastedHours(r *report.Report) *float64 {
	if h := r.Total.Hours; h.Used != nil {
		return positiveOrNil(h.Seen - *h.Used)
	}
	return nil
}

func gpuMemory(r *report.Report) *float64 {
	if m := r.Total.Memory; m != nil {
		return positiveOrNil(float64(m.Peak))
	}
	if a := r.Accounting; a != nil && a.GPUMemory != nil {
		return positiveOrNil(float64(*a.GPUMemory))
	}
	return nil
}

func hostMemoryPeak(r *report.Report) *float64 {
	if m := r.Total.HostMemory; m != nil {
		return positiveOrNil(float64(m.Peak))
	}
	if a := r.Accounting; a != nil && a.Memory != nil {
		return positiveOrNil(float64(a.Memory.Peak))
	}
	return nil
}

func throttledTime(r *report.Report) *float64 {
	sum := 0.0
	for _, t := range r.Total.Throttled {
		sum += t.Seconds
	}
	return positiveOrNil(sum)
}
