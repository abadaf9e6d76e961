package process

import (
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

// Draw draws the page.
func (p *Page) Draw(f *part.Frame) {
	part.Header(f, false)
	l, r := p.settled(f.Scene), p.mode.rooms(f.Scene, p.scope.of(f.Scene))
	p.scope.drawAbove(f, r)
	p.title(f, r, l)
	switch {
	case len(l.order) > 0:
		p.rows(f, r, l)
	case l.all > 0:
		f.Left(2, r.top-1, f.W-3, p.filter.None(everyJob, "processes", f.W-3), draw.Text)
	case len(f.Only) > 0 && l.listed == l.nodes:
		f.Left(2, r.top-1, f.W-3, "no processes on the GPUs of --only: "+strings.Join(f.Only, ", "), draw.Dim)
	default:
		text, role := p.scope.none(f)
		f.Left(2, r.top-1, f.W-3, text, role)
	}
	if p.filter.Typing(everyJob) {
		p.filter.Draw(f, len(l.order), l.all)
	} else {
		part.Footer(f, "", p.hints(f.Scene)...)
	}
	p.over.draw(f)
}

// rows draws the rows on the screen, with their headings.
func (p *Page) rows(f *part.Frame, r rooms, l *listing) {
	t, list := p.table(f.Scene, l), p.list(f.Scene, l)
	t.Head(f, r.top-1, p.sorting.by, p.sorting.down, p.tree)
	w, at := p.cursor.Window(list), p.cursor.At(list)
	for i := w.From; i < w.From+w.Shown && r.top+i-w.From < f.H-1; i++ {
		t.Row(f, r.top+i-w.From, l.at(i), i == at, p.tags.has(keyOf(l.at(i))))
	}
	table.ScrollBar(f, r.top, f.H-1-p.filter.Rows(everyJob), w.From, w.Shown, w.All)
}

// table is the table for the terminal and the scope.
func (p *Page) table(s *part.Scene, l *listing) *table.ProcessList {
	scope := l.of.scope
	return table.NewProcessList(s.W, nodesOf(s, scope), scope >= OfJobs, p.across, s.Columns.Processes)
}

// hints are the keys of the footer, the most useful first.
func (p *Page) hints(s *part.Scene) []keys.Hint {
	if p.sorting.asked {
		return sortHints
	}
	var hints []keys.Hint
	if s.MouseFree {
		hints = append(hints, keys.HintOf(keys.FreeMouse).As("mouse: off"))
	}
	hints = append(hints, keys.HintOf(keys.RowUp, keys.RowDown), keys.HintOf(keys.Metrics), keys.HintOf(keys.Environ),
		keys.HintOf(keys.Tag))
	if s.Forbidden() == "" {
		hints = append(hints, keys.HintOf(keys.SignalTerm), keys.HintOf(keys.SignalAny))
	}
	hints = append(hints, keys.HintOf(keys.SortBefore, keys.SortAfter), keys.HintOf(keys.Reverse),
		keys.HintOf(keys.CopyMenu))
	if p.scope.of(s) < widest(s) {
		hints = append(hints, keys.HintOf(keys.Widen))
	}
	if p.scope.of(s) > OfGPU {
		hints = append(hints, keys.HintOf(keys.Narrow))
	}
	back := keys.HintOf(keys.Back)
	switch {
	case p.tags.shown > 0:
		back = back.As("clear tags")
	case p.filter.On(everyJob):
		back = back.As("clear filter")
	}
	hints = append(hints, keys.HintOf(keys.FilterRows), keys.HintOf(keys.Tree), keys.HintOf(keys.SortBy),
		keys.HintOf(keys.CommandLeft, keys.CommandRight), p.mode.hint())
	return append(hints, keys.HintOf(keys.Refresh), back, keys.HintOf(keys.Help), keys.HintOf(keys.Quit))
}
