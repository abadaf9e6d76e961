package overview

import (
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// moveOverTiles moves the cursor over the tiles of the heat map with the mouse.
func (o *Page) moveOverTiles(msg tea.Msg, s *part.Scene) nav.Answer {
	t := newTiles(s, o.page)
	a := t.handleMessage(msg, s.Node.Name)
	o.page = t.pageOf(a.Node)
	return a
}

// handleMessage answers the mouse; at is the selected node.
func (t *tiles) handleMessage(msg tea.Msg, at string) nav.Answer {
	switch m := msg.(type) {
	case tea.MouseClickMsg:
		if m.Button != tea.MouseLeft {
			return nav.Taken
		}
		node := t.nodeAt(m.X, m.Y)
		if node != "" && node == at {
			return nav.To(nav.Go{Page: keys.OnNode, Node: node})
		}
		return nav.To(nav.Go{Node: node})
	case tea.MouseWheelMsg:
		if by := nav.Notches(m); by != 0 && len(t.pages) > 1 {
			return nav.To(nav.Go{Node: t.nodeOfPage(by)})
		}
		return nav.Taken
	}
	return nav.Answer{}
}

// over is the code of an action that moves the cursor over the tiles. It has an effect only while the nodes are tiles.
func over(to func(t *tiles, at string) string) func(*Page, *part.Scene) nav.Answer {
	return func(o *Page, s *part.Scene) nav.Answer {
		if !o.asHeatMap(s) {
			return nav.Answer{}
		}
		t := newTiles(s, o.page)
		node := to(t, s.Node.Name)
		o.page = t.pageOf(node)
		return nav.To(nav.Go{Node: node})
	}
}

// first returns the first node, not counting nodes that are on every page.
func (t *tiles) first() string {
	if len(t.nodes) == 0 {
		return ""
	}
	return t.pages[0][0]
}

func (t *tiles) last() string {
	if len(t.nodes) == 0 {
		return ""
	}
	last := t.pages[len(t.pages)-1]
	return last[len(last)-1]
}
