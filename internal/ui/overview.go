package ui

import (
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
)

var overviewTitles = map[col]heading{
	colNode: {"NODE", "", false}, colAverage: {"AVG", "", true}, colHistory: {"UTIL HISTORY", "", false}, colMemBar: {"MEMORY", "", false},
	colUsed: {"USED/TOT GiB", "", true}, colPower: {"POWER", "", true}, colHottest: {"MAX°C", "", true}, colHealth: {"HEALTH", "", false},
}

// overviewFrame is how many rows of the overview are no nodes: rows 0 to 2, headings, rule, sum, keys.
const overviewFrame = 7

// heatMapLeast is the width of one tile, and so the least for a heat map.
const heatMapLeast = 20

// asHeatMap says whether the overview of the job is the heat map: by choice, else when the rows do not fit.
func (v *view) asHeatMap(job *cluster.JobView, w, h int) bool {
	switch {
	case w < heatMapLeast || v.grid == gridRows:
		return false
	case v.grid == gridMap:
		return true
	}
	return len(job.Nodes) > h-overviewFrame
}

// overview draws all nodes of the job.
func (f *frame) overview() {
	f.header(false)
	f.Fill(0, 2, f.w, '─', draw.Faint)
	other := "heat map"
	if f.view.asHeatMap(f.job, f.w, f.h) {
		other = "rows"
		f.heatMap()
	} else {
		f.overviewRows()
	}
	f.footer("", hint{"↑↓", "job"}, hint{"←→", "node"}, hint{"Enter", "open"}, hint{"o", "back to node"}, hint{"v", other},
		hint{"s", f.orderVerb()}, hint{"a", "only mine"}, hint{"r", "refresh"}, hint{"?", "help"}, hint{"q", "quit"})
}

func (f *frame) orderVerb() string {
	if f.view.worst {
		return "SLURM's order"
	}
	return "worst first"
}

// overviewRows draws a row a node, their sum, what is wrong, and graphs.
func (f *frame) overviewRows() {
	l := overviewLayout(f.w)
	g := f.cellGrid(f.w >= overviewNumbers)
	f.headings(3, &l, overviewTitles)
	f.cellTitles(l[colCells].x, 3, g)
	y := f.nodeRows(4, &l, g)
	f.Fill(2, y, f.w-4, '╌', draw.Faint)
	f.jobRow(y+1, &l, g)
	y = f.jobHealth(y + 2)
	f.jobGraphs(y)
}

// nodeRows draws the page of nodes that the selected one is on, and returns the row below.
func (f *frame) nodeRows(y int, l *layout, g cellGrid) int {
	nodes, more := f.page(f.order, max(f.h-overviewFrame, 1))
	for _, name := range nodes {
		f.nodeRow(y, f.nodeOf(name), l, g)
		y++
	}
	if more != "" {
		f.Left(3, y, f.w-4, more, draw.Dim)
		y++
	}
	return y
}

// page cuts the names to those that fit in room places and have the selected node among them. more says what is left out; it takes
// the last place.
func (f *frame) page(names []string, room int) (page []string, more string) {
	if len(names) <= room {
		return names, ""
	}
	room = max(room-1, 1)
	at := 0
	for i, name := range names {
		if name == f.node.Name {
			at = i
		}
	}
	from := at / room * room
	to := min(from+room, len(names))
	return names[from:to], "+" + strconv.Itoa(len(names)-(to-from)) + " more: " + strconv.Itoa(from+1) + "–" + strconv.Itoa(to) + " of " + strconv.Itoa(len(names)) + " here"
}

// nodeRow draws one node.
func (f *frame) nodeRow(y int, n *cluster.Node, l *layout, g cellGrid) {
	m := f.health.nodeMark(n.Name)
	selected := n.Name == f.node.Name
	role := draw.Text
	if selected {
		f.Put(0, y, "▸", draw.Strong)
		role = draw.Strong
	}
	f.Put(1, y, m.glyph, m.role)
	f.Left(l[colNode].x, y, l[colNode].w, f.nodeName(n.Name, l[colNode].w), role)
	f.cells(l[colCells].x, y, n, g)
	if hasNumbers(n) && len(n.GPUs) > 0 {
		f.nodeTotals(y, n, l)
		if n.State == cluster.NodeStale {
			f.FadeRow(y, l[colCells].x, f.w)
		}
		s := l[colHealth]
		f.Left(s.x, y, s.w, f.verdict(n, s.w), m.role)
	} else {
		x := l[colCells].x + l[colCells].w + 2
		if s := l[colAverage]; s.in() {
			f.Right(s.x, y, s.w, "–", draw.Dim)
			x = s.x + s.w + 2
		}
		f.Left(x, y, f.w-1-x, f.absence(n, f.w-1-x), m.role)
	}
	if selected {
		f.Select(y, 0, f.w)
	}
}

// nodeTotals writes what the job's GPUs of a node amount to.
func (f *frame) nodeTotals(y int, n *cluster.Node, l *layout) {
	gpus := f.own(nil, n)
	t := total(gpus)
	f.totals(y, gpus, t, l, draw.Text)
}

