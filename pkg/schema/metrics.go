package schema

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Metric is the key of a number of a GPU or of a node. The key ends in the unit, if there is one. docs/metrics.md
// describes all metrics.
type Metric string

// Metrics are the numbers of one GPU or node. Numbers that it lacks, or that its driver does not report, are not in the
// map, and never 0 instead.
//
//	watts, known := gpu.Metrics[schema.PowerWatts]
type Metrics map[Metric]float64

// MarshalJSON writes the numbers of a node, in the order of docs/metrics.md.
func (m Metrics) MarshalJSON() ([]byte, error) { return m.appendTo(nil, metric.Host).json(), nil }

// UnmarshalJSON reads the numbers of a node, including those that this version does not know.
func (m *Metrics) UnmarshalJSON(text []byte) (err error) {
	*m, err = numbersIn(text, nil)
	return err
}

// appendTo appends the numbers of a scope in the order of the table, then those that a newer version added.
func (m Metrics) appendTo(o object, s metric.Scope) object {
	added := 0
	for id := range metric.All(s) {
		if v, known := m[Metric(id.Row().Key)]; known && isNumber(id) {
			o = o.addMember(id.Row().Key, v)
			added++
		}
	}
	if added == len(m) {
		return o
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if !metric.Known(string(name), s) {
			o = o.addMember(string(name), m[name])
		}
	}
	return o
}

// isNumber reports whether a metric is a number, and not a list.
func isNumber(id metric.ID) bool { return id.Row().Unit != metric.Bits }

// numbersIn returns the members of an object that are numbers and not fields.
func numbersIn(text []byte, fields map[string]bool) (Metrics, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, err
	}
	var m Metrics
	for name, value := range members {
		var v *float64 // nil for null
		if fields[name] || json.Unmarshal(value, &v) != nil || v == nil {
			continue
		}
		if m == nil {
			m = Metrics{}
		}
		m[Metric(name)] = *v
	}
	return m, nil
}
