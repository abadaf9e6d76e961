package process

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/inspect"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// overlay is a dialog over the page, or a page about one process in its place. While open, it has the keyboard and the
// mouse.
type overlay interface {
	// Draw draws over the page, which is on the canvas.
	Draw(f *part.Frame)
	// Press answers a message as a page does, and says whether the overlay stays open.
	Press(msg tea.Msg, s *part.Scene) (a nav.Answer, open bool)
	Wants(s *part.Scene) nav.Wants
}

// settler is an overlay that needs each Snapshot; page is an overlay that covers the page and has its own keys in the
// help.
type (
	settler interface{ Settle(s *part.Scene) }
	page    interface{ On() keys.Page }
)

// overlays are the open panes and dialogs, each on top of the previous one.
type overlays []overlay

// visiblePage names the visible page in the list of keys.
func (over overlays) visiblePage() keys.Page {
	for _, o := range slices.Backward(over) {
		if c, ok := o.(page); ok {
			return c.On()
		}
	}
	return keys.OnProcesses
}

// topMetrics returns the metrics of a process if they are the visible page.
func (over overlays) topMetrics() (m *inspect.Metrics, is bool) {
	for _, o := range slices.Backward(over) {
		if _, whole := o.(page); whole {
			m, is = o.(*inspect.Metrics)
			return m, is
		}
	}
	return nil, false
}

// openOverlay opens an overlay on top of all others, and returns its first answer.
func (over *overlays) openOverlay(o overlay, first nav.Answer) nav.Answer {
	*over = append(*over, o)
	first.Taken = true
	return first
}

// closeAll closes all overlays and forgets them, because an environment has secrets.
func (over *overlays) closeAll() { *over = nil }

// handleMessage passes a message to the overlay on top, and a node's answer to all overlays. The keys that act on a
// process also work on the page of its metrics.
func (over *overlays) handleMessage(msg tea.Msg, s *part.Scene) nav.Answer {
	if r, ok := msg.(nav.Result); ok {
		return over.passResult(r, s)
	}
	last := len(*over) - 1
	top := (*over)[last]
	a, open := top.Press(msg, s)
	if !open {
		*over = slices.Delete(*over, last, last+1) // forgets it, too: an environment has secrets
	}
	if k, ok := msg.(tea.KeyPressMsg); ok && !a.Taken {
		if m, ok := top.(*inspect.Metrics); ok {
			if opened := (&metrics{m, over}).doAction(k, s); opened.Taken {
				return opened
			}
		}
		_, whole := top.(page)
		leaves := key.Matches(k, anywhere...) || whole && key.Matches(k, elsewhere...)
		a.Taken = !leaves
	}
	return a
}

// anywhere are the keys that an overlay leaves to the screen.
var anywhere = append([]key.Binding{keys.Colors, keys.FreeMouse, keys.Mouse, keys.Refresh, keys.Help, keys.Quit,
	keys.Interrupt, keys.Repaint, keys.Suspend}, keys.Recording...)

// elsewhere are the keys that lead from a page about one process to other pages.
var elsewhere = append([]key.Binding{keys.Unused, keys.Palette}, keys.Numbers...)

// passResult passes a node's answer to all overlays: each knows its own questions.
func (over *overlays) passResult(r nav.Result, s *part.Scene) nav.Answer {
	all := nav.Taken
	*over = slices.DeleteFunc(*over, func(o overlay) bool {
		a, open := o.Press(r, s)
		all.Ask, all.Still = append(all.Ask, a.Ask...), all.Still || a.Still
		return !open
	})
	return all
}

// overlayWants returns the wants of the topmost overlay that has any; the zero Wants if none has.
func (over overlays) overlayWants(s *part.Scene) nav.Wants {
	for _, o := range slices.Backward(over) {
		if w := o.Wants(s); w.Selected || w.Everywhere {
			return w
		}
	}
	return nav.Wants{}
}

// settleAll passes a Snapshot to the overlays that need each one.
func (over overlays) settleAll(s *part.Scene) {
	for _, o := range over {
		if o, ok := o.(settler); ok {
			o.Settle(s)
		}
	}
}

func (over overlays) drawAll(f *part.Frame) {
	for _, o := range over {
		o.Draw(f)
	}
}
