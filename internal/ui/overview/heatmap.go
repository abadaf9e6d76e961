package overview

import (
	"math"
	"slices"
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/graph"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// heatMap draws every node as a tile, the total, and the problems. It reports whether nodes in trouble come first,
// whatever the order of the others.
func (o *Page) heatMap(f *part.Frame) (troubleFirst bool) {
	t := newTiles(f.Scene, o.page)
	heatMapTitles(f, t, o.nodeFilter())
	drawNodes(f, t)
	y := t.top + t.usedRows()
	if len(t.nodes) == 0 {
		y = o.nodeFilter().drawNoMatch(f, y)
	}
	if t.style == tileBig {
		f.Fill(2, y, f.W-4, '╌', draw.Faint)
		y++
	}
	y = heatMapSum(f, y, t, o.nodeFilter().sumName(f.Scene))
	if f.H-1-y >= 6 {
		y = o.drawJobProblems(f, y)
		graph.JobGraphs(f, y)
	} else {
		drawShortProblems(f, y, t.names)
	}
	return t.strips != nil || t.pinned > 0
}

func drawTiles(f *part.Frame, t *tiles) {
	for i, name := range t.nodes {
		x, y := t.tilePosition(i)
		drawTile(f, x, y, f.NodeOf(name).AsSeen(), t)
	}
	if t.style == tileDot {
		rowNames(f, t)
	}
}

// rowNames writes the name of the first node of each row, where the nodes themselves have no names.
func rowNames(f *part.Frame, t *tiles) {
	for row := range t.usedRows() {
		first := t.nodes[t.places.lines[row].from]
		f.Left(t.nameAt, t.top+row, t.name, draw.ClipMiddle(t.names.Of(first), t.name), draw.Dim)
	}
}

func drawTile(f *part.Frame, x, y int, n *cluster.Node, t *tiles) {
	m := f.Health.NodeMark(n.Name)
	if t.style == tileDot {
		part.NodeCell(f, x, y, n)
		return
	}
	role := draw.Text
	if m.Role == draw.Crit || m.Role == draw.Warn {
		role = m.Role
	}
	f.Put(x, y, m.Glyph, m.Role)
	f.Left(x+t.nameAt, y, t.name, draw.ClipMiddle(t.names.Of(n.Name), t.name), role)
	switch t.style {
	case tileBig:
		t.cells.Draw(f, x+t.cellsAt, y, n)
		bigTotals(f, x, y, n, m)
	case tileAvg:
		t.cells.Draw(f, x+t.cellsAt, y, n)
		smallTotals(f, x+t.cellsAt+t.cells.Width()+1, y, n, m)
	case tileCells:
		t.cells.Draw(f, x+t.cellsAt, y, n)
	default:
		part.NodeCell(f, x+t.cellsAt, y, n)
	}
}

func bigTotals(f *part.Frame, x, y int, n *cluster.Node, m part.Mark) {
	tot := tally.Total(f.Own(n))
	const from = 27
	switch {
	case n.State == cluster.NodeStale:
		f.Left(x+from, y, bigTile-from-3, "not responding "+draw.Age(n.Age), m.Role)
	case !tally.HasNumbers(n) || tot.GPUs == 0:
		room := bigTile - from - 5
		f.Left(x+from, y, room, header.AbsenceText(f, n, room), m.Role)
	default:
		mean, level := f.Gauged(f.Own(n), draw.Text)
		f.Number(part.Span{X: x + 26, W: 4}, y, part.Summed(mean, part.GaugeUnit(f.Gauge)), level)
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

// heatMapSum writes the total over all nodes that report, and the legend unless the rule has it. It returns the row
// below.
func heatMapSum(f *part.Frame, y int, t *tiles, name string) int {
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
	} else if sum := f.JobProcessSum(); sum != "" {
		add("memory", sum, draw.Text)
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
	switch {
	case big:
	case y+2 < f.H-1: // a line of its own, the first of the lines for problems
		y++
		f.Pieces(1, y, legendPieces(f, f.W-2)...)
	default:
		f.Pieces(x+3, y, legendPieces(f, f.W-4-x)...)
	}
	return y + 1
}

// legendPieces explains shades, letters and cells without numbers in w columns.
func legendPieces(f *part.Frame, w int) []part.Piece {
	var letters []part.Piece
	for _, l := range say.Letters {
		letters = append(letters, part.Strong("  "+string(l.Letter)), part.Dim(" "+l.Short))
	}
	absent := []part.Piece{part.Strong("  ░"), part.Dim(" not responding"), part.Strong("  ·"), part.Dim(" no data")}
	long, short := shadePieces(f)
	for _, all := range [][]part.Piece{slices.Concat(long, letters, absent), slices.Concat(long, letters),
		slices.Concat(short, letters), letters} {
		if part.Width(all) <= w {
			return all
		}
	}
	for len(letters) > 0 && part.Width(letters) > w {
		letters = letters[:len(letters)-2]
	}
	return letters
}

// shadePieces explains the shades of the cells, in a long and a short form. The classic colors show levels.
func shadePieces(f *part.Frame) (long, short []part.Piece) {
	m := f.Median()
	if f.Classic || math.IsNaN(m.Number) {
		return nil, nil
	}
	median := draw.Whole(m.Number) + part.GaugeUnit(f.Gauge)
	below, above := draw.Odd3, draw.Fine3
	if f.Gauge.Highest() {
		below, above = above, below
	}
	low, even, high := part.Piece{Text: "↓", Role: below}, part.Piece{Text: "─", Role: draw.Even},
		part.Piece{Text: "↑", Role: above}
	return []part.Piece{low, part.Dim(" below "), even, part.Dim(" at "), high,
		part.Dim(" above the median, " + median)}, []part.Piece{low, even, high, part.Dim(" median " + median)}
}

// shortLegend explains the letters and the cells without numbers, as far as the line has room.
func shortLegend(f *part.Frame, x, y int) {
	words := []string{"░ not responding", "· no data"}
	for i, l := range say.Letters {
		words = slices.Insert(words, i, string(l.Letter)+" "+l.Short)
	}
	for _, text := range words {
		if x+draw.Width(text) > f.W-1 {
			return
		}
		x = f.Put(x, y, text, draw.Dim) + 2
	}
}
