package export

import (
	"math/bits"

	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// family is a metric of Prometheus: the rows of the table of metrics that share one name.
type family struct {
	name, kind, help string
	parts            []familyMetric
}

// familyMetric is a row of the table, or one of its bits.
type familyMetric struct {
	id      metric.ID
	labels  string // labels that distinguish it from the other parts; they follow the labels of the GPU
	convert func(float64) float64
}

func gaugeFamily(name, help string) family { return family{name: name, kind: "gauge", help: help} }

// metricFamilies returns the metrics of a scope in the order of the table.
func metricFamilies(s metric.Scope, names Names) (list []family) {
	at := map[string]int{}
	for id := range metric.All(s) {
		f := newFamily(id, names)
		if i, begun := at[f.name]; begun {
			list[i].parts = append(list[i].parts, f.parts...)
			continue
		}
		at[f.name] = len(list)
		list = append(list, f)
	}
	return list
}

func newFamily(id metric.ID, names Names) family {
	row := id.Row()
	f := family{name: row.SeriesName(), kind: "gauge", help: row.SeriesHelp()}
	if row.Counter {
		f.kind = "counter"
	}
	switch {
	case names == DCGMNames && row.DCGM != "":
		f.name, f.help = row.DCGM, row.Help
		f.parts = []familyMetric{{id, "", row.InDCGM}}
	case id == metric.Throttle:
		f.parts = throttleParts()
	case id == metric.NVLinkUp:
		f.parts = []familyMetric{{id, "", func(links float64) float64 { return float64(bits.OnesCount64(uint64(links))) }}}
	default:
		f.parts = []familyMetric{{id, labels(row.Labels).withComma(), row.Base}}
	}
	return f
}

// throttleParts are the reasons that have names. If a newer driver adds reasons, they are only in the JSON document.
func throttleParts() (list []familyMetric) {
	for _, b := range wire.Reasons {
		list = append(list, familyMetric{metric.Throttle, labels("").addPair("reason", b.Name).withComma(),
			func(reasons float64) float64 { return oneIf(uint64(reasons)&b.Bit != 0) }})
	}
	return list
}
