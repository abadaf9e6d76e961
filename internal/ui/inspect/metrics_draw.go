package inspect

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Draw draws the metrics over the page.
func (m *Metrics) Draw(f *part.Frame) {
	f.Clear()
	header.Draw(f, false)
	f.Section(ruleRow, m.titleText(), "")
	if text, role := m.statusText(f); text != "" {
		if x := f.W - 4 - draw.Width(text); x > 10 {
			f.Put(x, ruleRow, " "+text+" ", role)
		}
	}
	y := m.drawFacts(f, ruleRow+1, 1)
	m.drawGraphs(f, y)
	footer.Draw(f, "", m.footerHints(f.Scene)...)
}

// titleText is "Process gpu-n02:358811  rank 11  alice".
func (m *Metrics) titleText() string {
	text := "Process " + nodeAndPID(&m.target)
	for _, more := range []string{rankOf(&m.target), m.target.User} {
		if more != "" {
			text += "  " + more
		}
	}
	return text
}

// statusText says why the numbers are old, or that there are none.
func (m *Metrics) statusText(f *part.Frame) (string, draw.Role) {
	n := f.NodeOf(m.target.Node)
	switch {
	case m.hasExited():
		return "has exited, last seen " + draw.Age(f.Snap.At.Sub(m.gone)) + " ago", draw.Warn
	case m.last == nil && !m.gone.IsZero():
		return "on no GPU: only processes on GPUs are measured", draw.Dim
	case n.State != cluster.NodeReporting:
		return "node not responding: last values", draw.Warn
	case m.last == nil:
		return "waiting for the list of processes", draw.Dim
	}
	return "", draw.Dim
}

// drawGraphs draws the past from row y on.
func (m *Metrics) drawGraphs(f *part.Frame, y int) {
	if m.last == nil {
		return
	}
	sheet := m.pastCharts()
	rows := f.H - 1 - y
	if f.H >= part.Tall {
		f.Section(y+1, sheet.Title(), m.graphSource(f.W))
		y, rows = y+2, rows-3
	}
	sheet.Draw(f, y, rows)
}

// graphSource names the source of the graphs.
func (m *Metrics) graphSource(w int) string {
	before := "before " + m.opened.Format(time.TimeOnly) + " all of " + m.alone
	switch {
	case m.alone == "":
		return "since this page was opened"
	case w < 100:
		return before
	}
	return before + ", where this is the only process"
}

const gib = 1 << 30

// footerHints are the keys of the footer. The caller adds the keys that act on a process.
func (m *Metrics) footerHints(s *part.Scene) []keys.Hint {
	hints := footer.MouseOff(s, keys.HintOf(keys.Mouse))
	if footer.WhyNoEffect(s, keys.NeedsProcess) == "" {
		hints = append(hints, keys.HintOf(keys.Environ))
	}
	hints = append(hints, keys.HintOf(keys.Inspect))
	if footer.WhyNoEffect(s, keys.NeedsSignals|keys.NeedsProcess) == "" {
		hints = append(hints, keys.HintOf(keys.SignalTerm), keys.HintOf(keys.SignalAny))
	}
	return append(hints, keys.HintOf(keys.CopyMenu), keys.HintOf(keys.Refresh), keys.HintOf(keys.LeaveMetrics),
		keys.HintOf(keys.Help))
}
