package output

import (
	"strconv"
	"time"

	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// tagGrid returns the table of the parts that programs marked.
func tagGrid(tags []report.Tag, zone *time.Location) titledTable {
	g := newTable("Tags", 1, "Tag", "From", "Seconds", "Times", "Util %", "Highest %", "GPU memory GiB", "Energy kJ")
	number := func(v float64, decimals int) string { return strconv.FormatFloat(v, 'f', decimals, 64) }
	for i := range tags {
		t := &tags[i]
		row := []string{t.Name, t.From.In(zone).Format(time.TimeOnly), number(t.Seconds, 1), strconv.Itoa(t.Times), "-",
			"-",
			"-", "-"}
		if t.Util != nil {
			row[4], row[5] = number(t.Util.Mean, 1), number(t.Util.Highest, 0)
		}
		if t.GPUMemory != nil {
			row[6] = number(float64(*t.GPUMemory)/(1<<30), 1)
		}
		if t.Energy != nil {
			row[7] = number(*t.Energy/1000, 1)
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}
