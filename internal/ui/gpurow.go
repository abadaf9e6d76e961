package ui

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

var nodeTitles = map[col]heading{
	colGPU: {"GPU", "", true}, colName: {"Name", "", false}, colTemp: {"Temp", "", true}, colUtilBar: {"Utilization", "Util", false},
	colUtil: {"%", "", true}, colMemBar: {"Memory", "", false}, colUsed: {"Used/Tot MiB", "", true}, colPower: {"Power", "", true},
	colClock: {"SM/MemMHz", "", true}, colBandwidth: {"%MBW", "", true}, colHistory: {"Util History", "History", false}, colFlags: {"Flags", "", false},
}

// at which cells a kind of finding points
var offends = map[cluster.Kind][]col{
	cluster.KindThermal:    {colTemp, colClock},
	cluster.KindPowerBrake: {colPower, colClock},
	cluster.KindSlowdown:   {colClock},
}

// memoryFull is the percentage from which the level of the memory is worth a look. Below it allocators fill it on purpose.
const memoryFull = 98

// Without the driver's own threshold, a GPU is hot from hotUnknown °C; with it, from hotMargin below.
const (
	hotUnknown = 85
	hotMargin  = 2
)

// hot says that a GPU is about to be slowed by its heat, or is.
func hot(g *cluster.GPU) bool {
	celsius, known := g.Get(metric.Temperature)
	slowdown, told := g.Get(metric.Slowdown)
	throttle, _ := g.Get(metric.Throttle)
	switch {
	case !known:
		return false
	case told && celsius >= slowdown-hotMargin:
		return true
	case uint64(throttle)&(wire.ThrottleHWThermal|wire.ThrottleSWThermal) != 0:
		return true
	}
	return !told && celsius >= hotUnknown
}

func lost(g *cluster.GPU) string {
	if g.Lost != "" {
		return g.Lost
	}
	return g.Card.Lost
}

// gpuRows draws the GPUs from row y up to row end and returns the row below the last. Where not all fit the bad ones come first.
func (f *frame) gpuRows(y, end int, l *layout) int {
	gpus := f.gpus(f.node)
	room := max(end-y, 0)
	more := 0
	if len(gpus) > room {
		slices.SortStableFunc(gpus, func(a, b *cluster.GPU) int { return f.gpuRank(b) - f.gpuRank(a) })
		if f.h >= small {
			room = max(room-1, 0)
			more = len(gpus) - room
		}
		gpus = gpus[:min(room, len(gpus))]
	}
	for _, g := range gpus {
		f.gpuRow(y, g, l)
		y++
	}
	if more > 0 && y < end {
		f.Put(2, y, "+"+strconv.Itoa(more)+" more", draw.Dim)
		y++
	}
	return y
}

func (f *frame) gpuRank(g *cluster.GPU) int {
	rank := -1
	for _, finding := range f.health.ofGPU(f.node.Name, g.Number) {
		rank = max(rank, int(finding.Severity))
	}
	return rank
}

// gpuRow draws one GPU.
func (f *frame) gpuRow(y int, g *cluster.GPU, l *layout) {
	findings := f.health.ofGPU(f.node.Name, g.Number)
	own := f.owns(f.node, g)
	m := mark{role: draw.Strong}
	if len(findings) > 0 && findings[0].Severity > cluster.Note {
		m = marks[findings[0].Severity]
	}
	if !own {
		m = mark{role: draw.Ghost}
	}
	f.Put(1, y, m.glyph, m.role)
	f.number(l[colGPU], y, strconv.Itoa(g.Number), m.role)
	f.Left(l[colName].x, y, l[colName].w, shortModel(g.Card.Name), dimOr(own))
	if words := lost(g); words != "" {
		f.lostRow(y, words, findings, l)
		return
	}
	r := gpuRoles{own: own, classic: f.view.classic, util: g.Float(metric.Util)}
	for _, finding := range findings {
		r.offending = append(r.offending, offends[finding.Kind]...)
	}
	f.gpuNumbers(y, g, l, r)
	f.gpuFlags(y, g, findings, own, m.role, l)
}

func dimOr(own bool) draw.Role {
	if own {
		return draw.Dim
	}
	return draw.Ghost
}

// lostRow says in place of the cells that the GPU is lost: no old number stays.
func (f *frame) lostRow(y int, words string, findings []*cluster.Finding, l *layout) {
	text := " " + words
	if !strings.Contains(strings.ToLower(words), "lost") {
		text = " the GPU is lost: " + words
	}
	if len(findings) > 0 && !findings[0].Since.IsZero() {
		text += ", since " + findings[0].Since.Format(time.TimeOnly)
	}
	x := l[colGPU].x + l[colGPU].w + 1
	for _, k := range []col{colTemp, colUtil} {
		if l[k].in() {
			x = l[k].x
			break
		}
	}
	f.Put(x, y, draw.Clip(text, f.w-x-2)+" ", draw.CritFill)
}

// gpuRoles says which role each cell of a GPU has.
type gpuRoles struct {
	own, classic bool
	util         float64 // NaN: not known
	offending    []col
}

// of is the role of the cell of column k, plain when nothing is the matter.
func (r gpuRoles) of(k col, plain draw.Role) draw.Role {
	switch {
	case !r.own:
		return draw.Ghost
	case slices.Contains(r.offending, k):
		return draw.Warn
	}
	return plain
}

// The thresholds of the classic colours.
const (
	classicYellow = 60
	classicRed    = 85
)

