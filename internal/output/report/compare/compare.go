// Package compare puts the numbers of two reports side by side. It is pure.
package compare

import (
	"math"

	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// The units of numbers.
const (
	Seconds = "s"
	Count   = ""
	Percent = "%"
	Bytes   = "B"
	Watts   = "W"
	Hours   = "h"
	KWh     = "kWh"
	Celsius = "°C"
)

// numbers are the values that are compared, in this order. Each returns nil if it is not known.
var numbers = []struct {
	name, unit string
	of         func(*report.Report) *float64
}{
	{"Elapsed", Seconds, elapsedTime},
	{"Time limit", Seconds, func(r *report.Report) *float64 { return positiveOrNil(r.Job.Limit) }},
	{"Waited", Seconds, ofBooks(func(a *report.Accounting) *float64 { return a.Waited })},
	{"Nodes", Count, func(r *report.Report) *float64 { return positiveOrNil(float64(r.Total.Nodes)) }},
	{"GPUs", Count, func(r *report.Report) *float64 { return positiveOrNil(float64(r.Total.GPUs)) }},
	{"CPUs", Count, ofBooks(func(a *report.Accounting) *float64 { return positiveOrNil(float64(a.CPUs)) })},
	{"GPU-hours given", Hours, givenHours},
	{"GPU-hours wasted", Hours, wastedHours},
	{"wasted at least", Hours, ofBooks(func(a *report.Accounting) *float64 {
		if a.GPUHours == nil {
			return nil
		}
		return a.GPUHours.WastedLeast
	})},
	{"GPU utilization", Percent, func(r *report.Report) *float64 {
		if r.Total.Util == nil {
			return nil
		}
		return &r.Total.Util.Mean
	}},
	{"of the lowest GPU", Percent, func(r *report.Report) *float64 {
		if r.Total.Util == nil {
			return nil
		}
		return &r.Total.Util.Lowest
	}},
	{"GPU util at most", Percent, ofBooks(func(a *report.Accounting) *float64 { return a.GPUUtilMost })},
	{"GPU memory peak", Bytes, gpuMemory},
	{"CPU used", Percent, ofBooks(func(a *report.Accounting) *float64 {
		if a.CPU == nil {
			return nil
		}
		return &a.CPU.Percent
	})},
	{"Host memory peak", Bytes, hostMemory},
	{"Power mean", Watts, func(r *report.Report) *float64 {
		if r.Total.Power == nil {
			return nil
		}
		return &r.Total.Power.Mean
	}},
	{"Energy of GPUs", KWh, func(r *report.Report) *float64 {
		if r.Total.Energy == nil {
			return nil
		}
		return &r.Total.Energy.KWh
	}},
	{"Energy of nodes", KWh, ofBooks(func(a *report.Accounting) *float64 { return a.Energy })},
	{"Temperature peak", Celsius, func(r *report.Report) *float64 { return r.Total.Temperature }},
	{"Throttled", Seconds, throttledTime},
	{"Problems", Count, func(r *report.Report) *float64 {
		if r.Watched == (report.Watched{}) {
			return nil
		}
		n := float64(len(r.Findings))
		return &n
	}},
}

// Of compares two reports. It leaves out numbers that neither of them has.
func Of(a, b *report.Report) *report.Comparison {
	c := &report.Comparison{Version: report.Version, Reports: [2]*report.Report{a, b}, Rows: []report.Compared{}}
	for _, n := range numbers {
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

func hostMemory(r *report.Report) *float64 {
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
