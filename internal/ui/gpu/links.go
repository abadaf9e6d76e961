package gpu

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// linkColumns are the columns of the state of a link, its two rates and its errors.
type linkColumns struct{ state, rx, tx, errors int }

func columnsOf(f *part.Frame) linkColumns {
	if f.W < 100 {
		return linkColumns{9, 30, 43, 56}
	}
	return linkColumns{9, 32, 47, 62}
}

// rateWide is the width of a rate: "101 GB/s".
const rateWide = 9

// drawLinks draws PCIe, NVLink, memory errors and Xids in this many rows, with a title.
func drawLinks(f *part.Frame, y, rows int, g *cluster.GPU) {
	if rows < 2 {
		return
	}
	f.Section(y, "Links and errors", "")
	for i, row := range []func(f *part.Frame, y int, g *cluster.GPU){pcieRow, nvlinkRow, eccRow} {
		if i < rows-1 {
			row(f, y+1+i, g)
		}
	}
	if rows > 4 {
		xidRows(f, y+4, rows-4, g)
	}
}

// linkRow draws a row: the name of a link, its state, and its rates.
func linkRow(f *part.Frame, y int, g *cluster.GPU, name, state string, rx, tx metric.ID, bad cluster.Kind) facts {
	c := columnsOf(f)
	f.Put(1, y, name, draw.Dim)
	role := draw.Text
	if state == "" {
		state, role = unknownText(g, rx), draw.Dim
	}
	if slices.ContainsFunc(f.Health.OfGPU(f.Node.Name, g), func(f *cluster.Finding) bool { return f.Kind == bad }) {
		role = draw.Warn
	}
	f.Left(c.state, y, c.rx-c.state-1, state, role)
	for _, way := range []struct {
		x, next int
		label   string
		id      metric.ID
	}{{c.rx, c.tx, "rx", rx}, {c.tx, c.errors, "tx", tx}} {
		if way.x+2+rateWide > f.W-1 {
			break
		}
		f.Put(way.x, y, way.label, draw.Dim)
		text, role := part.Rate(g.Float(way.id)), draw.Text
		if text == "" {
			text, role = "–", draw.Dim
		}
		f.Right(way.x+2, y, rateWide, text, role)
	}
	return facts{f: f, x: c.errors, y: y}
}

// unknownText stands in place of a value that the GPU does not give: "n/a", with the reason if it is known.
func unknownText(g *cluster.GPU, id metric.ID) string {
	switch why := part.WhyAbsent(g, id); {
	case tally.Lost(g) != "" || g.HangsMS > 0:
		return "–"
	case why != "":
		return "n/a (" + why + ")"
	}
	return "n/a"
}

func pcieRow(f *part.Frame, y int, g *cluster.GPU) {
	l := linkRow(f, y, g, "PCIe", pcieState(g), metric.PCIeRX, metric.PCIeTX, cluster.KindPCIe)
	l.addCounter("replays", g, metric.PCIeReplays)
}

// addCounter draws a counter, and its increase since nvnodetop started watching.
func (l *facts) addCounter(label string, g *cluster.GPU, id metric.ID) {
	text := part.Measured(g, id, "")
	if grown, _ := g.Grown(id); grown > 0 {
		text += " (" + draw.Whole(grown) + " new)"
	}
	l.addFact(label, text)
}

// pcieState is "gen4 x16 of gen5 x16".
func pcieState(g *cluster.GPU) string {
	link := func(gen, width metric.ID) string {
		if g, w := part.Measured(g, gen, ""), part.Measured(g, width, ""); g != "" && w != "" {
			return "gen" + g + " x" + w
		}
		return ""
	}
	now, most := link(metric.PCIeGen, metric.PCIeWidth), link(metric.PCIeGenMax, metric.PCIeWidthMax)
	if now != "" && most != "" {
		now += " of " + most
	}
	return now
}

func nvlinkRow(f *part.Frame, y int, g *cluster.GPU) {
	l := linkRow(f, y, g, "NVLink", nvlinkState(g), metric.NVLinkRX, metric.NVLinkTX, cluster.KindNVLinkDown)
	l.addCounter("CRC errors", g, metric.NVLinkCRC)
	l.addCounter("replays", g, metric.NVLinkReplays)
	l.addCounter("recoveries", g, metric.NVLinkRecoveries)
}

