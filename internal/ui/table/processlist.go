package table

import (
	"cmp"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// ProcessRow is a row of the page of processes.
type ProcessRow struct {
	tally.Process
	Node   *cluster.Node
	Job    string // ID of a job of the user's; "": no listed job
	Kin    bool   // a relative of the processes on the GPUs, itself on no GPU
	Ghost  bool   // of another user, or on a GPU of another job
	Branch string // the branches of the tree before the command
}

// ProcessList is the table of the page of processes. It leaves the end of each row free for a scroll bar.
type ProcessList struct {
	Sheet
	across int // columns of the commands that are scrolled away at the left
}

// marks is the width of the cursor and the tag.
const marks = 2

// scrollBar is the width of a scroll bar and the blank before it.
const scrollBar = 2

// NewProcessList returns the table for a terminal of width w: with the node and the job of each process if there are
// several. across columns of the commands are scrolled away at the left. list has the other columns.
func NewProcessList(w int, nodes []*cluster.Node, jobs bool, across int, list rows.ColumnList) *ProcessList {
	return newProcessList(w, nodes, jobs, across, list, 0)
}

// treeCommand is the least width of a command in a tree, where branches take a part of it. Other columns make room for
// it.
const treeCommand = 40

// NewProcessTree is NewProcessList with room for the branches of a tree.
func NewProcessTree(w int, nodes []*cluster.Node, jobs bool, across int, list rows.ColumnList) *ProcessList {
	return newProcessList(w, nodes, jobs, across, list, min(treeCommand, w-50))
}

func newProcessList(w int, nodes []*cluster.Node, jobs bool, across int, list rows.ColumnList,
	command int) *ProcessList {
	l := processLayout(max(w-scrollBar, 0), numberWidth(nodes...), len(nodes) > 1, jobs, list, command)
	return &ProcessList{Sheet{Columns: processColumns, Layout: l}, across}
}

// Room returns the width of a command.
func (t *ProcessList) Room() int { return t.Layout[colCommand].W }

// CommandWidth returns the width of a row's command, with its branches.
func CommandWidth(r *ProcessRow) int {
	text, _ := commandOf(r.Process.Process)
	return draw.Width(r.Branch) + draw.Width(text)
}

// Head draws the headings in row y, with a mark after the sort column; "": none. Nodes and GPUs are one order.
func (t *ProcessList) Head(f *part.Frame, y int, by string, down bool) {
	if by == "gpu" && t.Layout[colNode].Shown() {
		by = "node"
	}
	t.Sheet.Head(f, y, by, down)
}

// At returns the column whose heading is in column x of the screen; for all columns left of the GPU's, it is the GPU's.
func (t *ProcessList) At(x int) string {
	s := t.Layout[colNode]
	if at := t.Sheet.At(x); at != "" && at != "node" || x >= max(s.X+s.W, marks) {
		return at
	}
	return "gpu"
}

// Row draws one row in row y.
func (t *ProcessList) Row(f *part.Frame, y int, r *ProcessRow, selected, tagged bool) {
	l := t.Layout
	if selected {
		f.Put(0, y, "▸", draw.Strong)
	}
	if tagged {
		f.Put(1, y, "●", draw.Strong)
	}
	text, dim := draw.Text, draw.Dim
	if r.Ghost {
		text, dim = draw.Ghost, draw.Ghost
	}
	f.Text(l[colNode], y, f.NodeName(r.Node.Name, l[colNode].W), dim)
	writeNumbers(f, y, r.Node, &r.Process, l, text, dim, r.Kin)
	if r.Kin {
		t.writeRelativeCells(f, y, r, text)
	} else {
		t.writeGPUCells(f, y, r, text, dim)
	}
	t.writeShownCommand(f, y, r, text)
	if r.Node.State != cluster.NodeReporting {
		f.Fade(y, t.readingsStart(f.W), f.W)
	}
	if selected {
		f.Select(y, 0, f.W)
	}
}

// readingsStart returns where the columns begin that do not tell where a process is; end if there are none.
func (t *ProcessList) readingsStart(end int) int {
	for k, s := range t.Layout {
		if s.Shown() && !slices.Contains([]col{colNode, colGPU}, k) {
			end = min(end, s.X)
		}
	}
	return end
}

// writeGPUCells writes the remaining cells of a process on a GPU.
func (t *ProcessList) writeGPUCells(f *part.Frame, y int, r *ProcessRow, text, dim draw.Role) {
	l := t.Layout
	onGPU(f, y, &r.Process, l, text, dim)
	f.Text(l[colJob], y, cmp.Or(r.Job, r.Process.Job), text)
}

// writeRelativeCells writes the remaining cells of a relative that uses no GPU.
func (t *ProcessList) writeRelativeCells(f *part.Frame, y int, r *ProcessRow, text draw.Role) {
	f.Text(t.Layout[colJob], y, r.Job, text)
	f.Number(t.Layout[colRank], y, "–", draw.Dim)
}

// writeShownCommand writes the part of the command that is on the screen.
func (t *ProcessList) writeShownCommand(f *part.Frame, y int, r *ProcessRow, role draw.Role) {
	s := t.Layout[colCommand]
	if !s.Shown() {
		return
	}
	text, known := commandOf(r.Process.Process)
	if !known {
		role = draw.Dim
	}
	if t.across == 0 {
		x := f.PutUntil(s.X, y, s.X+s.W, r.Branch, draw.Dim)
		f.Left(x, y, s.X+s.W-x, text, role)
		return
	}
	if text = draw.Drop(r.Branch+text, t.across+1); text != "" {
		text = "…" + text
	}
	f.Left(s.X, y, s.W, text, role)
}

// ScrollBar draws a scroll bar at the right of rows y up to end.
func ScrollBar(f *part.Frame, y, end, from, shown, all int) {
	room := end - y
	if shown >= all || room < 2 {
		return
	}
	size := max(room*shown/all, 1)
	at := 0
	if hidden := all - shown; hidden > 0 {
		at = (from*(room-size) + hidden/2) / hidden
	}
	for i := range room {
		glyph, role := "░", draw.Faint
		if i >= at && i < at+size {
			glyph, role = "█", draw.Mem
		}
		f.Put(f.W-2, y+i, glyph, role)
	}
}