// level is the role of the utilisation's number, its bar and its history.
func (r gpuRoles) level() (number, bar, history draw.Role) {
	switch {
	case !r.own:
		return draw.Ghost, draw.BarGhost, draw.GhostBar
	case r.classic && r.util == r.util:
		switch {
		case r.util < classicYellow:
			return draw.Green, draw.BarGreen, draw.Dim
		case r.util < classicRed:
			return draw.Yellow, draw.BarYellow, draw.Dim
		}
		return draw.Red, draw.BarRed, draw.Dim
	case slices.Contains(r.offending, colUtil):
		return draw.Warn, draw.BarWarn, draw.Warn
	}
	return draw.Text, draw.BarData, draw.Cell
}

func (f *frame) gpuNumbers(y int, g *cluster.GPU, l *layout, r gpuRoles) {
	number, bar, history := r.level()
	temp := r.of(colTemp, draw.Text)
	if r.own && hot(g) {
		temp = draw.Warn
	}
	f.number(l[colTemp], y, measured(g, metric.Temperature, "°C"), temp)
	f.bar(l[colUtilBar], y, g.Float(metric.Util), bar)
	f.number(l[colUtil], y, measured(g, metric.Util, "%"), number)
	f.gpuMemory(y, g, l, r)
	f.number(l[colPower], y, power(g), r.of(colPower, draw.Text), total([]*cluster.GPU{g}).kilowatts())
	f.number(l[colClock], y, clocks(g), r.of(colClock, draw.Text), measured(g, metric.SMClock, ""))
	f.number(l[colBandwidth], y, measured(g, metric.MemUtil, "%"), r.of(colBandwidth, draw.Text))
	if s := l[colHistory]; s.in() {
		f.Spark(s.x, y, s.w, f.tail(g, metric.Util, edge(g), s.w), history)
	}
}

func (f *frame) gpuMemory(y int, g *cluster.GPU, l *layout, r gpuRoles) {
	used, total := g.Float(metric.MemoryUsed), g.Float(metric.MemoryTotal)
	percent, known := cluster.Percent(used, total)
	bar, number := draw.BarMem, draw.Text
	switch {
	case !r.own:
		bar, number = draw.BarGhost, draw.Ghost
	case percent >= memoryFull:
		bar, number = draw.BarWarn, draw.Warn
	}
	text := ""
	if known {
		text = draw.MiB(uint64(used)) + "/" + draw.MiB(uint64(total))
	} else {
		percent = math.NaN()
	}
	f.bar(l[colMemBar], y, percent, bar)
	f.number(l[colUsed], y, text, number)
}

// bar draws a bar in a column that may not have come in.
func (f *frame) bar(s span, y int, percent float64, role draw.Role) {
	if s.in() {
		f.Bar(s.x, y, s.w, percent, role)
	}
}

// measured is a number of a GPU, whole; "" when it is not known.
func measured(g *cluster.GPU, id metric.ID, unit string) string {
	v, known := g.Get(id)
	if !known {
		return ""
	}
	return draw.Whole(v) + unit
}

func power(g *cluster.GPU) string {
	watts, limit := measured(g, metric.Power, ""), measured(g, metric.PowerLimit, "")
	switch {
	case watts == "":
		return ""
	case limit == "":
		return watts + "W"
	}
	return watts + "/" + limit + "W"
}

func clocks(g *cluster.GPU) string {
	sm, mem := measured(g, metric.SMClock, ""), measured(g, metric.MemClock, "")
	if sm == "" || mem == "" {
		return sm
	}
	return sm + "/" + mem
}

// gpuFlags writes the last column: what is wrong in the fewest letters, or whose the GPU is.
func (f *frame) gpuFlags(y int, g *cluster.GPU, findings []*cluster.Finding, own bool, role draw.Role, l *layout) {
	s := l[colFlags]
	if !s.in() {
		return
	}
	if !own {
		f.Left(s.x, y, s.w, f.owner(g), draw.Ghost)
		return
	}
	text, age, more := "", "", 0
	for _, finding := range findings {
		words := wordsOf(f.snap, finding)
		switch {
		case words.Flag == "":
		case text != "":
			more++
		default:
			text = words.Flag
			if words.AgeFlag {
				age = since(finding, f.snap.At, " ")
			}
		}
	}
	rest := ""
	if more > 0 {
		rest = " +" + strconv.Itoa(more)
	}
	if draw.Width(text+age+rest) > s.w {
		age = ""
	}
	switch {
	case text != "":
		text = draw.Clip(text+age, s.w-len(rest)) + rest
	case g.Card.MIG && !g.Values.Has(metric.Util):
		text, role = "n/a (MIG)", draw.Dim
	}
	f.Left(s.x, y, s.w, text, role)
}

// owner says whose a GPU is that is not the job's, as far as it is known.
func (f *frame) owner(g *cluster.GPU) string {
	for i := range f.snap.Jobs {
		j := &f.snap.Jobs[i]
		if j.ID == f.job.ID {
			continue
		}
		if minors := j.Minors[f.node.Name]; slices.Contains(minors, g.Number) {
			return j.User + " " + j.ID
		}
	}
	for i := range f.node.Processes {
		if p := &f.node.Processes[i]; p.GPU == g.Index && p.User != "" {
			if p.Job != "" {
				return p.User + " " + p.Job
			}
			return p.User
		}
	}
	if f.node.Listed {
		return "free"
	}
	return "not this job's"
}
