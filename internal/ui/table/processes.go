package table

import (
	"cmp"
	"strconv"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Processes is the table of the selected node's processes.
type Processes struct{ layout layout }

// NewProcesses returns the table for the terminal and the selected node of a frame.
func NewProcesses(f *part.Frame) *Processes {
	return &Processes{processLayout(f.W, numberWidth(f.Node))}
}

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
	number := strconv.Itoa(p.Number)
	if p.On != nil {
		number = part.Number(p.On)
	}
	f.Number(l[colGPU], y, number, text)
	f.Number(l[colPID], y, strconv.Itoa(p.PID), text)
	f.Text(l[colType], y, p.Type, dim)
	f.Text(l[colUser], y, cmp.Or(p.User, "n/a"), text)
	rank(f, y, p.Rank, l, text)
	slow := f.SlowRole(f.Node.Name, p.On, text)
	f.Number(l[colGPUMem], y, known(p.GPUMemory, sized), text)
	f.Number(l[colSM], y, known(p.SMPercent, strconv.Itoa), slow)
	f.Number(l[colBandwidth], y, known(p.MemPercent, strconv.Itoa), text)
	f.Number(l[colCPU], y, known(p.CPUPercent, draw.One), slow, known(p.CPUPercent, draw.Whole))
	f.Number(l[colHostMem], y, shareOfHost(f, p), text)
	f.Number(l[colTime], y, known(p.ElapsedSec, processTime), text)
	f.Text(l[colState], y, p.State, dim)
	f.Number(l[colThreads], y, known(p.Threads, strconv.Itoa), text)
	command(f, y, p.Process, l, text)
}

// rank writes a rank; a process without one needs none.
func rank(f *part.Frame, y int, r *wire.Rank, l *layout, role draw.Role) {
	if r == nil {
		role = draw.Dim
	}
	f.Number(l[colRank], y, rankNumber(r), role)
}

// rankNumber is a rank, "–" for none.
func rankNumber(r *wire.Rank) string {
	if r == nil {
		return "–"
	}
	return strconv.Itoa(r.Rank)
}

// command writes the command line of a process, or why nothing is known of it.
func command(f *part.Frame, y int, p *wire.Process, l *layout, role draw.Role) {
	text := cmp.Or(p.Command, p.Name)
	if p.Foreign && text == "" {
		text, role = "in another PID namespace, as in a container", draw.Dim
	}
	f.Text(l[colCommand], y, text, role)
}

// known is a value in words, "" when it is not known.
func known[T any](v *T, words func(T) string) string {
	if v == nil {
		return ""
	}
	return words(*v)
}

// shareOfHost is how much of the node's memory a process has, in percent.
func shareOfHost(f *part.Frame, p *tally.Process) string {
	percent, ok := tally.HostPercent(f.Node, p.Process)
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