// nvlinkState is "17/18 up".
func nvlinkState(g *cluster.GPU) string {
	up, known := g.Get(metric.NVLinkUp)
	links, total := g.Get(metric.NVLinks)
	switch {
	case !known:
		return ""
	case g.Card.MIG:
		return "none in MIG mode"
	case total && links == 0:
		return "no links"
	case !total:
		return strconv.Itoa(bits.OnesCount64(uint64(up))) + " up"
	}
	return strconv.Itoa(bits.OnesCount64(uint64(up))) + "/" + draw.Whole(links) + " up"
}

// eccRow draws the memory errors and their consequences. The worst comes first, so that it is not cut off.
func eccRow(f *part.Frame, y int, g *cluster.GPU) {
	l := facts{f: f, x: columnsOf(f).state, y: y}
	f.Put(1, y, "ECC", draw.Dim)
	if mode := onOff(g, metric.ECCMode); mode == "off" || part.Lacks(g, metric.ECCUncorrected) {
		l.addPieces(part.Dim(map[bool]string{true: "off", false: unknownText(g, metric.ECCUncorrected)}[mode == "off"]))
	} else {
		errorCount(&l, g, "uncorrected", metric.ECCUncorrected, metric.ECCUncorrectedAggregate, true)
		errorCount(&l, g, "corrected", metric.ECCCorrected, metric.ECCCorrectedAggregate, false)
	}
	for _, flag := range []struct {
		id   metric.ID
		text string
	}{{metric.RemapFailed, "row remapping failed"}, {metric.RemapPending, "rows to be remapped"},
		{metric.RetiredPending, "pages to be retired"}} {
		if v, _ := g.Get(flag.id); v > 0 {
			l.addPieces(part.Piece{Text: flag.text, Role: draw.Warn})
		}
	}
	l.addFact("remapped rows", sumOfCounts(g, metric.RemappedCorrectable, metric.RemappedUncorrectable))
	l.addFact("retired pages", sumOfCounts(g, metric.RetiredCorrectable, metric.RetiredUncorrectable))
}

// errorCount draws the number of errors since the driver was loaded, and over the life of the GPU.
func errorCount(l *facts, g *cluster.GPU, label string, now, ever metric.ID, bad bool) {
	count, known := g.Get(now)
	text, role := unknownText(g, now), draw.Dim
	if known {
		text, role = draw.Whole(count), draw.Text
	}
	if bad && count > 0 {
		role = draw.Warn
	}
	pieces := []part.Piece{part.Dim(label + " "), {Text: text, Role: role}}
	if total := part.Measured(g, ever, ""); total != "" {
		pieces = append(pieces, part.Dim(" ("+total+" ever)"))
	}
	l.addPieces(pieces...)
}

// sumOfCounts is the sum of two counts, or the only known one.
func sumOfCounts(g *cluster.GPU, a, b metric.ID) string {
	total, any := 0.0, false
	for _, id := range []metric.ID{a, b} {
		if v, known := g.Get(id); known {
			total, any = total+v, true
		}
	}
	if !any {
		return ""
	}
	return draw.Whole(total)
}

// xidRows draws the driver's newest events about the GPU.
func xidRows(f *part.Frame, y, rows int, g *cluster.GPU) {
	f.Put(1, y, "Xid", draw.Dim)
	x := columnsOf(f).state
	xids := slices.DeleteFunc(slices.Clone(f.Node.Xids), func(x cluster.Xid) bool { return x.Key != g.Key })
	slices.Reverse(xids)
	if why := part.WhyNot(g, wire.AbsentXids); len(xids) == 0 && why != "" {
		f.Left(x, y, f.W-1-x, "n/a ("+why+")", draw.Dim)
	} else if len(xids) == 0 {
		f.Put(x, y, "none seen", draw.Dim)
	}
	for i, xid := range xids[:min(len(xids), rows)] {
		l := facts{f: f, x: x, y: y + i}
		l.addPieces(part.Dim(xid.At.Format(time.TimeOnly)))
		l.addPieces(part.Piece{Text: strconv.FormatUint(xid.Code, 10), Role: draw.Warn})
		l.addPieces(part.Text(draw.Clip(header.XidName(xid), max(f.W-1-l.x, 0))))
		if i == rows-1 {
			l.addEarlierXids(xids[i+1:])
		}
	}
}

// addEarlierXids lists the codes of events that have no row: "48, 63".
func (l *facts) addEarlierXids(xids []cluster.Xid) {
	var codes []string
	for _, xid := range xids {
		if code := strconv.FormatUint(xid.Code, 10); !slices.Contains(codes, code) {
			codes = append(codes, code)
		}
	}
	l.addFact("earlier", strings.Join(codes, ", "))
}
