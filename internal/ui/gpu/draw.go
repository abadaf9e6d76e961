package gpu

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/graph"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/node"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

// Draw draws the page.
func (p *Page) Draw(f *part.Frame) {
	if !tally.Shows(f.Node) {
		p.connection.Draw(f)
		return
	}
	header.DrawGPU(f)
	r := newRooms(f.Scene, p.chosenGPU(f.Scene))
	list := gpusOf(f.Scene)
	at := p.indexOfChosen(list)
	if f.H >= part.Small {
		header.GPUTabs(f, list, at)
	}
	switch {
	case len(list) == 0:
		table.NoGPUs(f, r.head)
	case at < 0:
		p.gone(f, r.head)
	case tally.Absent(list[at]):
		f.Put(1, r.head, draw.Clip(" ✗ "+list[at].Lost+" ", f.W-2), draw.CritFill)
	default:
		p.drawBody(f, list[at], r)
	}
	footer.Draw(f, "", p.footerHints(f.Scene, len(list))...)
}

func (p *Page) footerHints(s *part.Scene, gpus int) []keys.Hint {
	var hints []keys.Hint
	if gpus > 1 {
		hints = append(hints, keys.NextGPU)
	}
	if len(s.Job.Nodes) > 1 {
		hints = append(hints, keys.NodeDown)
	}
	return slices.Concat(footer.MouseHints(s), hints, footer.CommonHints(s, s.Node.Name),
		footer.LastHints)
}

// gone says that the driver no longer lists the chosen GPU.
func (p *Page) gone(f *part.Frame, y int) {
	name := "GPU " + draw.ClipMiddle(p.gpu.key, 24)
	if p.gpu.number != cluster.NoNumber {
		name = "GPU" + strconv.Itoa(p.gpu.number) + " (" + draw.ClipMiddle(p.gpu.key, 24) + ")"
	}
	f.Put(1, y, draw.Clip(" ✗ "+name+" is no longer listed ", f.W-2), draw.CritFill)
	f.Left(1, y+1, f.W-2, "→ "+f.KeyName(keys.NextGPU.Key)+" show the other GPUs of "+f.Node.Name, draw.Dim)
}

// drawBody draws the parts of the page one below the other. The numbers of a node that does not respond are faded.
func (p *Page) drawBody(f *part.Frame, g *cluster.GPU, r rooms) {
	y := r.head
	fade := func(rows int) {
		for row := y; row < y+rows && tally.Old(f.Node); row++ {
			f.Fade(row, 0, f.W)
		}
		y += rows
	}
	if r.identity > 0 {
		drawIdentity(f, y, g)
	}
	if r.identity > 1 {
		drawDetails(f, y+1, g)
	}
	fade(r.identity)
	staleTag(f, r.head)
	drawFindings(f, y, y+r.findings, g)
	y += r.findings
	charts := graph.NewGPUCharts(f, g)
	if r.title > 0 {
		graphTitle(f, y, g, &charts)
		y++
	}
	charts.Draw(f, y, r.graphs)
	fade(r.graphs)
	if r.memory > 0 {
		drawMemory(f, y, g)
	}
	fade(r.memory)
	if r.engines > 0 {
		graph.Engines(f, y, g)
	}
	fade(r.engines)
	drawThrottle(f, y, r.throttle, g)
	fade(r.throttle)
	drawLinks(f, y, r.links, g)
	fade(r.links)
	p.drawProcesses(f, y, g, r)
	fade(r.processes)
}

// dotted is the line of the median in a graph.
const dotted = "┄"

// drawMemory draws how nearly full the memory of the GPU is, and the memory of the job on its node.
func drawMemory(f *part.Frame, y int, g *cluster.GPU) {
	l := facts{f: f, x: 1, y: y}
	l.addPieces(part.MemoryOf(g)...)
	l.addPieces(part.HostMemoryOf(f.Scene, f.Node)...)
}

// staleTag draws the age of old numbers at the end of the first row.
func staleTag(f *part.Frame, y int) {
	if tag, role := node.OldTag(f.Node); tag != "" {
		f.Put(f.W-2-draw.Width(tag), y, " "+tag, role)
	}
}

