package overview

import (
	"slices"
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/graph"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/problem"
)

// heatMap draws every node as a tile, the total, and the problems.
func (o *Page) heatMap(f *part.Frame) {
	t := newTiles(f.Scene, o.page)
	o.heatMapTitles(f, t)
	if t.style == tileStrips {
		drawStrips(f, t)
	} else {
		drawTiles(f, t)
	}
	y := t.top + t.used()
	if len(t.nodes) == 0 {
		y = o.noMatch(f, y)
	}
	if t.style == tileBig {
		f.Fill(2, y, f.W-4, '╌', draw.Faint)
		y++
	}
	heatMapSum(f, y, t, o.sumName(f.Scene))
	y++
	if f.H-1-y >= 6 {
		y = o.health(f, y)
		graph.JobGraphs(f, y)
		return
	}
	troubles(f, y, t.names)
}

// drawTiles draws each node as a tile.
func drawTiles(f *part.Frame, t *tiles) {
	for i, name := range t.nodes {
		x, y := t.at(i)
		tile(f, x, y, f.NodeOf(name).AsSeen(), t)
	}
	if t.style == tileDot {
		rowNames(f, t)
	}
}

// rowNames writes the name of the first node of each row, where nodes have no names of their own.
func rowNames(f *part.Frame, t *tiles) {
	for row := range t.used() {
		f.Left(t.nameAt, t.top+row, t.name, draw.ClipMiddle(t.names.Of(t.nodes[row*t.across]), t.name), draw.Dim)
	}
}

// tile draws one node.
func tile(f *part.Frame, x, y int, n *cluster.Node, t *tiles) {
	m := f.Health.NodeMark(n.Name)
	selected := n.Name == f.Node.Name
	if t.style == tileDot {
		dot(f, x, y, n, selected)
		return
	}
	role := draw.Text
	if m.Role == draw.Crit || m.Role == draw.Warn {
		role = m.Role
	}
	f.Put(x, y, m.Glyph, m.Role)
	if selected {
		f.Put(x-1, y, "▸", draw.Strong)
		if role == draw.Text {
			role = draw.Strong
		}
	}
	f.Left(x+t.nameAt, y, t.name, draw.ClipMiddle(t.names.Of(n.Name), t.name), role)
	end := x + t.wide - 1
	switch t.style {
	case tileBig:
		t.cells.Draw(f, x+t.cellsAt, y, n)
		bigTotals(f, x, y, n, m)
		end = min(x+bigTile-3, end)
	case tileAvg:
		t.cells.Draw(f, x+t.cellsAt, y, n)
		smallTotals(f, x+t.cellsAt+t.cells.Width()+1, y, n, m)
	case tileCells:
		t.cells.Draw(f, x+t.cellsAt, y, n)
	default:
		part.NodeCell(f, x+t.cellsAt, y, n)
	}
	if selected {
		f.Select(y, x-1, end)
	}
}

// dot draws a node in one column. The selected node is only marked: the rule has the details.
func dot(f *part.Frame, x, y int, n *cluster.Node, selected bool) {
	if !selected {
		part.NodeCell(f, x, y, n)
		return
	}
	f.Put(x, y, "▸", draw.Strong)
	f.Select(y, x, x+1)
	f.Put(0, y, "▸", draw.Strong)
}

func bigTotals(f *part.Frame, x, y int, n *cluster.Node, m part.Mark) {
	tot := tally.Total(f.Own(n))
	const from = 27
	switch {
	case n.State == cluster.NodeStale:
		f.Left(x+from, y, bigTile-from-3, "not responding "+draw.Age(n.Age), m.Role)
	case !tally.HasNumbers(n) || tot.GPUs == 0:
		room := bigTile - from - 5
		f.Left(x+from, y, room, problem.Absence(f, n, room), m.Role)
	default:
		mean, level := f.Gauged(f.Own(n), draw.Text)
		f.Number(part.Span{X: x + 26, W: 4}, y, part.Summed(mean, f.GaugeUnit()), level)
		if tot.Temperature.Known() {
			f.Number(part.Span{X: x + 31, W: 5}, y, part.Summed(tot.Temperature, "°C"), part.HeatRole(tot.Temperature))
		}
		if tot.Power.Known() {
			power := part.Power(&tot, 6, true)
			f.Number(part.Span{X: x + 37, W: 6}, y, power.Now+power.Unit, draw.Dim)
		}
	}
}

func smallTotals(f *part.Frame, x, y int, n *cluster.Node, m part.Mark) {
	s := part.Span{X: x, W: 3}
	gpus := f.Own(n)
	switch {
	case n.State == cluster.NodeStale:
		f.Number(s, y, draw.Age(n.Age), m.Role)
	case !tally.HasNumbers(n) || len(gpus) == 0:
		f.Number(s, y, "–", m.Role)
	default:
		mean, level := f.Gauged(gpus, draw.Dim)
		f.Number(s, y, part.Summed(mean, ""), level)
	}
}

// heatMapSum writes the total over all nodes that report, and the legend if the rule has no room for it.
func heatMapSum(f *part.Frame, y int, t *tiles, name string) {
	tot := f.LastTotal()
	big := t.style == tileBig
	x := 1
	if big {
		x = 3
	}
	pieces := []part.Piece{part.Strong(name)}
	add := func(label, value string, role draw.Role) {
		more := []part.Piece{{Text: "  " + value, Role: role}}
		if big {
			more = []part.Piece{part.Dim("   " + label + " "), {Text: value, Role: role}}
		}
		if x+part.Width(pieces)+part.Width(more) < f.W {
			pieces = append(pieces, more...)
		}
	}
	if big {
		pieces = append(pieces, part.Dim("  "+strconv.Itoa(f.Job.GPUsSeen)+" of "+
			part.Plural(max(f.Job.GPUs, f.Job.GPUsSeen), "GPU", "GPUs")))
	}
	if tot.Util.Known() {
		add("util", part.Percent(tot.Util.Value), draw.Strong)
	}
	if tot.Used.Known() {
		used := part.MemoryUsed(&tot)
		add("memory", used.Share()+" "+used.Unit, draw.Text)
	}
	if tot.Power.Known() {
		power := part.Power(&tot, part.Unlimited, true)
		add("power", power.Share()+" "+power.Unit, draw.Text)
	}
	if tot.Temperature.Known() {
		value := part.Summed(tot.Temperature, "°C")
		if big {
			value += " " + f.GPUName(tot.Temperature.GPU)
		}
		add("hottest", value, part.HeatRole(tot.Temperature))
	}
	x = f.Pieces(x, y, pieces...)
	if f.Old() {
		f.Fade(y, 0, x)
	}
	if !big {
		shortLegend(f, x+3, y)
	}
}

// shortLegend explains the letters and the cells without numbers, as far as the line has room.
func shortLegend(f *part.Frame, x, y int) {
	words := []string{"░ not responding", "· no data"}
	for i, l := range part.Letters {
		words = slices.Insert(words, i, string(l.Letter)+" "+l.Short)
	}
	for _, text := range words {
		if x+draw.Width(text) > f.W-1 {
			return
		}
		x = f.Put(x, y, text, draw.Dim) + 2
	}
}
