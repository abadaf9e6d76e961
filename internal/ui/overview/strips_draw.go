package overview

import (
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// drawStrips draws the groups of nodes.
func drawStrips(f *part.Frame, t *tiles) {
	st := t.strips
	var gpus []*cluster.GPU // reused for each group: a list of its own for each would take longer than to draw it
	for i, line := range st.lines {
		x, y := st.start(i)
		x, y = t.left+x, t.top+y
		g := &st.groups[line.group]
		first := i == 0 || st.lines[i-1].group != line.group
		last := i == len(st.lines)-1 || st.lines[i+1].group != line.group
		at := stripCells(f, x, y, t, line)
		if first || i%st.rows == 0 {
			groupName(f, x, y, st, g, first, at)
		}
		if at {
			f.Put(x-1, y, "▸", draw.Strong)
		}
		if last {
			gpus = groupTail(f, x+st.tailAt, y, st, g, gpus[:0])
		}
	}
}

// groupName writes the mark and the name of a group; where a column begins within the group, only the name.
func groupName(f *part.Frame, x, y int, st *strips, g *group, first, selected bool) {
	name, role := noSwitch, draw.Dim
	if g.name != "" {
		name = draw.ClipMiddle(st.names.Of(g.name), st.name)
	}
	if m := (part.Marks[cluster.Severity(g.rank)]); first && g.rank > 0 {
		f.Put(x, y, m.Glyph, m.Role)
		role = m.Role
	} else if selected {
		role = draw.Strong
	}
	f.Left(x+1, y, st.name, name, role)
}

// stripCells draws the nodes of a line, and reports whether the selected one is among them.
func stripCells(f *part.Frame, x, y int, t *tiles, line stripLine) (selected bool) {
	st := t.strips
	x += st.cellsAt
	for place := line.from; place < line.to; place++ {
		n := f.NodeOf(t.nodes[place])
		at := n.Name == f.Node.Name
		selected = selected || at
		switch {
		case st.each > 1:
			nodeCells(f, x, y, t, n, at)
		case at:
			f.Put(x, y, "▸", draw.Strong)
			f.Select(y, x, x+1)
		default:
			part.NodeCell(f, x, y, n)
		}
		x += st.each
	}
	return selected
}

// nodeCells draws a node in several columns, with its mark or the cursor in the gap before them.
func nodeCells(f *part.Frame, x, y int, t *tiles, n *cluster.Node, selected bool) {
	t.cells.Draw(f, x, y, n)
	if selected {
		f.Put(x-1, y, "▸", draw.Strong)
		f.Select(y, x-1, x+t.wide-1)
	} else if m := f.Health.NodeMark(n.Name); m.Glyph != "" {
		f.Put(x-1, y, m.Glyph, m.Role)
	}
}

// groupTail writes the mean of a group, and the number of its nodes that report if not all do. It returns the list with
// their GPUs.
func groupTail(f *part.Frame, x, y int, st *strips, g *group, gpus []*cluster.GPU) []*cluster.GPU {
	if st.tail == tailNone {
		return gpus
	}
	reporting := 0
	for _, name := range g.nodes {
		if n := f.NodeOf(name); n.State == cluster.NodeReporting {
			reporting++
			gpus = tally.AppendOwn(gpus, f.Job, n)
		}
	}
	s := part.Span{X: x + 1, W: tailMeanWide - 1}
	if mean, level := f.Gauged(gpus, draw.Dim); mean.Known() {
		f.Number(s, y, part.Summed(mean, f.GaugeUnit()), level)
	} else {
		f.Number(s, y, "–", draw.Dim)
	}
	if st.tail == tailCount && reporting < len(g.nodes) {
		f.Put(x+tailMeanWide+1, y, strconv.Itoa(reporting)+"/"+strconv.Itoa(len(g.nodes)), draw.Warn)
	}
	return gpus
}

// explainedStrips are the explanations in the rule, the most useful first.
func explainedStrips(f *part.Frame, t *tiles) [][]part.Piece {
	title := t.strips.names.Title
	if title != "" && !strings.Contains(title, "…") {
		title += "…"
	}
	named := []part.Piece{part.Dim(" by switch " + title + " ")}
	if title == "" {
		named = []part.Piece{part.Dim(" by switch ")}
	}
	what := f.GaugeOuter() + " of each node"
	switch each := t.cells.Each(); {
	case each == 1:
		what = "GPUs " + t.cells.Numbering() + " of each node, " + f.GaugeTitle()
	case t.strips.each > 1:
		what = "a cell for " + strconv.Itoa(each) + " GPUs of a node, " + f.GaugeOuter()
	}
	return [][]part.Piece{named, {{Text: "─", Role: draw.Faint}, part.Dim(" " + what + " ")}}
}