// graphTitle draws the rule above the graphs: the time that they show, when a problem began, and the features that the
// GPU lacks.
func graphTitle(f *part.Frame, y int, g *cluster.GPU, charts *graph.GPUCharts) {
	title := charts.Title()
	if charts.Compared() {
		title += ", " + dotted + " median of the job"
	}
	f.Section(y, title, "")
	if since := charts.Since(); since != nil {
		m, text := part.MarkOf(since), "since "
		if since.Before {
			text = "before "
		}
		text = m.Glyph + " " + text + since.Since.Format(time.TimeOnly)
		f.Put(draw.Width(title)+5, y, " "+text+" ", m.Role)
		title += "   " + text
	}
	missing := ""
	if tally.Lost(g) == "" {
		missing = graph.Missing(g)
	}
	if room := f.W - draw.Width(title) - 14; missing != "" && room >= 12 {
		missing = draw.Clip(missing, room)
		f.Put(f.W-4-draw.Width(missing), y, " "+missing+" ", draw.Dim)
	}
}

// findingsOf returns the problems of a GPU, and the problems of its node that make the GPU's numbers old.
func findingsOf(f *part.Frame, g *cluster.GPU) []cluster.Finding {
	return slices.DeleteFunc(f.Health.Listed(f.Node.Name), func(finding cluster.Finding) bool {
		return !finding.Of(g) && finding.Kind != cluster.KindStale && finding.Kind != cluster.KindFailed
	})
}

// drawFindings draws the problems of a GPU from row y up to row end. The loss of a GPU comes first.
func drawFindings(f *part.Frame, y, end int, g *cluster.GPU) {
	findings := findingsOf(f, g)
	if y >= end {
		return
	}
	if text := header.LostText(g, f.Health.OfGPU(f.Node.Name, g)); text != "" {
		x := f.Put(1, y, draw.Clip(" ✗ "+text+" ", f.W-2), draw.CritFill)
		if len(findings) > 0 {
			lostHint(f, x+2, y, end, "→ "+f.Say(&findings[0]).Hint)
		}
		return
	}
	if len(findings) == 0 {
		f.Left(3, y, f.W-4, noFinding(f, g), draw.Dim)
		return
	}
	header.DrawSentencesHere(f, y, end, findings)
}

// lostHint draws a hint on the line below the sentence, or else after it from column x, if it fits there without being
// cut.
func lostHint(f *part.Frame, x, y, end int, hint string) {
	if lines := draw.Wrap(hint, f.W-4, "  "); y+1+len(lines) <= end {
		for i, text := range lines {
			f.Left(3, y+1+i, f.W-4, text, draw.Dim)
		}
		return
	}
	if f.W-1-x < 20 {
		return
	}
	first := draw.Wrap(hint, f.W-1-x, "")[0]
	lines := draw.Wrap(strings.TrimSpace(strings.TrimPrefix(hint, first)), f.W-6, "")
	if first == hint {
		lines = nil
	}
	if y+1+len(lines) > end {
		return
	}
	f.Left(x, y, f.W-1-x, first, draw.Dim)
	for i, text := range lines {
		f.Left(5, y+1+i, f.W-6, text, draw.Dim)
	}
}

// noFinding is the text in place of problems.
func noFinding(f *part.Frame, g *cluster.GPU) string {
	switch {
	case g.Awaited():
		return "· waiting for the first values"
	case !f.Job.Owns(f.Node, g):
		return "not a GPU of this job"
	}
	return "no problems"
}

// drawThrottle draws when the clocks were reduced, and why.
func drawThrottle(f *part.Frame, y, rows int, g *cluster.GPU) {
	if rows < 2 {
		return
	}
	t := graph.NewTimeline(f, g)
	f.Section(y, "Throttle reasons", t.Title())
	t.Draw(f, y+1, rows-1)
}

func (p *Page) drawProcesses(f *part.Frame, y int, g *cluster.GPU, r rooms) {
	if r.processes == 0 {
		return
	}
	list, w := processesOf(f.Scene, g), p.processWindow(f.Scene, r)
	count := ""
	if len(list) > 0 {
		count = part.Plural(len(list), "process", "processes")
	}
	if !p.pane {
		count = strings.TrimSpace(count + "  " + w.Where())
	}
	f.Section(y, "Processes", count)
	if len(list) == 0 {
		f.Left(2, y+1, f.W-3, part.NoProcessesOn(f, g), draw.Dim)
		return
	}
	t := table.NewProcesses(f)
	t.Head(f, y+1)
	t.Rows(f, y+2, list[w.From:w.From+w.Shown])
}
