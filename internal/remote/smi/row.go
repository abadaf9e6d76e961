package smi

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// gpuRow is what a row says about a GPU.
type gpuRow struct {
	values  metric.Values
	reasons map[metric.ID]string // why a value of a column is absent
	said    []metricComplaint
	columns int
}

// metricComplaint is a metric that has words in place of a value, other than those of a known absence.
type metricComplaint struct {
	id    metric.ID
	words string
}

// readCell reads a cell. A metric may have several columns, one for old drivers and one for new ones.
func (r *gpuRow) readCell(c column, cell string) {
	if r.values.Has(c.id) {
		return
	}
	x, ok := c.parse(cell)
	words := complaintText(cell)
	switch {
	case ok && c.id.Plausible(x):
		r.values.Set(c.id, x)
		delete(r.reasons, c.id)
	case ok:
		r.reasons[c.id] = c.id.Doubt(x)
	case words != "":
		r.said = append(r.said, metricComplaint{c.id, words})
		r.reasons[c.id] = "nvidia-smi: " + words
	default:
		r.reasons[c.id] = "nvidia-smi: " + stripBrackets(cell)
	}
}

// failureWords returns the words that replace the values; "" if the GPU answers. A GPU does not answer if it has no
// vital value, and words in place of one, or if most cells have words.
func (r *gpuRow) failureWords() (words string) {
	for _, c := range r.said {
		if slices.Contains(vital, c.id) {
			words = c.words
			break
		}
	}
	alive := slices.ContainsFunc(vital, r.values.Has)
	switch {
	case words != "" && !alive:
		return words
	case 2*len(r.said) > r.columns:
		return r.said[0].words
	}
	return ""
}

func (r *gpuRow) valuesAtPace(pace metric.Pace) (v metric.Values) {
	for id := range metric.All(metric.GPU) {
		if x, ok := r.values.Get(id); ok && id.Row().Pace == pace {
			v.Set(id, x)
		}
	}
	return v
}

// listFaults returns the metrics that a GPU should have given.
func (r *gpuRow) listFaults(gpu int) (faults []wire.Fault) {
	for _, c := range r.said {
		faults = append(faults, wire.Fault{Collector: c.id.Row().Label, Error: "nvidia-smi: " + c.words,
			GPUs: []int{gpu}})
	}
	return faults
}
