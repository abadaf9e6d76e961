package table

import (
	"cmp"
	"strconv"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Processes is the table of the selected node's processes.
type Processes struct{ layout layout }

// NewProcesses returns the table for a terminal of that width.
func NewProcesses(width int) *Processes { return &Processes{processLayout(width)} }

// Head draws the headings in row y.
func (t *Processes) Head(f *part.Frame, y int) { headings(f, y, &t.layout, processColumns) }

// Rows draws the processes from row y on and returns the row below the last.
func (t *Processes) Rows(f *part.Frame, y int, list []tally.Process) int {
	for i := range list {
		processRow(f, y, &list[i], &t.layout)
		y++
	}
	return y
}

func processRow(f *part.Frame, y int, p *tally.Process, l *layout) {
	text, dim := draw.Text, draw.Dim
	if !p.Own {
		text, dim = draw.Ghost, draw.Ghost
	}
	f.Number(l[colGPU], y, strconv.Itoa(p.Number), text)
	f.Number(l[colPID], y, strconv.Itoa(p.PID), text)
	f.Text(l[colType], y, p.Type, dim)
	f.Text(l[colUser], y, cmp.Or(p.User, "n/a"), text)
	f.Number(l[colGPUMem], y, known(p.GPUMemory, func(bytes uint64) string { return draw.GiB(bytes) + "GiB" }), text)
	f.Number(l[colSM], y, known(p.SMPercent, strconv.Itoa), text)
	f.Number(l[colBandwidth], y, known(p.MemPercent, strconv.Itoa), text)
	f.Number(l[colCPU], y, known(p.CPUPercent, draw.One), text, known(p.CPUPercent, draw.Whole))
	f.Number(l[colHostMem], y, known(p.RSS, func(bytes uint64) string { return shareOfHost(f, bytes) }), text)
	f.Number(l[colTime], y, known(p.ElapsedSec, processTime), text)
	f.Text(l[colCommand], y, cmp.Or(p.Command, p.Name), text)
}

// known is a value in words, "" when it is not known.
func known[T any](v *T, words func(T) string) string {
	if v == nil {
		return ""
	}
	return words(*v)
}

// shareOfHost is how much of the node's memory that is, in percent.
func shareOfHost(f *part.Frame, bytes uint64) string {
	percent, ok := cluster.Percent(float64(bytes), f.Node.Host.Float(metric.HostMemoryTotal))
	if !ok {
		return ""
	}
	return draw.One(percent)
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
