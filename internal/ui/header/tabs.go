package header

import (
	"slices"
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Tabs draws the first rule of a page, with the job's nodes in it. At its ends are the marks of the nodes that do not
// fit.
func Tabs(f *part.Frame) {
	const longest = 24
	f.Rule(2)
	tabs := make([]labeled, len(f.Job.Nodes))
	for i, name := range f.Job.Nodes {
		tabs[i] = labeled{draw.ClipMiddle(name, longest), f.Health.NodeMark(name), f.Health.Rank(name),
			part.Target{Node: name}}
	}
	tabRow(f, tabs, f.NodeAt, f.W)
}

// GPUTabs draws the first rule of a page, with GPUs of the selected node in it and the node's name at its end. at is
// the place of the current GPU, -1: none.
func GPUTabs(f *part.Frame, gpus []*cluster.GPU, at int) {
	const y, longest = 2, 24
	f.Rule(y)
	name := draw.ClipMiddle(f.Node.Name, min(longest, f.W/3))
	end := f.W - 4 - draw.Width(name)
	f.Put(end, y, " "+name+" ", draw.Strong)
	tabs := make([]labeled, len(gpus))
	// if not all fit, a bare number looks like the count of hidden tabs
	for _, long := range []bool{true, false, true} {
		for i, g := range gpus {
			tabs[i] = labeled{part.GPUNumber(g), f.Health.GPUMark(f.Node.Name, g), f.Health.GPURank(f.Node.Name, g),
				part.Target{GPU: g}}
			if !long && i != at {
				tabs[i].text = part.Number(g)
			}
		}
		if all, _ := tabWidths(tabs); all <= end-4 {
			break
		}
	}
	tabRow(f, tabs, at, end)
}

// labeled is a tab: its text, the mark and rank of its node or GPU, and what the mouse chooses there.
type labeled struct {
	text string
	mark part.Mark
	rank int
	of   part.Target
}

// addTarget makes columns of the first rule lead to the node or GPU of a tab.
func (t *labeled) addTarget(f *part.Frame, y, x, to int) {
	t.of.Y, t.of.X, t.of.To = y, x, to
	f.AddTarget(t.of)
}

// tabWidths returns the width of all tabs, even if all have marks, and of the widest.
func tabWidths(tabs []labeled) (all, widest int) {
	for _, t := range tabs {
		w := draw.Width(t.text) + 6
		all, widest = all+w, max(widest, w)
	}
	return all, widest
}

// tabRow draws tabs into the first rule of a page, up to column end: the current tab and those around it. The counts of
// hidden tabs lead to the nearest of them.
func tabRow(f *part.Frame, tabs []labeled, at, end int) {
	const y, ends = 2, 12 // room for "‹1000 ✗▲ "
	n := len(tabs)
	if all, per := tabWidths(tabs); all > end-4 {
		n = min(max(1, (end-2*ends)/per), n)
	}
	from := max(0, min(at-n/2, len(tabs)-n))
	to := from + n
	x := 2
	if from > 0 {
		end := f.Pieces(x, y, countHiddenTabs(" ‹"+strconv.Itoa(from), tabs[:from])...)
		tabs[from-1].addTarget(f, y, x, end)
		x = end + 1
	}
	for i := from; i < to; i++ {
		end := drawTab(f, x, y, tabs[i].text, tabs[i].mark, i == at)
		tabs[i].addTarget(f, y, x, end)
		x = end + 1
	}
	if to < len(tabs) {
		end := f.Pieces(x, y, countHiddenTabs(" "+strconv.Itoa(len(tabs)-to)+"›", tabs[to:])...)
		tabs[to].addTarget(f, y, x, end)
	}
}

// countHiddenTabs counts the tabs that are not shown, with the marks of those in trouble.
func countHiddenTabs(count string, tabs []labeled) []part.Piece {
	pieces := []part.Piece{part.Dim(count + " ")}
	for _, severity := range []cluster.Severity{cluster.Critical, cluster.Warning} {
		if slices.ContainsFunc(tabs, func(t labeled) bool { return t.rank == int(severity) }) {
			pieces = append(pieces, part.Piece{Text: part.Marks[severity].Glyph, Role: part.Marks[severity].Role})
		}
	}
	if len(pieces) > 1 {
		pieces = append(pieces, part.Dim(" "))
	}
	return pieces
}

func drawTab(f *part.Frame, x, y int, name string, m part.Mark, current bool) int {
	role, glyphRole := draw.Dim, m.Role
	if current {
		role, glyphRole = draw.Tab, draw.Tab
	}
	x = f.Put(x, y, " "+name, role)
	if m.Glyph != "" {
		x = f.Put(x, y, " "+m.Glyph, glyphRole)
	}
	return f.Put(x, y, " ", role)
}
