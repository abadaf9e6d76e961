package process

import (
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/list"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

// Draw draws the page.
func (p *Page) Draw(f *part.Frame) {
	header.Draw(f, false)
	f.Rule(firstRow)
	p.drawBody(p.Split(f))
	switch {
	case p.Filter.Typing(everyJob):
		v := p.View(f.Scene)
		p.Filter.Draw(f, v.Len(), v.All)
	case p.asked:
		footer.Choices(f, "", sortHints(p.Words)...)
	default:
		footer.Draw(f, "", p.footerHints(f.Scene)...)
	}
	p.over.drawAll(f)
}

// drawBody draws the GPUs or nodes of the scope, and its processes.
func (p *Page) drawBody(f *part.Frame) {
	l, v, r := p.scope.currentListing(f.Scene), p.View(f.Scene),
		p.mode.divideScreen(f.Scene, p.scope.effectiveScope(f.Scene))
	p.scope.drawAbove(f, r)
	p.drawTitle(f, r, v)
	switch {
	case v.Len() > 0:
		w := p.Window(f.Scene)
		p.Body(f, r.top-1)
		table.ScrollBar(f, r.top, f.H-1-p.Filter.Rows(everyJob), w.From, w.Shown, w.All)
	case v.All > 0:
		f.Left(2, r.top-1, f.W-3, p.Filter.None(everyJob, "processes", f.W-3), draw.Text)
	case len(f.Only) > 0 && l.listed == l.nodes:
		f.Left(2, r.top-1, f.W-3, "no processes on the GPUs of --only: "+strings.Join(f.Only, ", "), draw.Dim)
	default:
		text, role := p.scope.whyEmpty(f)
		f.Left(2, r.top-1, f.W-3, text, role)
	}
}

// tagged is the table of the processes with their tags.
type tagged struct {
	*table.ProcessList
	page *Page
}

// Head implements list.Table. A tree has no sort column.
func (t tagged) Head(f *part.Frame, y int, by string, down bool) {
	if t.page.kin.tree {
		by = ""
	}
	t.ProcessList.Head(f, y, by, down)
}

// Row implements list.Table.
func (t tagged) Row(f *part.Frame, y int, r *table.ProcessRow, selected bool) {
	t.ProcessList.Row(f, y, r, selected, t.page.tags.hasTag(keyOf(r)))
}

// processTable returns the table for the terminal and the scope.
func (p *Page) processTable(f *part.Frame, _ *view) list.Table[table.ProcessRow] {
	scope := p.scope.effectiveScope(f.Scene)
	listOf := table.NewProcessList
	if p.kin.tree {
		listOf = table.NewProcessTree
	}
	return tagged{listOf(f.W, nodesOf(f.Scene, scope), scope >= OfJobs, p.across, f.Columns.Processes), p}
}

// footerHints are the keys of the footer, the most useful first.
func (p *Page) footerHints(s *part.Scene) []keys.Hint {
	hints := footer.MouseOff(s, keys.HintOf(keys.Mouse))
	if p.Nvitop {
		hints = footer.MouseOff(s, keys.HintOf(keys.FreeMouse))
	}
	some := p.View(s).Len() > 0
	if some {
		hints = append(hints, keys.HintOf(keys.Metrics).As("open"))
	}
	filter, sort := keys.HintOf(keys.FilterRows), keys.HintOf(keys.SortBy).As("sort: "+p.Words(p.Sorted.By))
	if p.Nvitop {
		filter, sort = filter.At("F"), sort.At("o")
	}
	switch back := keys.HintOf(keys.Back); {
	case p.tags.shown > 0:
		hints = append(hints, back.As("clear tags"))
	case p.Filter.On(everyJob):
		hints = append(hints, back.As("clear filter"))
	}
	if !p.Nvitop {
		hints = append(hints, keys.HintOf(keys.SortBefore, keys.SortAfter).As("column"))
	}
	hints = append(hints, filter, p.scope.scopeHint(s), keys.HintOf(keys.Tree))
	if footer.WhyNoEffect(s, keys.NeedsSignals|keys.NeedsProcess) == "" {
		hints = append(hints, keys.HintOf(keys.SignalTerm).As("signal"))
	}
	hints = append(hints, sort)
	if footer.WhyNoEffect(s, keys.NeedsProcess) == "" {
		hints = append(hints, keys.HintOf(keys.Environ))
	}
	if some {
		hints = append(hints, keys.HintOf(keys.Tag), keys.HintOf(keys.CopyMenu))
	}
	hints = append(hints, keys.HintOf(keys.Refresh))
	return append(hints, keys.HintOf(keys.Help), keys.HintOf(keys.Quit))
}

// scopeHint is the hint of the key for a wider scope; in the widest scope, of the key for a narrower one.
func (x *scoping) scopeHint(s *part.Scene) keys.Hint {
	if x.effectiveScope(s) < widestScope(s) {
		return keys.HintOf(keys.Widen)
	}
	return keys.HintOf(keys.Narrow)
}
