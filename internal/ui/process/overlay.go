package process

import (
	"cmp"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/tally"
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

// cover opens an overlay, which has a first answer.
func (p *Page) cover(o overlay, first nav.Answer) nav.Answer {
	p.over = o
	first.Taken = true
	return first
}

// pressOver gives a message to the overlay.
func (p *Page) pressOver(msg tea.Msg, s *part.Scene) nav.Answer {
	a, open := p.over.Press(msg, s)
	if !open {
		p.over = nil
	}
	return a
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
