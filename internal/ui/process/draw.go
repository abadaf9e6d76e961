package process

import (
	"strconv"
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
		t.Row(f, r.top+i-w.From, l.at(i), i == at, p.tags[keyOf(l.at(i))])
	}
	table.ScrollBar(f, r.top, f.H-1-p.filter.Rows(everyJob), w.From, w.Shown, w.All)
}

// table is the table for the terminal and the scope.
func (p *Page) table(s *part.Scene, l *listing) *table.ProcessList {
	scope := l.of.scope
	return table.NewProcessList(s.W, nodesOf(s, scope), scope == OfJobs, p.across, s.Columns.Processes)
}

// title draws the rule with the scope, and right in it how many processes there are, in which order, and which are on the screen.
func (p *Page) title(f *part.Frame, r rooms, l *listing) {
	x := f.Focus(r.title, "Processes of "+p.scope.name(f.Scene))
	where := p.cursor.Window(p.list(f.Scene, l)).Where()
	count, order, listed := p.count(l), p.sorting.words(), ""
	if p.tree {
		order = p.kin.words(f.Snap.At, l)
	}
	if l.listed < l.nodes && l.nodes > 1 {
		listed = ", on " + strconv.Itoa(l.listed) + " of " + part.Plural(l.nodes, "node", "nodes")
	}
	for _, text := range []string{count + listed + order, count + order, count + listed, count, ""} {
		text = strings.TrimSpace(text + "  " + where)
		if at := f.W - 4 - draw.Width(text); text != "" && at > x {
			f.Put(at, r.title, " "+text+" ", draw.Dim)
			return
		}
	}
}

// count is "3 tagged of 8", "8 processes".
func (p *Page) count(l *listing) string {
	n := len(l.order)
	switch filtered := p.filter.On(everyJob) && !p.tree; {
	case p.tagged > 0 && filtered:
		return strconv.Itoa(p.tagged) + " tagged of " + strconv.Itoa(n) + " that match"
	case p.tagged > 0:
		return strconv.Itoa(p.tagged) + " tagged of " + strconv.Itoa(n)
	case filtered:
		return strconv.Itoa(n) + " of " + strconv.Itoa(l.all) + " match"
	}
	return part.Plural(n, "process", "processes")
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
	hints = append(hints, keys.HintOf(keys.RowUp, keys.RowDown), keys.HintOf(keys.Metrics), keys.HintOf(keys.Environ), keys.HintOf(keys.Tag))
	if s.Forbidden() == "" {
		hints = append(hints, keys.HintOf(keys.SignalTerm), keys.HintOf(keys.SignalAny))
	}
	hints = append(hints, keys.HintOf(keys.SortBefore, keys.SortAfter), keys.HintOf(keys.Reverse), keys.HintOf(keys.CopyMenu))
	if p.scope.of(s) < OfJobs {
		hints = append(hints, keys.HintOf(keys.Widen))
	}
	if p.scope.of(s) > OfGPU {
		hints = append(hints, keys.HintOf(keys.Narrow))
	}
	back := keys.HintOf(keys.Back)
	switch {
	case p.tagged > 0:
		back = back.As("clear tags")
	case p.filter.On(everyJob):
		back = back.As("clear filter")
	}
	hints = append(hints, keys.HintOf(keys.FilterRows), keys.HintOf(keys.Tree), keys.HintOf(keys.SortBy), keys.HintOf(keys.CommandLeft, keys.CommandRight), p.mode.hint())
	return append(hints, keys.HintOf(keys.Refresh), back, keys.HintOf(keys.Help), keys.HintOf(keys.Quit))
}
