package table

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/field"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// plain are the columns of processes that are written as their fields read. The others have a role or words of their
// own.
var plain = slices.DeleteFunc(slices.Clone(rows.Processes.Fields), func(f field.Field[rows.Process]) bool {
	return f.Title == "" || !f.Sortable() ||
		slices.Contains([]col{colGPU, colNode, colJob, colUser, colRank, colSM, colCPU, colState, colCommand}, f.Key)
})

// onGPUs are the columns of what a process does on its GPU.
var onGPUs = []col{colRank, colGPUMem, "gpu_memory_percent", colSM, colMemRW, "encoder_percent", "decoder_percent"}

// plainCells writes the plain columns of a process. A relative is on no GPU.
func plainCells(f *part.Frame, y int, n *cluster.Node, p *tally.Process, l layout, role draw.Role, kin bool) {
	var row rows.Process
	row.Set(f.Snap, n, p)
	for i := range plain {
		c := &plain[i]
		if s := l[c.Key]; s.Shown() && (!kin || !slices.Contains(onGPUs, c.Key)) {
			cell(f, s, y, c, &row, role)
		}
	}
}

// cell writes what a row has in a field.
func cell[Row any](f *part.Frame, s part.Span, y int, of *field.Field[Row], r *Row, role draw.Role) {
	if of.Text != nil {
		f.Text(s, y, of.Text(r), role)
		return
	}
	switch v, known := of.Number(r); {
	case !known:
		f.Number(s, y, "", role)
	case of.Decimals > 0:
		f.Number(s, y, quantity(of.Unit, of.Decimals, v), role, quantity(of.Unit, 0, v))
	default:
		f.Number(s, y, quantity(of.Unit, 0, v), role)
	}
}

// quantity is a number as it stands in a column.
func quantity(u field.Unit, decimals int, v float64) string {
	switch u {
	case field.Bytes:
		return sized(uint64(v))
	case field.BytesPerSecond: // the heading says that it is by the second
		return strings.ReplaceAll(strings.TrimSuffix(draw.Speed(v), "/s"), " ", "")
	case field.Seconds:
		return processTime(int64(v))
	case field.Watts:
		return watts(v)
	}
	if decimals == 0 {
		return strconv.Itoa(int(math.Round(v)))
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// processTime is a run time in eight columns: "8:02:41", from ten days on only the days and hours.
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
