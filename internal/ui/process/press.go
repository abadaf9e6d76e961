package process

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

// Press answers a key or the mouse.
func (p *Page) Press(msg tea.Msg, s *part.Scene) nav.Answer {
	if result, is := msg.(nav.Result); is && (p.kin.handleResult(result, s) || len(p.over) == 0) {
		return nav.Taken // the tree used the answer, or the overlay that asked is closed
	}
	if len(p.over) > 0 {
		return p.over.handleMessage(msg, s)
	}
	a := p.handleMessage(msg, s)
	if p.kin.tree {
		a.Ask = append(a.Ask, p.kin.nextQuestions(p.View(s), p.Window(s), s.Snap.At)...)
	}
	return a
}

func (p *Page) handleMessage(msg tea.Msg, s *part.Scene) nav.Answer {
	if m, is := msg.(tea.MouseWheelMsg); is {
		return p.handleWheel(m, s)
	}
	switch msg.(type) {
	case tea.KeyPressMsg, keys.Do:
		if !p.Filter.Typing(everyJob) {
			return p.doAction(msg, s)
		}
	}
	return p.List.Press(msg, s)
}

// code is the code of the page's own actions.
var code = nav.CodeTable[*Page]{
	{Of: keys.Environ, Do: row(openEnviron)},
	{Of: keys.Inspect, Do: row(openDetails)},
	{Of: keys.CopyMenu, Do: row(openCopy)},
	{Of: keys.Metrics, Do: row(openMetrics)},
	{Of: keys.Back, Do: clearTags},
	{Of: keys.PrevJob, Do: goToJob(-1)},
	{Of: keys.NextJob, Do: goToJob(+1)},
	{Of: keys.Refresh, Do: refreshNow},
	{Of: keys.Tag, Do: (*Page).tagProcess},
	{Of: keys.Widen, Do: widenScope},
	{Of: keys.Narrow, Do: (*Page).narrowToCursor},
	{Of: keys.Tree, Do: nav.ChangePage(turnTree)},
	{Of: keys.Auto, Do: show(modeAuto)},
	{Of: keys.Full, Do: show(modeFull)},
	{Of: keys.Compact, Do: show(modeCompact)},
	{Of: keys.SortBy, Do: nav.ChangePage(func(p *Page) { p.asked = true })},
	{Of: keys.CommandLeft, Do: scroll(-scrollStep)},
	{Of: keys.CommandRight, Do: scroll(+scrollStep)},
	{Of: keys.CommandStart, Do: nav.ChangePage(func(p *Page) { p.across = 0 })},
	{Of: keys.CommandEnd, Do: scroll(endless)},
}

// Actions returns the actions that have code on the page, or on what is over it.
func (p *Page) Actions() []key.Binding {
	if len(p.over) > 0 {
		return p.over.actions()
	}
	return slices.Concat(code.Actions(), acts.Actions(), p.List.Actions())
}

func (p *Page) doAction(msg tea.Msg, s *part.Scene) nav.Answer {
	if p.asked && !keys.AsksFor(msg, keys.Interrupt) {
		k, _ := msg.(tea.KeyPressMsg)
		p.sortByLetter(s, k)
		return nav.Taken
	}
	if k, is := msg.(tea.KeyPressMsg); is && p.Nvitop {
		msg = keys.FromNvitop(k)
	}
	if a := acts.Do(actingPage{&p.over, func() actionSubject { return p.subjectOfKeys(s) }}, msg, s); a.Taken {
		return a
	}
	if a := code.Do(p, msg, s); a.Taken {
		return a
	}
	return p.List.Press(msg, s)
}

// clearTags clears the tags; without tags, the filter.
func clearTags(p *Page, s *part.Scene) nav.Answer {
	switch {
	case p.tags.shown > 0:
		clear(p.tags.of)
	case p.Filter.On(everyJob): // the selected node stays
		p.Filter.Clear(everyJob)
	default:
		return nav.Answer{}
	}
	return nav.Taken
}

// goToJob is the code of an action that goes to the processes of another job, if the page shows several.
func goToJob(by int) func(*Page, *part.Scene) nav.Answer {
	return func(p *Page, s *part.Scene) nav.Answer {
		if p.scope.effectiveScope(s) < OfJobs {
			return nav.Answer{}
		}
		return p.jumpToRow(s, besideJob(s, p.View(s), by))
	}
}

// refreshNow asks for the families again; SLURM is asked, too.
func refreshNow(p *Page, _ *part.Scene) nav.Answer {
	p.kin.forgetAsked()
	return nav.Answer{}
}

func widenScope(p *Page, s *part.Scene) nav.Answer {
	p.scope.widenScope(s)
	return nav.Taken
}

func turnTree(p *Page) {
	p.kin.tree = !p.kin.tree
	p.kin.forgetAsked()
}

// show is the code of an action that sets whether GPUs are shown above the processes.
func show(m mode) func(*Page, *part.Scene) nav.Answer {
	return nav.ChangePage(func(p *Page) { p.mode = m })
}

// scroll is the code of an action that scrolls the commands.
func scroll(by int) func(*Page, *part.Scene) nav.Answer {
	return func(p *Page, s *part.Scene) nav.Answer {
		p.scrollCommands(s, by)
		return nav.Taken
	}
}

const (
	scrollStep = 8 // columns
	endless    = 1 << 20
)

// scrollCommands scrolls the commands sideways, but not beyond the end of the longest one on the screen.
func (p *Page) scrollCommands(s *part.Scene, by int) {
	longest := 0
	v, w := p.View(s), p.Window(s)
	for i := w.From; i < w.From+w.Shown; i++ {
		longest = max(longest, table.CommandWidth(v.At(i)))
	}
	room := p.processTable(&part.Frame{Scene: p.Beside(s)}, v).(tagged).Room()
	p.across = max(min(p.across+by, longest-room), 0)
}

// tagProcess tags the process under the cursor, or removes its tag, and goes to the next process, so that pressing the
// key repeatedly tags several.
func (p *Page) tagProcess(s *part.Scene) nav.Answer {
	v := p.View(s)
	if v.Len() == 0 {
		return nav.Taken
	}
	at := p.At(s)
	p.tags.toggleTag(keyOf(v.At(at)))
	return p.GoTo(s, at+1)
}

// jumpToRow goes to a row that was searched for; -1: there is none.
func (p *Page) jumpToRow(s *part.Scene, i int) nav.Answer {
	if i < 0 {
		return nav.Taken
	}
	return p.GoTo(s, i)
}

// selectRow records that the cursor is on a row: the row's node becomes the selected one, and in scopes with several
// jobs also its job.
func (x *scoping) selectRow(s *part.Scene, r *table.ProcessRow) nav.Answer {
	a := nav.To(nav.Go{Node: r.Node.Name})
	if x.effectiveScope(s) >= OfJobs {
		a.Job = jobOf(s, r)
	}
	return a
}

// narrowToCursor shows the processes of the job, the node or the GPU of the row under the cursor.
func (p *Page) narrowToCursor(s *part.Scene) nav.Answer {
	v := p.View(s)
	if v.Len() == 0 {
		return nav.Taken
	}
	r := v.At(p.At(s))
	if a := p.scope.selectRow(s, r); p.scope.narrowToRow(s, r) {
		return a
	}
	return nav.Taken
}
