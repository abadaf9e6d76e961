package books

import (
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// Prices are the prices of a site. A price of 0 is not set.
type Prices struct {
	GPUHour, KWh float64
	Currency     string  // the currency of these prices
	CO2          float64 // grams per kWh
}

// CostOf returns the cost of a job; nil: the site has no price for anything that is known about the job.
func CostOf(r *report.Report, p *Prices) *report.Cost {
	c := &report.Cost{Currency: p.Currency}
	if hours, known := gpuHours(r); known && p.GPUHour > 0 {
		c.GPUHours = new(metric.Round(hours*p.GPUHour, 2))
	}
	if kWh, known := measuredEnergy(r); known {
		if p.KWh > 0 {
			c.Energy = new(metric.Round(kWh*p.KWh, 4))
		}
		if p.CO2 > 0 {
			c.CO2 = new(metric.Round(kWh*p.CO2/1000, 6))
		}
	}
	if c.GPUHours == nil && c.Energy == nil && c.CO2 == nil {
		return nil
	}
	return c
}

// gpuHours prefers SLURM's count, which covers the whole run.
func gpuHours(r *report.Report) (float64, bool) {
	if a := r.Accounting; a != nil && a.GPUHours != nil {
		return a.GPUHours.Given, true
	}
	return r.Total.Hours.Given, r.Total.Hours.Given > 0
}

// measuredEnergy returns the energy of whole nodes, or else that of their GPUs only; false: neither is known.
func measuredEnergy(r *report.Report) (float64, bool) {
	if a := r.Accounting; a != nil && a.Energy != nil {
		return *a.Energy, true
	}
	if e := r.Total.Energy; e != nil {
		return e.KWh, true
	}
	return 0, false
}
