package overview

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// grid is the geometry of the nodes on the screen: drawing, the keys and the mouse all use the same one.
type grid interface {
	beside(node string, columns, rows int) string // the next node in a direction, not beyond the edges
	turned(by int) string                         // the node to select this number of pages further on
	under(x, y int) string                        // the node at a place of the terminal; "": there is none
}

// sheet has the rows of the table of nodes. They scroll under the cursor.
type sheet struct {
	all      []string
	at       int // the place of the selected node
	from, to int // the nodes on the screen
	top      int // the row of the first node
}

// newSheet puts as many nodes on the sheet as there are rows for, among them the selected one. from is the first node
// of the previous sheet.
func newSheet(all []string, rows, from int, selected string) *sheet {
	rows = max(rows, 1)
	at := max(slices.Index(all, selected), 0)
	from = min(max(from, at-rows+1), at)
	from = max(min(from, len(all)-rows), 0)
	return &sheet{all: all, at: at, from: from, to: min(from+rows, len(all))}
}

func (sh *sheet) beside(_ string, _, rows int) string { return sh.node(sh.at + rows) }

func (sh *sheet) turned(by int) string { return sh.node(sh.at + by*(sh.to-sh.from)) }

func (sh *sheet) under(_, y int) string {
	if i := sh.from + y - sh.top; y >= sh.top && i < sh.to {
		return sh.all[i]
	}
	return ""
}

// node returns the node at a place, or the one at the nearer end; "": there is none.
func (sh *sheet) node(i int) string {
	if len(sh.all) == 0 {
		return ""
	}
	return sh.all[max(min(i, len(sh.all)-1), 0)]
}

// move answers the keys that move the cursor, and the mouse.
func (o *Page) move(msg tea.Msg, s *part.Scene) nav.Answer {
	at := s.Node.Name
	switch m := msg.(type) {
	case tea.MouseClickMsg:
		if m.Button != tea.MouseLeft {
			return nav.Taken
		}
		node := o.grid(s).under(m.X, m.Y)
		if node != "" && node == at {
			return nav.To(nav.Go{Page: keys.OnNode, Node: node})
		}
		return nav.To(nav.Go{Node: node})
	case tea.MouseWheelMsg:
		return o.wheel(nav.Notches(m), s)
	case tea.KeyPressMsg:
		return o.step(m, s)
	}
	return nav.Answer{}
}

// step answers the keys that move the cursor.
func (o *Page) step(k tea.KeyPressMsg, s *part.Scene) nav.Answer {
	to := func(node string) nav.Answer { return nav.To(nav.Go{Node: node}) }
	at := s.Node.Name
	switch {
	case key.Matches(k, keys.Up):
		return to(o.grid(s).beside(at, 0, -1))
	case key.Matches(k, keys.Down):
		return to(o.grid(s).beside(at, 0, +1))
	case key.Matches(k, keys.Left):
		return to(o.grid(s).beside(at, -1, 0))
	case key.Matches(k, keys.Right):
		return to(o.grid(s).beside(at, +1, 0))
	case key.Matches(k, keys.PageUp):
		return to(o.turn(s, -1))
	case key.Matches(k, keys.PageDown):
		return to(o.turn(s, +1))
	case key.Matches(k, keys.First) && len(s.Order) > 0:
		first, _ := o.ends(s)
		return to(first)
	case key.Matches(k, keys.Last) && len(s.Order) > 0:
		_, last := o.ends(s)
		return to(last)
	}
	return nav.Answer{}
}

// ends returns the first and the last node in their present order. Nodes that are on every page of a heat map do not
// count.
func (o *Page) ends(s *part.Scene) (first, last string) {
	all := s.Order
	if t, tiled := o.grid(s).(*tiles); tiled {
		all = slices.Concat(t.pages...)
	}
	return all[0], all[len(all)-1]
}

// turn returns the node to select this number of pages further on. The rows on the screen move along.
func (o *Page) turn(s *part.Scene, by int) string {
	g := o.grid(s)
	if sh, rows := g.(*sheet); rows {
		o.from = sh.from + by*(sh.to-sh.from)
	}
	return g.turned(by)
}

// wheel moves the cursor over rows, and turns the pages of the heat map.
func (o *Page) wheel(by int, s *part.Scene) nav.Answer {
	if t, tiled := o.grid(s).(*tiles); tiled && len(t.pages) > 1 && by != 0 {
		return nav.To(nav.Go{Node: t.turned(by)})
	} else if tiled {
		return nav.Taken
	}
	return nav.To(nav.Go{Node: o.grid(s).beside(s.Node.Name, 0, by*nav.WheelRows)})
}

// grid returns the geometry of the nodes on the screen.
func (o *Page) grid(s *part.Scene) grid {
	if o.asHeatMap(s) {
		return newTiles(s, o.page)
	}
	return o.sheet(s)
}

// sheet returns the rows of the table. If there are more nodes than rows, some rows are for the worst problems, even
// while all is well: nodes must not move when something happens.
func (o *Page) sheet(s *part.Scene) *sheet {
	room := s.H - overviewFrame
	if len(s.Order) > room {
		room -= min(mostReason, max(room/2, 0))
	}
	sh := newSheet(s.Order, room, o.from, s.Node.Name)
	sh.top = 4
	return sh
}
