package table

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/cluster/trend"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// cellOf maps the numbers that findings are about to their columns.
var cellOf = map[metric.ID]col{metric.Temperature: colTemp, metric.SMClock: colClock, metric.Power: colPower,
	metric.Util: colUtil}

// GPUs is the table of the selected node's GPUs.
type GPUs struct{ layout Layout }

// NewGPUs returns the table for the terminal and the selected node of a frame. It names the models of the GPUs only if
// there are several.
func NewGPUs(f *part.Frame) *GPUs {
	several := false
	for i := range f.Node.GPUs {
		several = several || f.Node.GPUs[i].Card.Name != f.Node.GPUs[0].Card.Name
	}
	return &GPUs{gpuLayout(f.W, several, numberWidth(f.Node), f.Columns.Node)}
}

// Head draws the headings in row y.
func (t *GPUs) Head(f *part.Frame, y int) { DrawHeadings(f, y, t.layout, gpuColumns) }

// Rows draws n GPUs from row y on, beginning with index from, and returns the row below the last.
func (t *GPUs) Rows(f *part.Frame, y, from, n int) int {
	return t.These(f, y, InOrder(f.Scene, f.GPUs(f.Node), n)[from:from+n])
}

// These draws GPUs of the node from row y on, and returns the row below the last.
func (t *GPUs) These(f *part.Frame, y int, gpus []*cluster.GPU) int {
	for _, g := range gpus {
		t.Row(f, y, g)
		y++
	}
	return y
}

// Row draws one GPU of the selected node in row y.
func (t *GPUs) Row(f *part.Frame, y int, g *cluster.GPU) { gpuRow(f, y, g, t.layout) }

// InOrder orders GPUs of the selected node for n rows. If they do not all fit, bad GPUs come first.
func InOrder(s *part.Scene, gpus []*cluster.GPU, n int) []*cluster.GPU {
	if n < len(gpus) {
		slices.SortStableFunc(gpus, func(a, b *cluster.GPU) int {
			return s.Health.GPURank(s.Node.Name, b) - s.Health.GPURank(s.Node.Name, a)
		})
	}
	return gpus
}

func gpuRow(f *part.Frame, y int, g *cluster.GPU, l Layout) {
	if tally.Absent(g) {
		m := part.Marks[cluster.Critical]
		f.Put(1, y, m.Glyph, m.Role)
		f.Number(l[colGPU], y, part.Number(g), m.Role)
		writeRank(f, y, nil, l, m.Role)
		insteadOfCells(f, y, " "+g.Lost, l)
		return
	}
	findings := f.Health.OfGPU(f.Node.Name, g)
	own := f.Job.Owns(f.Node, g)
	m := part.Mark{Role: draw.Strong}
	if len(findings) > 0 && findings[0].Severity > cluster.Note {
		m = part.Marks[findings[0].Severity]
	}
	name := draw.Dim
	if !own {
		m, name = part.Mark{Role: draw.Ghost}, draw.Ghost
	}
	f.Put(1, y, m.Glyph, m.Role)
	f.Number(l[colGPU], y, part.Number(g), m.Role)
	writeRank(f, y, tally.Rank(f.Node, g), l, name)
	f.Left(l[colName].X, y, l[colName].W, tally.ShortModel(g.Card.Name), name)
	if text := header.LostText(g, findings); text != "" {
		insteadOfCells(f, y, " "+text, l)
		return
	}
	r := gpuRoles{own: own, hot: tally.Hot(g), util: g.Float(metric.Util)}
	for _, finding := range findings {
		for _, id := range say.Cells(finding) {
			r.offending = append(r.offending, cellOf[id])
		}
	}
	gpuNumbers(f, y, g, l, r)
	spareCells(f, y, l, gpuColumns, &rows.Processes, &rows.Process{Snapshot: f.Snap, Node: f.Node, GPU: g,
		Number: g.Number, Findings: f.Health.ByNode[f.Node.Name]}, name)
	gpuFlags(f, y, g, findings, own, m.Role, l)
}

// insteadOfCells writes, in place of the cells, why a GPU has no numbers.
func insteadOfCells(f *part.Frame, y int, text string, l Layout) {
	x := cmp.Or(l[colTemp].X, l[colUtil].X, l[colGPU].X+l[colGPU].W+1)
	if f.Columns.Node != "" {
		x = BehindSubject(l[colGPU])
	}
	f.Put(x, y, draw.Clip(text, f.W-x-2)+" ", draw.CritFill)
}

// gpuRoles determines the role of each cell of a GPU.
type gpuRoles struct {
	own, hot  bool
	util      float64 // NaN: unknown
	offending []col
}

// cellRole returns the role of the cell of column k, plain if nothing is wrong.
func (r gpuRoles) cellRole(f *part.Frame, k col) draw.Role {
	switch {
	case !r.own:
		return draw.Ghost
	case slices.Contains(r.offending, k), k == colTemp && r.hot:
		return draw.Warn
	case k == colUtil:
		number, _, _ := r.levelRoles(f)
		return number
	}
	return draw.Text
}

