package table

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// rankLayout is the layout for ranks. several says that they belong to several programs.
func rankLayout(width, number int, several bool, list rows.ColumnList) Layout {
	all := widenGPUColumn(rankColumns, number)
	if !several {
		all = slices.DeleteFunc(all, func(c Column) bool { return c.Key == colProgram })
		all[0].Gap = 0
	}
	return FitColumns(width, ChooseColumns(all, list, colProgram, colRank), rankGrowth, 3)
}

// Ranks is the table of the ranks of a job.
type Ranks struct{ Sheet }

// NewRanks returns the table for the terminal and the job of a frame. If there are several programs, a program's number
// stands before the rank.
func NewRanks(f *part.Frame, several bool) *Ranks {
	number := 0
	for _, name := range f.Job.Nodes {
		number = max(number, numberWidth(f.NodeOf(name)))
	}
	return &Ranks{Sheet{Columns: rankColumns, Layout: rankLayout(f.W, number, several, f.Columns.Ranks)}}
}

// Row draws one row in row y.
func (t *Ranks) Row(f *part.Frame, y int, r *tally.RankRow, selected bool) {
	m := header.RankMark(f.Scene, r)
	f.Put(1, y, m.Glyph, m.Role)
	role := header.RankRole(f.Scene, r)
	if r.Process != nil {
		rankPlace(f, y, r, t.Layout, role)
		t.writeProcess(f, y, r)
		if r.State == tally.RankUnknown {
			f.Fade(y, t.Layout[colRank].X, f.W)
		}
	} else {
		x, l := t.Layout.Gap(colProgram, colRank, colNode, colGPU)
		rankPlace(f, y, r, l, role)
		f.Left(x, y, f.W-1-x, header.RankWords(f, r, f.W-1-x), role)
	}
	if selected {
		f.Cursor(y, y+1)
	}
}

// rankPlace writes the rank, its node and its GPU.
func rankPlace(f *part.Frame, y int, r *tally.RankRow, l Layout, role draw.Role) {
	gpu := "–"
	switch {
	case r.GPU != nil:
		gpu = part.Number(r.GPU)
	case r.Number != cluster.NoNumber:
		gpu = strconv.Itoa(r.Number)
	}
	writeRank(f, y, r.Rank, l, role)
	if r.Program > 0 {
		f.Number(l[colProgram], y, strconv.Itoa(r.Program), draw.Dim)
	}
	node := role
	if role == draw.Strong || r.Process != nil {
		node = draw.Text
	}
	if role == draw.Strong {
		role = draw.Text
	}
	f.Number(l[colGPU], y, gpu, role)
	f.Text(l[colNode], y, f.NodeName(cmp.Or(r.Node, "–"), l[colNode].W), node)
}

func (t *Ranks) writeProcess(f *part.Frame, y int, r *tally.RankRow) {
	l, p := t.Layout, r.Process
	row := &rows.Process{Node: f.NodeOf(r.Node), Process: p, GPU: r.GPU}
	plainCells(f, y, r.Node, row, l, draw.Text, false)
	writeMemory(f, y, row, l, draw.Text, false)
	f.Text(l[colType], y, p.Type, draw.Dim)
	f.Text(l[colUser], y, cmp.Or(p.User, "n/a"), draw.Text)
	f.Text(l[colState], y, p.State, draw.Dim)
	writeCommand(f, y, p, l, draw.Text)
}
