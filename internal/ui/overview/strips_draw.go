package overview

import (
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

func drawStrips(f *part.Frame, t *tiles) {
	st := t.strips
	var gpus []*cluster.GPU // reused for each group: allocating a list would take longer than drawing it
	for i, line := range st.lines {
		x, y := st.start(i)
		x, y = t.left+x, t.top+y
		stripCells(f, x, y, t, line)
		groupName(f, x, y, st, i, false)
		if g := &st.groups[line.group]; i == len(st.lines)-1 || st.lines[i+1].group != line.group {
			gpus = groupTail(f, x+st.tailAt, y, st, g, gpus[:0])
		}
	}
}

// pointStrip puts the cursor on the node at a place, and a mark before its line.
func pointStrip(f *part.Frame, t *tiles, place int) {
	st := t.strips
	line := st.lineOf(place)
	x, y := st.start(line)
	x, y = t.left+x, t.top+y
	groupName(f, x, y, st, line, true)
	f.Put(x-1, y, "▸", draw.Strong)
	x, y = t.tilePosition(place)
	f.Point(y, x, x+st.each-st.gap)
}

// groupName writes the mark and the name of a group on its first line. On another line of the group it writes only the
// name, and only at the top of a column.
func groupName(f *part.Frame, x, y int, st *strips, line int, selected bool) {
	g := &st.groups[st.lines[line].group]
	first := line == 0 || st.lines[line-1].group != st.lines[line].group
	if !first && line%st.rows != 0 {
		return
	}
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

func stripCells(f *part.Frame, x, y int, t *tiles, line nodesLine) {
	st := t.strips
	x += st.cellsAt
	for place := line.from; place < line.to; place++ {
		n := f.NodeOf(t.nodes[place])
		if st.each-st.gap > 1 {
			t.cells.Draw(f, x, y, n.AsSeen())
		} else {
			part.NodeCell(f, x, y, n)
		}
		x += st.each
	}
}

// groupTail writes the mean of a group, and the number of its nodes in trouble. It returns the slice, now with the GPUs
// of the group.
func groupTail(f *part.Frame, x, y int, st *strips, g *switchGroup, gpus []*cluster.GPU) []*cluster.GPU {
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
