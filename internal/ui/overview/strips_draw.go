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
		if st.each-st.gap > 1 {
			t.cells.Draw(f, x, y, n.AsSeen())
		} else {
			part.NodeCell(f, x, y, n)
		}
		if at {
			f.Point(y, x, x+st.each-st.gap)
		}
		x += st.each
	}
	return selected
}

// groupTail writes the mean of a group, and the number of its nodes in trouble. It returns the list with their GPUs.
func groupTail(f *part.Frame, x, y int, st *strips, g *group, gpus []*cluster.GPU) []*cluster.GPU {
	if st.tail == tailNone {
		return gpus
	}
	var counts [cluster.Critical + 1]int
	for _, name := range g.nodes {
		counts[f.Health.Rank(name)]++
		if n := f.NodeOf(name); n.State == cluster.NodeReporting {
			gpus = tally.AppendOwn(gpus, f.Job, n)
		}
	}
	s := part.Span{X: x + 1, W: tailMeanWide - 1}
	if mean, level := f.Gauged(gpus, draw.Dim); mean.Known() {
		f.Number(s, y, part.Summed(mean, part.GaugeUnit(f.Gauge)), level)
	} else {
		f.Number(s, y, "–", draw.Dim)
	}
	if st.tail == tailCount {
		x += tailMeanWide + 1
		for _, severity := range []cluster.Severity{cluster.Critical, cluster.Warning} {
			if n, m := counts[severity], part.Marks[severity]; n > 0 {
				x = f.Put(x, y, m.Glyph+strconv.Itoa(n), m.Role) + 1
			}
		}
	}
	return gpus
}

// explainedStrips are the explanations in the rule, the most useful first.
func explainedStrips(f *part.Frame, t *tiles) [][]part.Piece {
	title := t.strips.names.Title
	if title != "" && !strings.Contains(title, "…") {
		title += "…"
	}
	return [][]part.Piece{{part.Dim(" " + t.cellIs(f) + " ")},
		{{Text: "─", Role: draw.Faint}, part.Dim(strings.TrimRight(" a strip is a switch "+title, " ") + " ")}}
}
