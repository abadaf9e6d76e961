package output

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// A number that one report has not is absent; one that neither has has no row.
func TestCompare(t *testing.T) {
	v := func(v float64) *float64 { return &v }
	a := &report.Report{Accounting: &report.Accounting{Elapsed: 100, CPUs: 4, GPUUtilMost: v(40),
		Memory: &report.Memory{Peak: 8}}}
	b := &report.Report{Accounting: &report.Accounting{Elapsed: 50, CPUs: 8},
		Total: report.Total{Numbers: report.Numbers{Util: &report.Util{Mean: 60, Lowest: 10}}}}
	rows := map[string]report.Compared{}
	for _, row := range Compare(a, b).Rows {
		rows[row.Name] = row
		if row.A == nil && row.B == nil {
			t.Errorf("%s has no number", row.Name)
		}
	}
	for name, want := range map[string]float64{"Elapsed": -50, "CPUs": 100} {
		if got := rows[name].Change; got == nil || *got != want {
			t.Errorf("%s: %+v, want %v %%", name, rows[name], want)
		}
	}
	if mean, most := rows["GPU utilization"], rows["GPU util at most"]; mean.A != nil || most.B != nil ||
		*mean.B != 60 || *most.A != 40 {
		t.Errorf("a mean against a bound: %+v, %+v", mean, most)
	}
	if row := rows["Host memory peak"]; row.B != nil || row.Change != nil || *row.A != 8 {
		t.Errorf("host memory: %+v", row)
	}
	if _, has := rows["Energy of nodes"]; has || len(rows) != 6 {
		t.Errorf("%d rows", len(rows))
	}
}

func TestChangeText(t *testing.T) {
	for change, want := range map[float64]string{3.14: "+3.1%", -0.04: "same", 0: "same", -50: "-50.0%", 650: "+650.0%",
		900: "10x", 2900.2: "30x"} {
		if got := changeText(&change); got != want {
			t.Errorf("%v: %q, want %q", change, got, want)
		}
	}
	if got := changeText(nil); got != "" {
		t.Errorf("without a change: %q", got)
	}
}