// levelRoles returns the roles of the utilization's number, its bar and its history.
func (r gpuRoles) levelRoles(f *part.Frame) (number, bar, history draw.Role) {
	if !r.own {
		return draw.Ghost, draw.BarGhost, draw.GhostBar
	}
	if slices.Contains(r.offending, colUtil) {
		return draw.Warn, draw.BarWarn, draw.Warn
	}
	number, bar = f.Level(r.util, draw.Text, draw.BarData)
	history, _ = f.Level(r.util, draw.Cell, bar)
	return number, bar, history
}

func gpuNumbers(f *part.Frame, y int, g *cluster.GPU, l Layout, r gpuRoles) {
	for _, c := range gpuColumns {
		if c.Unit != "" {
			f.Number(l[c.Key], y, part.Measured(g, c.Shows, c.Unit), r.cellRole(f, c.Key))
		}
	}
	_, bar, history := r.levelRoles(f)
	f.Meter(l[colUtilBar], y, r.util, bar)
	f.Trend(l[colHistory], y, func(n int) []float32 { return trend.Last(g, metric.Util, n) }, history)
	alone := tally.Total([]*cluster.GPU{g})
	if sum := part.ProcessSum(f.Node.MemoryOfProcesses(g)); sum != "" {
		f.Number(l[colUsed], y, sum, r.cellRole(f, colUsed))
	} else {
		gpuMemory(f, y, &alone, l, r)
	}
	f.Number(l[colPower], y, part.Power(&alone, l[colPower].W, false).String(), r.cellRole(f, colPower))
	f.Number(l[colClock], y, clocksText(g), r.cellRole(f, colClock), part.Measured(g, metric.SMClock, ""))
}

func gpuMemory(f *part.Frame, y int, t *tally.Totals, l Layout, r gpuRoles) {
	percent, known := cluster.Percent(t.Used.Value, t.Memory.Value)
	text := part.MemorySum(t)
	if !known {
		percent, text = math.NaN(), ""
	}
	number, bar := f.MemoryLevel(percent, draw.Text, draw.BarMem)
	switch {
	case !r.own:
		number, bar = draw.Ghost, draw.BarGhost
	case percent >= tally.MemoryFull:
		number, bar = draw.Warn, draw.BarWarn
	}
	f.Meter(l[colMemBar], y, percent, bar)
	f.Number(l[colUsed], y, text, number)
}

func clocksText(g *cluster.GPU) string {
	sm, mem := part.Measured(g, metric.SMClock, ""), part.Measured(g, metric.MemClock, "")
	if sm == "" || mem == "" {
		return sm
	}
	return sm + "/" + mem
}

// gpuFlags writes the last column: problems as a few letters, or the owner of the GPU.
func gpuFlags(f *part.Frame, y int, g *cluster.GPU, findings []*cluster.Finding, own bool, role draw.Role,
	l Layout) {
	s := l[colFlags]
	if !s.Shown() {
		return
	}
	if !own {
		f.Left(s.X, y, s.W, ownerText(f, g, s.W), draw.Ghost)
		return
	}
	text, age, more := "", "", 0
	for _, finding := range findings {
		words := f.Say(finding)
		switch {
		case words.Flag == "":
		case text != "":
			more++
		default:
			text = words.Flag
			if words.AgeFlag {
				age = part.Since(finding, f.Snap.At, " ")
			}
		}
	}
	rest := ""
	if more > 0 {
		rest = " +" + strconv.Itoa(more)
	}
	if draw.Width(text+age+rest) > s.W {
		age = ""
	}
	switch {
	case text != "":
		text = wholeWords(text+age, s.W-len(rest)) + rest
	case (g.Card.MIG || g.Instance()) && !g.Values.Has(metric.Util):
		text, role = "n/a (MIG)", draw.Dim
	}
	f.Left(s.X, y, s.W, text, role)
}

// wholeWords returns the first words of a flag that fit into w columns: "NVLINK", not "NVLINK 17/…". A flag whose first
// word does not fit is cut.
func wholeWords(flag string, w int) string {
	for short := flag; ; {
		if draw.Width(short) <= w {
			return short
		}
		at := strings.LastIndexByte(short, ' ')
		if at < 0 {
			return draw.Clip(flag, w)
		}
		short = short[:at]
	}
}

// ownerText names, in w columns, the owner of a GPU that is not the job's, if it is known. The end of a job ID is never
// cut off: it is the array task.
func ownerText(f *part.Frame, g *cluster.GPU, w int) string {
	who := tally.OwnerOf(f.Snap, f.Job, f.Node, g)
	switch {
	case who.Job != "" && who.User == f.Job.User:
		return "job " + draw.ClipMiddle(who.Job, max(w-len("job "), 3))
	case who.Job != "":
		return draw.ClipMiddle(who.User+" "+who.Job, w)
	case who.User != "":
		return who.User
	case f.Node.Listed && g.Unlisted == "":
		return "free"
	}
	return "other job"
}
