package table

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Processes is the table of the selected node's processes.
type Processes struct{ layout Layout }

// NewProcesses returns the table for the terminal and the selected node of a frame.
func NewProcesses(f *part.Frame) *Processes {
	return &Processes{processLayout(f.W, numberWidth(f.Node), false, false, f.Columns.Processes, 0)}
}

// commandFirst is the width up to which command lines take the room of columns that few users need.
const commandFirst = 160

// processLayout is the layout for processes. nodes and jobs say that they are on several nodes, or of several jobs.
// command is the least width of a command; 0: the usual one.
func processLayout(width, number int, nodes, jobs bool, list rows.ColumnList, command int) Layout {
	all := slices.DeleteFunc(widenGPUColumn(processColumns, number), func(c Column) bool {
		switch c.Key {
		case colState, colThreads:
			return width < commandFirst && list == ""
		case colNode:
			return !nodes
		case colJob:
			return !jobs
		}
		return false
	})
	if nodes { // the GPU is no longer the first column
		all[1].Gap = 1
	}
	columns, margin := ChooseColumns(all, list, colNode, colJob), 2
	at := slices.IndexFunc(columns, func(c Column) bool { return c.Key == colCommand })
	if at >= 0 && list == "" {
		columns[at].Least = max(columns[at].Least, command)
	}
	if columns[0].Key != colGPU { // wider columns are filled: they must not touch a tag
		margin = 3
	}
	return FitColumns(width, columns, processGrowth, margin)
}

// Head draws the headings in row y.
func (t *Processes) Head(f *part.Frame, y int) { DrawHeadings(f, y, t.layout, processColumns) }

// Rows draws the processes from row y on and returns the row below the last.
func (t *Processes) Rows(f *part.Frame, y int, list []tally.Process) int {
	for i := range list {
		processRow(f, y, &list[i], t.layout)
		y++
	}
	return y
}

func processRow(f *part.Frame, y int, p *tally.Process, l Layout) {
	text, dim := draw.Text, draw.Dim
	if !p.Own {
		text, dim = draw.Ghost, draw.Ghost
	}
	onGPU(f, y, p, l, text, dim)
	writeNumbers(f, y, f.Node, p, l, text, dim, false)
	writeCommand(f, y, p.Process, l, text)
}

// onGPU writes the GPU of a process, and its type there.
func onGPU(f *part.Frame, y int, p *tally.Process, l Layout, text, dim draw.Role) {
	number := strconv.Itoa(p.Number)
	if p.On != nil {
		number = part.Number(p.On)
	}
	f.Number(l[colGPU], y, number, text)
	f.Text(l[colType], y, p.Type, dim)
	writeRank(f, y, p.Rank, l, text)
}

// writeNumbers writes the numbers of a process, its user and its state.
func writeNumbers(f *part.Frame, y int, n *cluster.Node, p *tally.Process, l Layout, text, dim draw.Role,
	kin bool) {
	var row rows.Process
	plainCells(f, y, n.Name, row.Set(f.Snap, n, p), l, text, kin)
	writeMemory(f, y, &row, l, text, kin)
	f.Text(l[colUser], y, cmp.Or(p.User, "n/a"), text)
	f.Text(l[colState], y, p.State, dim)
}

// writeRank writes a rank; nothing if the process has none.
func writeRank(f *part.Frame, y int, r *wire.Rank, l Layout, role draw.Role) {
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

// writeCommand writes the command line of a process, or the reason why nothing is known about it.
func writeCommand(f *part.Frame, y int, p *wire.Process, l Layout, role draw.Role) {
	text, known := commandOf(p)
	if !known {
		role = draw.Dim
	}
	f.Text(l[colCommand], y, text, role)
}

// commandOf is the command line of a process, or the reason why nothing is known about it.
func commandOf(p *wire.Process) (text string, known bool) {
	text = cmp.Or(p.Command, p.Name)
	switch {
	case p.Ended:
		return "no such process: it has ended, the driver still lists it", false
	case p.Foreign && text == "":
		return "in another PID namespace, as in a container", false
	}
	return text, true
}

// textIfKnown is a value in words, "" if unknown.
func textIfKnown[T any](v *T, words func(T) string) string {
	if v == nil {
		return ""
	}
	return words(*v)
}
