package books

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// A cost needs a price and an amount; what is not known has none.
func TestCost(t *testing.T) {
	v := func(v float64) *float64 { return &v }
	all := &Prices{GPUHour: 2, KWh: 0.5, Currency: "EUR", CO2: 400}
	watched := &report.Report{Total: report.Total{Hours: report.Hours{Given: 3},
		Numbers: report.Numbers{Energy: &report.Energy{KWh: 2}}}}
	counted := &report.Report{Accounting: &report.Accounting{Energy: v(4), GPUHours: &report.Shares{Given: 5}},
		Total: watched.Total}
	for name, tc := range map[string]struct {
		r    *report.Report
		p    *Prices
		want *report.Cost
	}{
		"watched":     {watched, all, &report.Cost{Currency: "EUR", GPUHours: v(6), Energy: v(1), CO2: v(0.8)}},
		"counted":     {counted, all, &report.Cost{Currency: "EUR", GPUHours: v(10), Energy: v(2), CO2: v(1.6)}},
		"no prices":   {counted, &Prices{Currency: "EUR"}, nil},
		"no amounts":  {&report.Report{}, all, nil},
		"only of CO2": {watched, &Prices{CO2: 100}, &report.Cost{CO2: v(0.2)}},
	} {
		if diff := cmp.Diff(tc.want, CostOf(tc.r, tc.p)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
