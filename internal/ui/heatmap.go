package ui

import (
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
)

// tiles is the geometry of a heat map: nodes in columns that are read downwards.
type tiles struct {
	big     bool // double cells, AVG, MAX and POWER
	across  int
	wide    int // of one tile
	rows    int
	names   *naming
	name    int // room for a name
	cells   cellGrid
	cellsAt int
}

const (
	bigTileFrom = 180 // width of the terminal
	bigTile     = 49
	smallTile   = 19
	smallName   = 3 // room for a name in it; it gets wider, up to longName, where that tells nodes apart
	longName    = 9
)

func (f *frame) tiles() tiles {
	t := tiles{big: f.w >= bigTileFrom, cells: f.cellGrid(false)}
	if t.big {
		t.across = max((f.w-2)/bigTile, 4)
		t.wide, t.name, t.cellsAt = (f.w-2)/t.across, 6, 9
		t.cells.wide = 2
		t.names = f.naming(t.name)
	} else {
		t.names = f.naming(smallName)
		t.name = min(max(t.names.wide, smallName), longName, max(f.w-2-smallTile+smallName, smallName))
		t.wide, t.cellsAt = smallTile-smallName+t.name, t.name+2
		t.across = max((f.w-2)/t.wide, 1)
	}
	t.rows = min((len(f.order)+t.across-1)/t.across, max(f.h-t.top()-t.below(), 1))
	return t
}

// top is the row of the first tile.
func (t tiles) top() int {
	if t.big {
		return 4
	}
	return 3
}

// below is how many rows a heat map leaves free: the sum, the keys, some of what is wrong.
func (t tiles) below() int {
	if t.big {
		return 3
	}
	return 2
}

// heatMap draws every node as a tile, the sum, and what is wrong.
func (f *frame) heatMap() {
	t := f.tiles()
	f.heatMapTitles(t)
	nodes, more := f.page(f.order, t.rows*t.across)
	rows := min((len(nodes)+t.across-1)/t.across, t.rows)
	for i, name := range nodes {
		f.tile(1+i/rows*t.wide, t.top()+i%rows, f.nodeOf(name), t)
	}
	y := t.top() + rows
	if t.big {
		f.Fill(2, y, f.w-4, '╌', draw.Faint)
		y++
	}
	f.heatMapSum(y, t, more)
	y++
	if f.h-1-y >= 6 {
		y = f.jobHealth(y)
		f.jobGraphs(y)
		return
	}
	f.verdicts(y, t)
}

// heatMapTitles writes the legend and the headings; in narrow terminals there is room for the names' prefix only.
func (f *frame) heatMapTitles(t tiles) {
	if !t.big {
		if t.names.title != "" {
			f.Left(2, 2, f.w-6, " "+t.names.title+" ", draw.Dim)
		}
		return
	}
	legend := []word{{" a letter is a GPU in trouble:  ", draw.Dim}}
	for _, l := range cellLetters {
		legend = append(legend, word{string(l.letter), draw.Strong}, word{" " + l.short + "  ", draw.Dim})
	}
	f.words(f.w-2-width(legend), 2, legend...)
	for i := range t.across {
		x := 1 + i*t.wide
		f.Left(x+2, 3, t.name, t.names.title, draw.Dim)
		f.cellTitles(x+t.cellsAt, 3, t.cells)
		f.Put(x+27, 3, "AVG", draw.Dim)
		f.Put(x+31, 3, "MAX°C", draw.Dim)
		f.Put(x+38, 3, "POWER", draw.Dim)
	}
}

// tile draws one node.
func (f *frame) tile(x, y int, n *cluster.Node, t tiles) {
	m := f.health.nodeMark(n.Name)
	role := draw.Text
	if m.role == draw.Crit || m.role == draw.Warn {
		role = m.role
	}
	selected := n.Name == f.node.Name
	at := x + 1
	if t.big {
		at = x + 2
	}
	f.Put(x, y, m.glyph, m.role)
	if selected {
		f.Put(x-1, y, "▸", draw.Strong)
		if role == draw.Text {
			role = draw.Strong
		}
	}
	f.Left(at, y, t.name, draw.ClipMiddle(t.names.of(n.Name), t.name), role)
	f.cells(x+t.cellsAt, y, n, t.cells)
	if t.big {
		f.bigTotals(x, y, n, m)
	} else {
		f.smallTotals(x+t.cellsAt+9, y, n, m)
	}
	if selected {
		end := x + t.wide - 1
		if t.big {
			end = x + bigTile - 3
		}
		f.Select(y, x-1, min(end, x+t.wide-1))
	}
}

