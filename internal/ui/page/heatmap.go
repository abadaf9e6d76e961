package page

import (
	"slices"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// heatMap draws every node as a tile, the total, and the problems.
func (o *Overview) heatMap(f *part.Frame) {
	t := newTiles(f.Scene, o.page)
	o.heatMapTitles(f, t)
	for i, name := range t.nodes {
		x, y := t.at(i)
		tile(f, x, y, f.NodeOf(name), t)
	}
	if t.style == tileDot {
		rowNames(f, t)
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
		part.JobGraphs(f, y)
		return
	}
	troubles(f, y, t.names)
}

// heatMapTitles explains the tiles in the rule and writes the headings above them.
func (o *Overview) heatMapTitles(f *part.Frame, t *tiles) {
	x := 2
	if o.filtered(f.Scene) {
		x = o.filterTitle(f, x) + 1
	}
	right := t.position(f, true)
	if x+1+part.Width(right) > f.W-2 {
		right = t.position(f, false)
	}
	end := f.W - 2 - part.Width(right)
	if x+1 > end {
		right, end = nil, f.W-2
	}
	f.Pieces(end, 2, right...)
	var pieces []part.Piece
	room := end - x - 2
	for _, more := range t.explained(f) {
		if part.Width(pieces)+part.Width(more) > room {
			break
		}
		pieces = append(pieces, more...)
	}
	f.Pieces(x, 2, pieces...)
	if t.heading == 0 {
		return
	}
	for i := range t.columns() {
		x := t.left + i*t.wide
		t.cells.Titles(f, x+t.cellsAt, t.heading)
		if t.style == tileBig {
			f.Left(x+2, t.heading, t.name, t.names.Title, draw.Dim)
			f.Put(x+27, t.heading, "AVG", draw.Dim)
			f.Put(x+31, t.heading, "MAX°C", draw.Dim)
			f.Put(x+38, t.heading, "POWER", draw.Dim)
		}
	}
}

// columns is how many columns of tiles there are.
func (t *tiles) columns() int {
	if len(t.nodes) == 0 {
		return 0
	}
	col, _ := t.cell(len(t.nodes) - 1)
	if t.style == tileDot {
		col = min(len(t.nodes), t.across) - 1
	}
	return col + 1
}

// explained are the explanations in the rule, the most useful first.
func (t *tiles) explained(f *part.Frame) [][]part.Piece {
	if t.style == tileBig {
		legend := []part.Piece{part.Dim(" letters mark problems:  ")}
		for _, l := range part.Letters {
			legend = append(legend, part.Strong(string(l.Letter)), part.Dim(" "+l.Short+"  "))
		}
		return [][]part.Piece{legend, noNumbers()}
	}
	title := t.names.Title
	if title != "" && !strings.Contains(title, "…") {
		title += "…"
	}
	named := []part.Piece{part.Dim(" nodes " + title + " ")}
	if title == "" {
		named = []part.Piece{part.Dim(" nodes ")}
	}
	what := "GPUs " + t.cells.Numbering()
	if t.style >= tileGlyph {
		what = "lowest GPU of each"
	}
	return [][]part.Piece{named, {{Text: "─", Role: draw.Faint}, part.Dim(" " + what + " ")}}
}

// noNumbers explains the cells of nodes that have no numbers now.
func noNumbers() []part.Piece {
	return []part.Piece{part.Strong("░"), part.Dim(" not responding  "), part.Strong("·"), part.Dim(" no data ")}
}

// where says which nodes are on the page: "1–64 of 64", or of several pages "2/3 346–690 of 995, 5 pinned  PgUp PgDn".
// Where there is little room it leaves out the pinned ones.
func (t *tiles) where(long bool) string {
	if len(t.pages) < 2 {
		return places(0, t.of, t.of)
	}
	to, all := t.from+len(t.nodes)-t.pinned, t.of-t.pinned
	text := strconv.Itoa(t.page+1) + "/" + strconv.Itoa(len(t.pages)) + " " + places(t.from, to, all)
	if t.pinned > 0 && long {
		text += ", " + strconv.Itoa(t.pinned) + " pinned"
	}
	return text + pageKeys(t.from, to, all)
}

// position says which nodes are on the page and how many are in trouble; without names also which one is selected.
func (t *tiles) position(f *part.Frame, long bool) []part.Piece {
	var pieces []part.Piece
	if t.style >= tileDot {
		m := f.Health.NodeMark(f.Node.Name)
		pieces = append(pieces, part.Strong(" ▸ "+f.NodeName(f.Node.Name, 16)), part.Piece{Text: " " + m.Glyph, Role: m.Role}, part.Dim(" "))
	}
	if t.of > 0 {
		pieces = append(pieces, part.Dim(" "+t.where(long)+" "))
	}
	var counts [cluster.Critical + 1]int
	for _, name := range f.Order {
		counts[f.Health.Rank(name)]++
	}
	for severity := cluster.Critical; severity >= cluster.Waiting; severity-- {
		if n := counts[severity]; n > 0 {
			m := part.Marks[severity]
			pieces = append(pieces, part.Piece{Text: " " + m.Glyph + strconv.Itoa(n), Role: m.Role})
		}
	}
	return append(pieces, part.Dim(" "))
}

// rowNames writes the first name of each row of nodes that have none of their own.
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

// dot draws a node in one column. The selected one is a mark: the rule says more of it.
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
		f.Left(x+from, y, room, part.Absence(f, n, room), m.Role)
	default:
		level, _ := f.Level(tot.Util.Value, draw.Text, draw.BarData)
		f.Number(part.Span{X: x + 26, W: 4}, y, part.Percent(tot.Util.Value), level)
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
	tot := tally.Total(f.Own(n))
	switch {
	case n.State == cluster.NodeStale:
		f.Number(s, y, draw.Age(n.Age), m.Role)
	case !tally.HasNumbers(n) || tot.GPUs == 0:
		f.Number(s, y, "–", m.Role)
	default:
		level, _ := f.Level(tot.Util.Value, draw.Dim, draw.BarData)
		f.Number(s, y, part.Summed(tot.Util, ""), level)
	}
}

// heatMapSum writes the total over all nodes that report, and the legend where the rule has no room for it.
func heatMapSum(f *part.Frame, y int, t *tiles, name string) {
	gpus := tally.Fresh(f.Snap, f.Job)
	tot := tally.Total(gpus)
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
		pieces = append(pieces, part.Dim("  "+strconv.Itoa(f.Job.GPUsSeen)+" of "+part.Plural(max(f.Job.GPUs, f.Job.GPUsSeen), "GPU", "GPUs")))
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
	if !big {
		shortLegend(f, x+3, y)
	}
}

// shortLegend explains the letters and the cells without numbers, as far as there is room in the line.
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
