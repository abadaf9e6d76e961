package overview

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// move moves the cursor over the tiles of the heat map.
func (o *Page) move(msg tea.Msg, s *part.Scene) nav.Answer {
	t := newTiles(s, o.page)
	a := t.move(msg, s.Node.Name)
	o.page = t.pageOf(a.Node)
	return a
}

// move answers the keys that move the cursor, and the mouse; at is the selected node.
func (t *tiles) move(msg tea.Msg, at string) nav.Answer {
	switch m := msg.(type) {
	case tea.MouseClickMsg:
		if m.Button != tea.MouseLeft {
			return nav.Taken
		}
		node := t.under(m.X, m.Y)
		if node != "" && node == at {
			return nav.To(nav.Go{Page: keys.OnNode, Node: node})
		}
		return nav.To(nav.Go{Node: node})
	case tea.MouseWheelMsg:
		if by := nav.Notches(m); by != 0 && len(t.pages) > 1 {
			return nav.To(nav.Go{Node: t.turned(by)})
		}
		return nav.Taken
	case tea.KeyPressMsg:
		if node, moves := t.step(m, at); moves {
			return nav.To(nav.Go{Node: node})
		}
	}
	return nav.Answer{}
}

// step returns the node to which a key leads; moves is false if it is another kind of key.
func (t *tiles) step(k tea.KeyPressMsg, at string) (node string, moves bool) {
	switch {
	case key.Matches(k, keys.Up):
		return t.beside(at, 0, -1), true
	case key.Matches(k, keys.Down):
		return t.beside(at, 0, +1), true
	case key.Matches(k, keys.Left):
		return t.beside(at, -1, 0), true
	case key.Matches(k, keys.Right):
		return t.beside(at, +1, 0), true
	case key.Matches(k, keys.PageUp):
		return t.turned(-1), true
	case key.Matches(k, keys.PageDown):
		return t.turned(+1), true
	case len(t.nodes) == 0:
		return "", key.Matches(k, keys.First, keys.Last)
	case key.Matches(k, keys.First): // nodes that are on every page do not count
		return t.pages[0][0], true
	case key.Matches(k, keys.Last):
		last := t.pages[len(t.pages)-1]
		return last[len(last)-1], true
	}
	return "", false
}