func (f *frame) totals(y int, gpus []*cluster.GPU, t totals, l *layout, role draw.Role) {
	if t.gpus == 0 {
		if s := l[colAverage]; s.in() {
			f.Right(s.x, y, s.w, "–", draw.Dim)
		}
		return
	}
	util, used, hottest := "", "", ""
	watts, unit := t.power(l[colPower].w, true)
	if t.util.count > 0 {
		util = percent(t.util.mean())
	}
	if t.used.count > 0 {
		used = draw.GiB(uint64(t.used.value)) + "/" + draw.GiB(uint64(t.total.value))
		f.bar(l[colMemBar], y, 100*t.used.value/t.total.value, draw.BarMem)
	}
	heat := role
	if t.hottest != nil {
		hottest = measured(t.hottest, metric.Temperature, "°C")
		if role == draw.Text && hot(t.hottest) {
			heat = draw.Warn
		}
	}
	f.number(l[colAverage], y, util, role)
	if s := l[colHistory]; s.in() {
		f.Spark(s.x, y, s.w, f.mean(gpus, s.w), draw.Cell)
	}
	f.number(l[colUsed], y, used, role)
	f.number(l[colPower], y, watts+unit, role)
	f.number(l[colHottest], y, hottest, heat)
}

// verdict is the worst thing of a node in the words that fit into w columns.
func (f *frame) verdict(n *cluster.Node, w int) string {
	worst := f.health.worstOf(n.Name)
	if worst == nil || worst.Severity == cluster.Note {
		if n.State == cluster.NodeStale {
			return "silent " + draw.Age(n.Age)
		}
		return ""
	}
	more := 0
	for _, f := range f.health.byNode[n.Name][1:] {
		if f.Severity > cluster.Note {
			more++
		}
	}
	sep := ", "
	if worst.Kind == cluster.KindStale { // "silent 48s"
		sep = " "
	}
	age := f.age(worst, " ")
	words := wordsOf(f.snap, worst)
	long := words.Long + f.age(worst, sep)
	rest := ""
	if more > 0 {
		rest = " +" + strconv.Itoa(more)
	}
	if draw.Width(long+rest) <= w {
		return long + rest
	}
	return draw.Clip(shortOf(words, w-len(rest)-len(age))+age, w-len(rest)) + rest
}

// absence is why a node has no numbers, in place of them.
func (f *frame) absence(n *cluster.Node, w int) string {
	text := f.verdict(n, w)
	if text == "" {
		switch {
		case n.Failure != nil:
			text = n.Failure.Summary()
		case n.State == cluster.NodeConnecting:
			text = "connecting"
		default:
			text = "no GPU"
		}
	}
	if next := f.retry(n); next != "" && n.State == cluster.NodeFailed && draw.Width(text)+2+len(next) <= w {
		text += ", " + next
	}
	return text
}

// jobRow draws the sum over all nodes that stream.
func (f *frame) jobRow(y int, l *layout, g cellGrid) {
	gpus := f.streamingGPUs()
	t := total(gpus)
	f.Put(l[colNode].x, y, "JOB", draw.Strong)
	seen := strconv.Itoa(t.gpus) + " of " + strconv.Itoa(max(f.job.GPUs, t.gpus))
	if g.numbers {
		seen += " GPUs"
	}
	f.Left(l[colCells].x, y, l[colCells].w, seen, draw.Dim)
	f.totals(y, gpus, t, l, draw.Strong)
}

// streamingGPUs are the job's GPUs with fresh numbers.
func (f *frame) streamingGPUs() []*cluster.GPU {
	gpus := make([]*cluster.GPU, 0, max(f.job.GPUs, 8))
	for _, name := range f.job.Nodes {
		if n := f.nodeOf(name); n.State == cluster.NodeStreaming {
			gpus = f.own(gpus, n)
		}
	}
	return gpus
}

// graphRoom is how many rows the health section leaves to the graphs in a tall terminal.
const graphRoom = 12

// jobHealth draws what is wrong in the whole job and returns the row below.
func (f *frame) jobHealth(y int) int {
	all := f.listed("")
	if len(all) == 0 || y+2 > f.h-1 {
		return y
	}
	y++
	end := f.h - 1
	if f.h >= 40 && end-y > graphRoom+4 {
		end -= graphRoom
	}
	f.section(y, "Health", strconv.Itoa(len(all))+", worst first")
	return f.sentences(y+1, end, all)
}

// gpuName names a GPU of the job: "gpu-n02 GPU3".
func (f *frame) gpuName(g *cluster.GPU) string {
	for _, name := range f.job.Nodes {
		n := f.nodeOf(name)
		for i := range n.GPUs {
			if &n.GPUs[i] == g {
				return name + " GPU" + strconv.Itoa(g.Number)
			}
		}
	}
	return "GPU" + strconv.Itoa(g.Number)
}
