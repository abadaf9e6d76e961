package process

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

// Press answers a key or the mouse.
func (p *Page) Press(msg tea.Msg, s *part.Scene) nav.Answer {
	if result, is := msg.(nav.Result); is && (p.kin.hear(result, s) || len(p.over) == 0) {
		return nav.Taken // nobody waits for it any more
	}
	if len(p.over) > 0 {
		return p.over.press(msg, s)
	}
	a := p.press(msg, s)
	if p.tree {
		l := p.listing(s)
		a.Ask = append(a.Ask, p.kin.ask(l, p.cursor.Window(p.list(s, l)), s.Snap.At)...)
	}
	return a
}

func (p *Page) press(msg tea.Msg, s *part.Scene) nav.Answer {
	switch m := msg.(type) {
	case tea.PasteMsg:
		if p.filter.Typing(everyJob) {
			return p.typed(m, s)
		}
	case tea.KeyPressMsg:
		if p.filter.Typing(everyJob) {
			return p.typed(m, s)
		}
		return p.key(m, s)
	case tea.MouseWheelMsg:
		return p.wheel(m, s)
	case tea.MouseClickMsg:
		return p.click(m, s)
	}
	return nav.Answer{}
}

// key answers a key.
func (p *Page) key(k tea.KeyPressMsg, s *part.Scene) nav.Answer {
	if chosen, taken := p.sorting.press(k); taken {
		if chosen != nil {
			p.sort(s, *chosen)
		}
		return nav.Taken
	}
	l := p.listing(s)
	if at, moved := p.cursor.Move(asArrow(k), p.list(s, l)); moved {
		return p.on(s, l, at)
	}
	if a, acts := p.over.act(k, s, func() subject { return p.subject(s) }); acts {
		return a
	}
	if a, did := p.inspectRow(k, s); did {
		return a
	}
	switch {
	case key.Matches(k, keys.Back) && p.tags.shown > 0:
		p.tags.clear()
	case key.Matches(k, keys.Back) && p.filter.On(everyJob):
		p.filter.Clear(everyJob)
	case key.Matches(k, keys.NextProblem):
		return p.goTo(s, l, l.problem(s, p.cursor.At(p.list(s, l)), +1))
	case key.Matches(k, keys.PrevProblem):
		return p.goTo(s, l, l.problem(s, p.cursor.At(p.list(s, l)), -1))
	case key.Matches(k, keys.PrevJob) && p.scope.of(s) >= OfJobs:
		return p.jump(s, l, l.job(s, -1))
	case key.Matches(k, keys.NextJob) && p.scope.of(s) >= OfJobs:
		return p.jump(s, l, l.job(s, +1))
	case key.Matches(k, keys.Refresh):
		p.kin.forget()
		return nav.Answer{}
	case key.Matches(k, keys.Tag):
		return p.tag(s, l)
	case key.Matches(k, keys.Widen):
		p.scope.widen(s)
	case key.Matches(k, keys.Narrow):
		return p.narrow(s, l)
	default:
		return nav.Answer{Taken: p.change(k, s, l)}
	}
	return nav.Taken
}

// asArrow is a key that moves the cursor as the one that does so on all pages.
func asArrow(k tea.KeyPressMsg) tea.KeyPressMsg {
	for _, same := range []struct {
		key.Binding
		code rune
	}{{keys.RowUp, tea.KeyUp}, {keys.RowDown, tea.KeyDown}, {keys.RowsUp, tea.KeyPgUp},
		{keys.RowsDown, tea.KeyPgDown}} {
		if key.Matches(k, same.Binding) {
			return tea.KeyPressMsg{Code: same.code}
		}
	}
	return k
}

// change answers the keys that change how the rows are shown.
func (p *Page) change(k tea.KeyPressMsg, s *part.Scene, l *listing) (did bool) {
	switch {
	case key.Matches(k, keys.FilterRows):
		p.filter.Open(everyJob)
	case key.Matches(k, keys.Tree):
		p.tree = !p.tree
		p.kin.forget()
	case key.Matches(k, keys.Auto):
		p.mode = modeAuto
	case key.Matches(k, keys.Full):
		p.mode = modeFull
	case key.Matches(k, keys.Compact):
		p.mode = modeCompact
	case key.Matches(k, keys.CommandLeft):
		p.scroll(s, l, -scrollStep)
	case key.Matches(k, keys.CommandRight):
		p.scroll(s, l, +scrollStep)
	case key.Matches(k, keys.CommandStart):
		p.across = 0
	case key.Matches(k, keys.CommandEnd):
		p.scroll(s, l, endless)
	default:
		return false
	}
	return true
}

const (
	scrollStep = 8 // columns
	endless    = 1 << 20
)

// scroll moves the commands, not beyond the end of the longest on the screen.
func (p *Page) scroll(s *part.Scene, l *listing, by int) {
	longest := 0
	w := p.cursor.Window(p.list(s, l))
	for i := w.From; i < w.From+w.Shown; i++ {
		longest = max(longest, table.CommandWidth(l.at(i)))
	}
	p.across = max(min(p.across+by, longest-p.table(s, l).Room()), 0)
}

// sort sorts the rows, which then are no tree. A cursor on the first row stays there, on another one it stays on its
// process.
func (p *Page) sort(s *part.Scene, o order) {
	first := p.cursor.At(p.list(s, p.listing(s))) == 0
	p.sorting.order, p.tree = o, false
	if first {
		p.goTo(s, p.listing(s), 0)
	}
}

// tag tags the process under the cursor, or takes its tag away, and goes to the next one: several are tagged by one
// key.
func (p *Page) tag(s *part.Scene, l *listing) nav.Answer {
	if len(l.order) == 0 {
		return nav.Taken
	}
	at := p.cursor.At(p.list(s, l))
	p.tags.toggle(keyOf(l.at(at)))
	return p.goTo(s, l, at+1)
}

// list is the list as it is now.
func (p *Page) list(s *part.Scene, l *listing) nav.List[nav.Process] {
	return nav.List[nav.Process]{N: len(l.order),
		Room: p.mode.rooms(s, p.scope.of(s)).room(s) - p.filter.Rows(everyJob),
		Key:  func(i int) nav.Process { return keyOf(l.at(i)) }}
}

// goTo puts the cursor on a row, or on the nearest one.
func (p *Page) goTo(s *part.Scene, l *listing, i int) nav.Answer {
	return p.on(s, l, p.cursor.GoTo(p.list(s, l), i))
}

// jump goes to a row that was looked for; -1: there is none.
func (p *Page) jump(s *part.Scene, l *listing, i int) nav.Answer {
	if i < 0 {
		return nav.Taken
	}
	return p.goTo(s, l, i)
}

// on says that the cursor is on a row; -1: there is none. Its node and, among those of several, its job are then the
// selected ones.
func (p *Page) on(s *part.Scene, l *listing, i int) nav.Answer {
	a := nav.Taken
	if i >= 0 {
		a.Node = l.at(i).Node.Name
		if p.scope.of(s) >= OfJobs {
			a.Job = jobOf(s, l.at(i))
		}
	}
	return a
}

// narrow shows the processes of the job, the node or the GPU of the row under the cursor.
func (p *Page) narrow(s *part.Scene, l *listing) nav.Answer {
	if len(l.order) == 0 {
		return nav.Taken
	}
	at := p.cursor.At(p.list(s, l))
	if a := p.on(s, l, at); p.scope.narrow(s, l.at(at)) {
		return a
	}
	return nav.Taken
}
