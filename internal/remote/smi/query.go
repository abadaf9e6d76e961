package smi

import (
	"slices"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// query is what nvidia-smi is asked for: the columns that it knows. They follow the fields that say which GPU a row
// belongs to.
type query []column

// The fields that come first in each row, and those that come before the metrics in a card's row.
const (
	rowFields  = "index,uuid"
	cardFields = "pci.bus_id,name,serial,vbios_version,driver_version,mig.mode.current"
)

// Columns of a row: the row of a card has all of them, and the row of a report has those that may change.
const (
	all      = true
	changing = false
)

func hasColumn(c column, whole bool) bool { return whole || c.id.Row().Pace != metric.Once }

// withoutField returns the query without a field, which this nvidia-smi does not know.
func (q query) withoutField(field string) query {
	return slices.DeleteFunc(slices.Clone(q), func(c column) bool { return c.field == field })
}

func (q query) rowFields(whole bool) string {
	list := []string{rowFields}
	if whole {
		list = append(list, cardFields)
	}
	for _, c := range q {
		if hasColumn(c, whole) {
			list = append(list, c.field)
		}
	}
	return strings.Join(list, ",")
}

// splitRow splits a row; ok is false if the line is not a row. A name must not contain a comma: NVIDIA's names have
// none.
func (q query) splitRow(line string, whole bool) (cells []string, ok bool) {
	cells = strings.Split(line, ", ")
	if len(cells) != strings.Count(q.rowFields(whole), ",")+1 {
		return nil, false
	}
	_, err := strconv.ParseUint(cells[0], 10, 16)
	return cells, err == nil
}

// readRow reads the metrics of a row.
func (q query) readRow(cells []string, whole bool) gpuRow {
	r := gpuRow{reasons: map[metric.ID]string{}}
	for _, c := range q {
		if !hasColumn(c, whole) {
			continue
		}
		r.readCell(c, strings.TrimSpace(cells[r.columns]))
		r.columns++
	}
	return r
}

// notListed is the reason why a metric is absent for which there is no column.
const notListed = "nvidia-smi does not list it"

// listAbsent lists the metrics that a GPU does not give, by reason.
func (q query) listAbsent(r *gpuRow) map[string][]string {
	absent := map[string][]string{notListed: {wire.AbsentXids}}
	for id := range metric.All(metric.GPU) {
		isColumn := slices.ContainsFunc(q, func(c column) bool { return c.id == id })
		why, lacks := r.reasons[id]
		switch {
		case !isColumn:
			absent[notListed] = append(absent[notListed], id.String())
		case lacks:
			absent[why] = append(absent[why], id.String())
		}
	}
	return absent
}