func (f *frame) bigTotals(x, y int, n *cluster.Node, m mark) {
	tot := total(f.own(nil, n))
	const from = 27
	switch {
	case n.State == cluster.NodeStale:
		f.Left(x+from, y, bigTile-from-3, "silent "+draw.Age(n.Age), m.role)
	case !hasNumbers(n) || tot.gpus == 0:
		room := bigTile - from - 5
		f.Left(x+from, y, room, f.absence(n, room), m.role)
	default:
		f.number(span{x: x + 26, w: 4}, y, percent(tot.util.mean()), draw.Text)
		if tot.hottest != nil {
			role := draw.Text
			if hot(tot.hottest) {
				role = draw.Warn
			}
			f.number(span{x: x + 31, w: 5}, y, measured(tot.hottest, metric.Temperature, "°C"), role)
		}
		if tot.watts.count > 0 {
			f.number(span{x: x + 37, w: 6}, y, draw.KW(tot.watts.value)+"kW", draw.Dim)
		}
	}
}

func (f *frame) smallTotals(x, y int, n *cluster.Node, m mark) {
	s := span{x: x, w: 3}
	tot := total(f.own(nil, n))
	switch {
	case n.State == cluster.NodeStale:
		f.number(s, y, draw.Age(n.Age), m.role)
	case !hasNumbers(n) || tot.gpus == 0:
		f.number(s, y, "–", m.role)
	case tot.util.count == 0:
		f.number(s, y, "", draw.Dim)
	default:
		f.number(s, y, draw.Whole(tot.util.mean()), draw.Dim)
	}
}

// heatMapSum writes the sum over all nodes that stream.
func (f *frame) heatMapSum(y int, t tiles, more string) {
	gpus := f.streamingGPUs()
	tot := total(gpus)
	x := 1
	if t.big {
		x = 3
	}
	words := []word{{"JOB", draw.Strong}}
	add := func(label, value string, role draw.Role) {
		more := []word{{"  " + value, role}}
		if t.big {
			more = []word{{"   " + label + " ", draw.Dim}, {value, role}}
		}
		if x+width(words)+width(more) < f.w {
			words = append(words, more...)
		}
	}
	if t.big {
		words = append(words, word{"  " + strconv.Itoa(tot.gpus) + " of " + plural(max(f.job.GPUs, tot.gpus), "GPU", "GPUs"), draw.Dim})
	}
	if tot.util.count > 0 {
		add("util", percent(tot.util.mean()), draw.Strong)
	}
	if tot.used.count > 0 {
		amount, unit := draw.Share(uint64(tot.used.value), uint64(tot.total.value))
		add("memory", amount+" "+unit, draw.Text)
	}
	if tot.watts.count > 0 {
		watts, unit := tot.power(unbounded, true)
		add("power", watts+" "+unit, draw.Text)
	}
	if tot.hottest != nil {
		role := draw.Text
		if hot(tot.hottest) {
			role = draw.Warn
		}
		value := measured(tot.hottest, metric.Temperature, "°C")
		if t.big {
			value += " " + f.gpuName(tot.hottest)
		}
		add("hottest", value, role)
	}
	x = f.words(x, y, words...)
	if more != "" {
		f.Left(x+3, y, f.w-4-x, more, draw.Dim)
	} else if !t.big {
		f.shortLegend(x+3, y)
	}
}

// shortLegend explains the letters in what room is left of a line.
func (f *frame) shortLegend(x, y int) {
	for _, l := range cellLetters {
		text := string(l.letter) + " " + l.short
		if x+draw.Width(text) > f.w-1 {
			return
		}
		x = f.Put(x, y, text, draw.Dim) + 1
	}
}

// verdicts lists what is wrong in two columns where there is no room for sentences.
func (f *frame) verdicts(y int, t tiles) {
	findings := f.job.Findings
	half := (f.w - 2) / 2
	for i := 0; y < f.h-1 && i < len(findings); i++ {
		finding := &findings[i]
		if finding.Severity == cluster.Note {
			continue
		}
		x := 1 + i%2*half
		m := markOf(finding)
		x2 := f.Put(x, y, m.glyph+" "+draw.ClipMiddle(t.names.of(finding.Node), 8)+" ", m.role)
		words, role := wordsOf(f.snap, finding), draw.Text
		text := shortOf(words, x+half-1-x2-6) + f.age(finding, " ")
		if !finding.Holds() {
			text, role = words.Short, draw.Dim
			if draw.Width(words.Long) <= x+half-1-x2 {
				text = words.Long
			}
		}
		f.Left(x2, y, x+half-1-x2, text, role)
		if i%2 == 1 {
			y++
		}
	}
}
