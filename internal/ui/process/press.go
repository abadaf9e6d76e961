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
		return nav.Taken // the tree took it, or its overlay is closed
	}
	if len(p.over) > 0 {
		return p.over.press(msg, s)
	}
	a := p.press(msg, s)
	if p.kin.tree {
		a.Ask = append(a.Ask, p.kin.ask(p.View(s), p.Window(s), s.Snap.At)...)
	}
	return a
}

func (p *Page) press(msg tea.Msg, s *part.Scene) nav.Answer {
	if m, is := msg.(tea.MouseWheelMsg); is {
		return p.wheel(m, s)
	}
	if k, is := msg.(tea.KeyPressMsg); is && !p.Filter.Typing(everyJob) {
		return p.key(k, s)
	}
	return p.List.Press(msg, s)
}

// key answers a key.
func (p *Page) key(k tea.KeyPressMsg, s *part.Scene) nav.Answer {
	if p.asked && !key.Matches(k, keys.Interrupt) {
		p.named(s, k)
		return nav.Taken
	}
	if p.Nvitop {
		k = keys.FromNvitop(k)
	}
	if a, acts := p.over.act(k, s, func() subject { return p.subject(s) }); acts {
		return a
	}
	if a, did := p.inspectRow(k, s); did {
		return a
	}
	switch v := p.View(s); {
	case key.Matches(k, keys.Back) && p.tags.shown > 0:
		p.tags.clear()
	case key.Matches(k, keys.Back) && p.Filter.On(everyJob): // the selected node stays
		p.Filter.Clear(everyJob)
	case key.Matches(k, keys.PrevJob) && p.scope.of(s) >= OfJobs:
		return p.jump(s, besideJob(s, v, -1))
	case key.Matches(k, keys.NextJob) && p.scope.of(s) >= OfJobs:
		return p.jump(s, besideJob(s, v, +1))
	case key.Matches(k, keys.Refresh):
		p.kin.forget()
		return nav.Answer{}
	case key.Matches(k, keys.Tag):
		return p.tag(s, v)
	case key.Matches(k, keys.Widen):
		p.scope.widen(s)
	case key.Matches(k, keys.Narrow):
		return p.narrow(s, v)
	default:
		return p.change(k, s)
	}
	return nav.Taken
}

// change answers the keys that change how the rows are shown, and the keys of all lists.
func (p *Page) change(k tea.KeyPressMsg, s *part.Scene) nav.Answer {
	switch {
	case key.Matches(k, keys.Tree):
		p.kin.tree = !p.kin.tree
		p.kin.forget()
	case key.Matches(k, keys.Auto):
		p.mode = modeAuto
	case key.Matches(k, keys.Full):
		p.mode = modeFull
	case key.Matches(k, keys.Compact):
		p.mode = modeCompact
	case key.Matches(k, keys.SortBy):
		p.asked = true
	case key.Matches(k, keys.CommandLeft):
		p.scroll(s, -scrollStep)
	case key.Matches(k, keys.CommandRight):
		p.scroll(s, +scrollStep)
	case key.Matches(k, keys.CommandStart):
		p.across = 0
	case key.Matches(k, keys.CommandEnd):
		p.scroll(s, endless)
	default:
		return p.List.Press(k, s)
	}
	return nav.Taken
}

const (
	scrollStep = 8 // columns
	endless    = 1 << 20
)

// scroll moves the commands, but not beyond the end of the longest on the screen.
func (p *Page) scroll(s *part.Scene, by int) {
	longest := 0
	v, w := p.View(s), p.Window(s)
	for i := w.From; i < w.From+w.Shown; i++ {
		longest = max(longest, table.CommandWidth(v.At(i)))
	}
	room := p.table(&part.Frame{Scene: p.Beside(s)}, v).(tagged).Room()
	p.across = max(min(p.across+by, longest-room), 0)
}

// tag tags the process under the cursor, or removes its tag, and goes to the next process, so that pressing the key
// several times tags several.
func (p *Page) tag(s *part.Scene, v *view) nav.Answer {
	if v.Len() == 0 {
		return nav.Taken
	}
	at := p.At(s)
	p.tags.toggle(keyOf(v.At(at)))
	return p.GoTo(s, at+1)
}

// jump goes to a row that was searched for; -1: there is none.
func (p *Page) jump(s *part.Scene, i int) nav.Answer {
	if i < 0 {
		return nav.Taken
	}
	return p.GoTo(s, i)
}

// on notes that the cursor is on a row: the row's node becomes the selected one and, in scopes with several jobs, its
// job.
func (x *scoping) on(s *part.Scene, r *table.ProcessRow) nav.Answer {
	a := nav.To(nav.Go{Node: r.Node.Name})
	if x.of(s) >= OfJobs {
		a.Job = jobOf(s, r)
	}
	return a
}

// narrow shows the processes of the job, the node or the GPU of the row under the cursor.
func (p *Page) narrow(s *part.Scene, v *view) nav.Answer {
	if v.Len() == 0 {
		return nav.Taken
	}
	r := v.At(p.At(s))
	if a := p.scope.on(s, r); p.scope.narrow(s, r) {
		return a
	}
	return nav.Taken
}

// enter is the key that opens a row.
var enter = tea.KeyPressMsg{Code: tea.KeyEnter}
