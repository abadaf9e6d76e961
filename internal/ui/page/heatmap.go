package page

import (
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// tiles is the geometry of a heat map: nodes in columns that are read downwards.
type tiles struct {
	big     bool // double cells, AVG, MAX and POWER
	across  int
	wide    int // of one tile
	rows    int
	names   *part.Naming
	name    int // room for a name
	nameAt  int
	cells   part.Cells
	cellsAt int
	top     int // the row of the first tile
	below   int // rows that it leaves free: the sum, the keys, some of what is wrong
}

// heatMapLeast is the width of one tile, and so the least for a heat map.
const heatMapLeast = 20

const (
	bigTileFrom = 180 // width of the terminal
	bigTile     = 49
	smallTile   = 19
	smallName   = 3 // room for a name in it; it gets wider, up to longName, where that tells nodes apart
	longName    = 9
)

func newTiles(f *part.Frame) tiles {
	t := tiles{big: f.W >= bigTileFrom, top: 3, below: 2, nameAt: 1}
	if t.big {
		t.top, t.below, t.nameAt = 4, 3, 2
		t.across = max((f.W-2)/bigTile, 4)
		t.wide, t.name, t.cellsAt = (f.W-2)/t.across, 6, 9
		t.cells = part.NewCells(f, 2)
		t.names = f.Naming(t.name)
	} else {
		t.cells = part.NewCells(f, 1)
		t.names = f.Naming(smallName)
		t.name = min(max(t.names.Wide, smallName), longName, max(f.W-2-smallTile+smallName, smallName))
		t.wide, t.cellsAt = smallTile-smallName+t.name, t.name+2
		t.across = max((f.W-2)/t.wide, 1)
	}
	t.rows = min((len(f.Order)+t.across-1)/t.across, max(f.H-t.top-t.below, 1))
	return t
}

// heatMap draws every node as a tile, the sum, and what is wrong.
func (o *Overview) heatMap(f *part.Frame) {
	t := newTiles(f)
	o.heatMapTitles(f, t)
	nodes, more := around(f.Order, f.Node.Name, t.rows*t.across)
	rows := min((len(nodes)+t.across-1)/t.across, t.rows)
	for i, name := range nodes {
		tile(f, 1+i/rows*t.wide, t.top+i%rows, f.NodeOf(name), t)
	}
	y := t.top + rows
	if len(nodes) == 0 {
		y = o.noMatch(f, y)
	}
	if t.big {
		f.Fill(2, y, f.W-4, '╌', draw.Faint)
		y++
	}
	heatMapSum(f, y, t, o.sumName(f.Scene), more)
	y++
	if f.H-1-y >= 6 {
		y = o.health(f, y)
		part.JobGraphs(f, y)
		return
	}
	troubles(f, y, t)
}

// heatMapTitles writes the legend and the headings; in narrow terminals there is room for the names' prefix only.
func (o *Overview) heatMapTitles(f *part.Frame, t tiles) {
	x := 2
	if o.filtered(f.Scene) {
		x = o.filterTitle(f, x) + 1
	}
	if !t.big {
		if t.names.Title != "" {
			f.Left(x, 2, f.W-4-x, " "+t.names.Title+" ", draw.Dim)
		}
		return
	}
	legend := []part.Piece{part.Dim(" a letter is a GPU in trouble:  ")}
	for _, l := range part.Letters {
		legend = append(legend, part.Strong(string(l.Letter)), part.Dim(" "+l.Short+"  "))
	}
	f.Pieces(f.W-2-part.Width(legend), 2, legend...)
	for i := range t.across {
		x := 1 + i*t.wide
		f.Left(x+2, 3, t.name, t.names.Title, draw.Dim)
		t.cells.Titles(f, x+t.cellsAt, 3)
		f.Put(x+27, 3, "AVG", draw.Dim)
		f.Put(x+31, 3, "MAX°C", draw.Dim)
		f.Put(x+38, 3, "POWER", draw.Dim)
	}
}

// tile draws one node.
func tile(f *part.Frame, x, y int, n *cluster.Node, t tiles) {
	m := f.Health.NodeMark(n.Name)
	role := draw.Text
	if m.Role == draw.Crit || m.Role == draw.Warn {
		role = m.Role
	}
	selected := n.Name == f.Node.Name
	f.Put(x, y, m.Glyph, m.Role)
	if selected {
		f.Put(x-1, y, "▸", draw.Strong)
		if role == draw.Text {
			role = draw.Strong
		}
	}
	f.Left(x+t.nameAt, y, t.name, draw.ClipMiddle(t.names.Of(n.Name), t.name), role)
	t.cells.Draw(f, x+t.cellsAt, y, n)
	if t.big {
		bigTotals(f, x, y, n, m)
	} else {
		smallTotals(f, x+t.cellsAt+9, y, n, m)
	}
	if selected {
		end := x + t.wide - 1
		if t.big {
			end = x + bigTile - 3
		}
		f.Select(y, x-1, min(end, x+t.wide-1))
	}
}

func bigTotals(f *part.Frame, x, y int, n *cluster.Node, m part.Mark) {
	tot := tally.Total(f.Own(n))
	const from = 27
	switch {
	case n.State == cluster.NodeStale:
		f.Left(x+from, y, bigTile-from-3, "silent "+draw.Age(n.Age), m.Role)
	case !tally.HasNumbers(n) || tot.GPUs == 0:
		room := bigTile - from - 5
		f.Left(x+from, y, room, part.Absence(f, n, room), m.Role)
	default:
		f.Number(part.Span{X: x + 26, W: 4}, y, part.Percent(tot.Util.Value), draw.Text)
		if tot.Temperature.Known() {
			f.Number(part.Span{X: x + 31, W: 5}, y, part.Summed(tot.Temperature, "°C"), part.HeatRole(tot.Temperature))
		}
		if tot.Power.Known() {
			f.Number(part.Span{X: x + 37, W: 6}, y, draw.KW(tot.Power.Value)+"kW", draw.Dim)
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
		f.Number(s, y, part.Summed(tot.Util, ""), draw.Dim)
	}
}

// heatMapSum writes the sum over all nodes that stream.
func heatMapSum(f *part.Frame, y int, t tiles, name, more string) {
	gpus := tally.Fresh(f.Snap, f.Job)
	tot := tally.Total(gpus)
	x := 1
	if t.big {
		x = 3
	}
	pieces := []part.Piece{part.Strong(name)}
	add := func(label, value string, role draw.Role) {
		more := []part.Piece{{Text: "  " + value, Role: role}}
		if t.big {
			more = []part.Piece{part.Dim("   " + label + " "), {Text: value, Role: role}}
		}
		if x+part.Width(pieces)+part.Width(more) < f.W {
			pieces = append(pieces, more...)
		}
	}
	if t.big {
		pieces = append(pieces, part.Dim("  "+strconv.Itoa(tot.GPUs)+" of "+part.Plural(max(f.Job.GPUs, tot.GPUs), "GPU", "GPUs")))
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
		if t.big {
			value += " " + f.GPUName(tot.Temperature.GPU)
		}
		add("hottest", value, part.HeatRole(tot.Temperature))
	}
	x = f.Pieces(x, y, pieces...)
	if more != "" {
		f.Left(x+3, y, f.W-4-x, more, draw.Dim)
	} else if !t.big {
		shortLegend(f, x+3, y)
	}
}

// shortLegend explains the letters in what room is left of a line.
func shortLegend(f *part.Frame, x, y int) {
	for _, l := range part.Letters {
		text := string(l.Letter) + " " + l.Short
		if x+draw.Width(text) > f.W-1 {
			return
		}
		x = f.Put(x, y, text, draw.Dim) + 1
	}
}

// troubles lists what is wrong in two columns where there is no room for sentences.
func troubles(f *part.Frame, y int, t tiles) {
	findings := f.Job.Findings
	half := (f.W - 2) / 2
	for i := 0; y < f.H-1 && i < len(findings); i++ {
		finding := &findings[i]
		if finding.Severity == cluster.Note {
			continue
		}
		x := 1 + i%2*half
		m := part.MarkOf(finding)
		end := x + half - 1
		x = f.Put(x, y, m.Glyph+" "+draw.ClipMiddle(t.names.Of(finding.Node), 8)+" ", m.Role)
		text, role := troubleText(f, finding, end-x)
		f.Left(x, y, end-x, text, role)
		if i%2 == 1 {
			y++
		}
	}
}

// troubleText is a finding in w columns, and its role.
func troubleText(f *part.Frame, finding *cluster.Finding, w int) (string, draw.Role) {
	words := f.Say(finding)
	if finding.Holds() {
		return part.ShortOf(finding, words, w-6) + part.FindingAge(f, finding, " "), draw.Text
	}
	if long := part.OnGPU(finding, words.Long); draw.Width(long) <= w {
		return long, draw.Dim
	}
	return part.OnGPU(finding, words.Short), draw.Dim
}
