package table

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/lib/field"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// plain are the columns of processes that show the text of their field. The other columns have a role or words of their
// own.
var plain = slices.DeleteFunc(slices.Clone(rows.Processes.Fields), func(f field.Field[rows.Process]) bool {
	return f.Title == "" || !f.Sortable() ||
		slices.Contains([]col{colGPU, colNode, colJob, colUser, colRank, colState, colCommand, colPeak, colPeakOf,
			colFullIn}, f.Key)
})

// plainCells writes the plain columns of a process. A relative is on no GPU, and its share of the CPU is unknown until
// its node has answered twice.
func plainCells(f *part.Frame, y int, node string, row *rows.Process, l Layout, role draw.Role, kin bool) {
	for i := range plain {
		c := &plain[i]
		s, role := l[c.Key], role
		if !s.Shown() {
			continue
		}
		if c.Pace {
			role = f.Health.SlowRole(node, row.GPU, role)
		}
		if kin && (c.OnGPU || c.Pace && row.Process.CPUPercent == nil) {
			f.Number(s, y, "–", draw.Dim)
		} else {
			Cell(f, s, y, c, row, role)
		}
	}
}

// spareCells writes the columns that are shown only if they are chosen: each shows a field of the row.
func spareCells[Row any](f *part.Frame, y int, l Layout, all []Column, of *field.Table[Row], r *Row,
	role draw.Role) {
	for i := range all {
		if c := &all[i]; c.Spare && c.Unit == "" && l[c.Key].Shown() {
			Cell(f, l[c.Key], y, of.Field(c.Key), r, role)
		}
	}
}

// Cell writes a field of a row.
func Cell[Row any](f *part.Frame, s part.Span, y int, of *field.Field[Row], r *Row, role draw.Role) {
	if of.Text != nil {
		f.Text(s, y, of.Text(r), role)
		return
	}
	switch v, known := of.Number(r); {
	case !known:
		f.Number(s, y, "", role)
	case math.IsInf(v, 1):
		f.Number(s, y, "no limit", role, "–")
	case of.Decimals > 0:
		f.Number(s, y, numberText(of.Unit, of.Decimals, v), role, numberText(of.Unit, 0, v))
	default:
		f.Number(s, y, numberText(of.Unit, 0, v), role)
	}
}

// numberText writes a number in the form of a column.
func numberText(u field.Unit, decimals int, v float64) string {
	switch u {
	case field.Bytes:
		return sizeText(uint64(v))
	case field.BytesPerSecond: // the heading says "per second"
		return strings.ReplaceAll(strings.TrimSuffix(draw.Speed(v), "/s"), " ", "")
	case field.Seconds:
		return processTime(int64(v))
	case field.Watts:
		return powerText(v)
	}
	if decimals == 0 {
		return strconv.Itoa(int(math.Round(v)))
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// processTime is a run time in eight columns: "8:02:41"; from ten days on, only the days and hours.
func processTime(seconds int64) string {
	d := time.Duration(seconds) * time.Second
	if d >= 10*24*time.Hour {
		return draw.Age(d)
	}
	if d >= 24*time.Hour {
		return draw.JobTime(d.Truncate(time.Minute))[:7]
	}
	return draw.JobTime(d)
}
