package process

import (
	"cmp"
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/inspect"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

// overlay is a dialog over the page, or a page about one process in its place. While it is open it has the keyboard and the mouse.
type overlay interface {
	// Draw draws over the page, which is on the canvas.
	Draw(f *part.Frame)
	// Press answers a message as a page does, and says whether the overlay stays open.
	Press(msg tea.Msg, s *part.Scene) (a nav.Answer, open bool)
	Wants(s *part.Scene) nav.Wants
}

// settler is an overlay that needs each Snapshot, and page one that covers the page and has keys of its own in the help.
type (
	settler interface{ Settle(s *part.Scene) }
	page    interface{ On() keys.Page }
)

// On is the page that is seen, in the list of keys.
func (p *Page) On() keys.Page {
	for _, o := range slices.Backward(p.over) {
		if c, ok := o.(page); ok {
			return c.On()
		}
	}
	return keys.OnProcesses
}

// Forget closes what is over the page: an environment has secrets.
func (p *Page) Forget() { p.over = nil }

// cover opens an overlay, which has a first answer, over all that are open.
func (p *Page) cover(o overlay, first nav.Answer) nav.Answer {
	p.over = append(p.over, o)
	first.Taken = true
	return first
}

// pressOver gives a message to the overlay that was opened last, and what a node has said to all. The keys that act on a process act from its metrics, too.
func (p *Page) pressOver(msg tea.Msg, s *part.Scene) nav.Answer {
	if r, ok := msg.(nav.Result); ok {
		return p.tell(r, s)
	}
	last := len(p.over) - 1
	top := p.over[last]
	a, open := top.Press(msg, s)
	if !open {
		p.over = slices.Delete(p.over, last, last+1) // and forget it: an environment has secrets
	}
	if k, ok := msg.(tea.KeyPressMsg); ok && !a.Taken {
		if m, ok := top.(*inspect.Metrics); ok {
			if opened, did := p.inspect(k, s, m.Target()); did {
				return opened
			}
			shown := func() subject { return subject{at: new(m.Target()), job: listed(s, m.Target().Job)} } // the cursor may be on another one by now
			if opened, did := p.act(k, s, shown); did {
				return opened
			}
		}
		a.Taken = !key.Matches(k, anywhere...)
	}
	return a
}

// anywhere are the keys that an overlay leaves to the screen.
var anywhere = []key.Binding{keys.Colors, keys.FreeMouse, keys.Refresh, keys.Help, keys.Quit, keys.Interrupt, keys.Repaint}

// tell gives the overlays what a node has said: each knows what it has asked.
func (p *Page) tell(r nav.Result, s *part.Scene) nav.Answer {
	all := nav.Taken
	p.over = slices.DeleteFunc(p.over, func(o overlay) bool {
		a, open := o.Press(r, s)
		all.Ask = append(all.Ask, a.Ask...)
		return !open
	})
	return all
}

// inspect answers the keys that show something about a process, and the one that copies.
func (p *Page) inspect(k tea.KeyPressMsg, s *part.Scene, t tally.Target) (a nav.Answer, did bool) {
	switch {
	case key.Matches(k, keys.Environ):
		o, first := inspect.NewEnviron(t)
		return p.cover(o, first), true
	case key.Matches(k, keys.CopyMenu):
		o, first := inspect.NewCopy(t, s.NodeOf(t.Node).Route.Door, uuid(s, &t))
		return p.cover(o, first), true
	case key.Matches(k, keys.Metrics) && p.On() == keys.OnProcesses:
		o, first := inspect.NewMetrics(t)
		return p.cover(o, first), true
	}
	return nav.Answer{}, false
}

// inspectRow answers these keys for the process under the cursor, whose node is the selected one then.
func (p *Page) inspectRow(k tea.KeyPressMsg, s *part.Scene) (a nav.Answer, did bool) {
	t, ok := p.target(s)
	if !ok {
		return nav.Answer{}, false
	}
	l := p.listing(s)
	on := p.on(s, l, p.cursor.At(p.list(s, l)))
	a, did = p.inspect(k, s, t)
	a.Node, a.Job = on.Node, on.Job
	return a, did
}

// uuid is that of the first GPU of a process, "" if it is not known.
func uuid(s *part.Scene, t *tally.Target) string {
	n := s.NodeOf(t.Node)
	for i := range n.Processes {
		if w := &n.Processes[i]; w.PID == t.PID && w.StartTicks == t.StartTicks {
			if at := slices.IndexFunc(n.GPUs, func(g cluster.GPU) bool { return g.Index == w.GPU }); at >= 0 {
				return n.GPUs[at].Card.UUID
			}
		}
	}
	return ""
}

// target is the process under the cursor; false: there is none.
func (p *Page) target(s *part.Scene) (tally.Target, bool) {
	l := p.listing(s)
	if len(l.order) == 0 {
		return tally.Target{}, false
	}
	return targetOf(s, l.at(p.cursor.At(p.list(s, l)))), true
}

// targets are the tagged processes of the scope, in the order of the screen. One that is on several GPUs is there once.
func (p *Page) targets(s *part.Scene) (list []tally.Target) {
	l, seen := p.listing(s), map[nav.Process]bool{}
	for i := range l.order {
		at := keyOf(l.at(i))
		same := nav.Process{Node: at.Node, ProcessID: at.ProcessID}
		if p.tags[at] && !seen[same] {
			seen[same] = true
			list = append(list, targetOf(s, l.at(i)))
		}
	}
	return list
}

// targetOf is the process of a row. The row knows the job of a process that names none, by its GPU.
func targetOf(s *part.Scene, r *table.ProcessRow) tally.Target {
	t := tally.TargetOf(s.Snap, r.Node, r.Process.Process)
	t.Job = cmp.Or(t.Job, r.Job)
	return t
}
