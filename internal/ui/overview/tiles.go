package overview

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// tileStyle is one way to draw a node in the heat map.
type tileStyle uint8

// The styles, the widest first.
const (
	tileBig    tileStyle = iota // cells two columns wide, AVG, MAX and POWER
	tileAvg                     // cells and AVG
	tileCells                   // cells
	tileStrips                  // cells without a name, in a strip for each switch; a cell may be for several GPUs
	tileGlyph                   // one glyph for the worst of its GPUs
	tileDot                     // the same without a name: only rows of nodes have names
)

// tiles is the geometry of a heat map: the nodes on the page, and their places. It depends only on the size of the
// terminal and on the nodes. Problems decide only the page of a node, if there are several, and the place of a group.
type tiles struct {
	style        tileStyle
	strips       *strips // geometry of the groups; nil: there are none
	across, rows int     // places for tiles
	wide         int     // width of one tile
	left, top    int     // place of the first tile
	below        int     // rows below the tiles: rule, sum, reasons, keys
	heading      int     // row of the GPU numbers; 0: they are only in the rule

	names   *draw.Naming
	name    int // columns for a name
	nameAt  int // width of a name
	cells   part.Cells
	cellsAt int // column of the cells in the tile

	places   *tilePlaces
	nodes    []string // on this page, in the order of their places
	pinned   int      // number of nodes that are on every page
	pages    [][]string
	page     int
	from, of int // place of this page's first node that is not pinned, and number of all such nodes
}

// heatMapLeast is the least width for a heat map.
const heatMapLeast = 20

const (
	bigTile    = 49
	smallName  = 3 // least room for a name
	longName   = 9 // most room for a name in a small tile
	mostReason = 3 // rows kept for problems
)

// newTiles arranges the nodes in the widest style in which all of them fit. If they fit in none, there are pages, and
// each page has the nodes in trouble. The page is the one with the selected node; if every page has that node, it is
// the given page.
func newTiles(s *part.Scene, page int) *tiles {
	n, slots := len(s.Order), part.NewSlots(s)
	var t *tiles
	for style := tileBig; style <= tileDot; style++ {
		if t = newStyledTiles(s, slots, style); t.nodesPerPage() >= n && t.across > 0 {
			break
		}
	}
	if t.strips != nil {
		return t
	}
	t.across, t.rows = max(t.across, 1), max(t.rows, 1)
	t.turnTo(s, page)
	t.arrange()
	if used := t.usedRows(); (t.style == tileAvg || t.style == tileCells) && used < t.rows {
		t.heading = t.top
		t.top++
	}
	return t
}

// nodesPerPage returns the number of nodes that fit on a page.
func (t *tiles) nodesPerPage() int {
	if t.strips != nil {
		return t.of
	}
	return t.across * t.rows
}

// newStyledTiles returns the geometry of one style for the scene.
func newStyledTiles(s *part.Scene, slots part.Slots, style tileStyle) *tiles {
	t := &tiles{style: style, left: 1, top: 3, below: 2, nameAt: 1}
	width := s.W - 2
	switch style {
	case tileBig:
		t.heading, t.top, t.below = 3, 4, 3
		t.name, t.nameAt, t.cellsAt = 6, 2, 9
		t.names = s.Naming(t.name)
		t.cells = part.NewCells(slots, 2*part.CellsAcross)
		t.across = width / bigTile
		t.wide = width / max(t.across, 1)
	case tileAvg:
		t.shortName(s)
		t.cells = part.NewCells(slots, part.CellsAcross)
		if roomy := part.NewCells(slots, 2*part.CellsAcross); roomy.Each() < t.cells.Each() &&
			t.fitsAllNodes(s, t.cellsAt+2*part.CellsAcross+6) {
			t.cells = roomy
		}
		t.wide = t.cellsAt + t.cells.Width() + 6
		t.across = max(width/t.wide, 1)
	case tileCells:
		t.shortName(s)
		t.cells = part.NewCells(slots, part.CellsAcross)
		t.wide = t.cellsAt + t.cells.Width() + 1
		t.across = width / t.wide
	case tileGlyph:
		t.shortName(s)
		t.wide = t.cellsAt + 2
		t.across = width / t.wide
	case tileDot:
		t.shortName(s)
		t.left, t.wide = t.cellsAt+1, 1
		t.across = width - t.cellsAt
		if t.across > 10 {
			t.across -= t.across % 10
		}
	}
	free := s.H - t.top - t.below
	t.below += min(mostReason, max(free/3, 0)) // even while all is well: tiles must not move when something happens
	t.rows = max(s.H-t.top-t.below, 0)
	t.cells = t.cells.Apart(false)
	if style == tileStrips {
		t.groupIntoStrips(s, slots)
	}
	return t
}

// groupIntoStrips puts the nodes into strips, if they have switches and there is room for all of them.
func (t *tiles) groupIntoStrips(s *part.Scene, slots part.Slots) {
	if t.strips = newStrips(groupsOf(s), slots, s.W-2, t.rows); t.strips == nil {
		return
	}
	t.places, t.wide, t.across = &t.strips.tilePlaces, t.strips.each, t.strips.across
	t.cells = part.NewCells(slots, max(t.wide-t.strips.gap, 1)).Apart(true)
	t.nodes, t.of = t.strips.nodesInOrder(), len(s.Order)
	t.pages, t.names = [][]string{t.nodes}, &draw.Naming{}
}

// fitsAllNodes reports whether all nodes fit as tiles of this width.
func (t *tiles) fitsAllNodes(s *part.Scene, wide int) bool {
	return (s.W-2)/wide*max(s.H-t.top-t.below-mostReason, 0) >= len(s.Order)
}

// shortName widens the name column if names would otherwise be ambiguous.
func (t *tiles) shortName(s *part.Scene) {
	t.names = s.Naming(smallName)
	t.name = min(max(t.names.Wide, smallName), longName, max(s.W-2-(heatMapLeast-1)+smallName, smallName))
	t.cellsAt = t.nameAt + t.name + 1
}

// turnTo splits the nodes into pages and opens the page with the selected node, or otherwise the given page.
func (t *tiles) turnTo(s *part.Scene, page int) {
	t.of = len(s.Order)
	if t.of <= t.nodesPerPage() {
		t.nodes, t.pages = s.Order, [][]string{s.Order}
		return
	}
	pinned, rest := pinTroubled(s, t.nodesPerPage()/2)
	per := t.nodesPerPage() - len(pinned)
	t.pages = slices.Collect(slices.Chunk(rest, per))
	t.page = min(page, len(t.pages)-1)
	if s.Node != nil {
		t.page = t.pageOf(s.Node.Name)
	}
	t.pinned, t.from = len(pinned), t.page*per
	t.nodes = slices.Concat(pinned, t.pages[t.page])
}

// pageOf returns the page of a node: this one, if each page has the node.
func (t *tiles) pageOf(node string) int {
	if i := slices.IndexFunc(t.pages, func(nodes []string) bool { return slices.Contains(nodes, node) }); i >= 0 {
		return i
	}
	return t.page
}

// pinTroubled separates the nodes in trouble from the rest: at most this many, worst first.
func pinTroubled(s *part.Scene, most int) (pinned, rest []string) {
	for _, name := range s.Order {
		if s.Health.Rank(name) >= int(cluster.Warning) {
			pinned = append(pinned, name)
		}
	}
	slices.SortStableFunc(pinned, func(a, b string) int { return s.Health.Rank(b) - s.Health.Rank(a) })
	pinned = pinned[:min(len(pinned), most)]
	taken := make(map[string]bool, len(pinned))
	for _, name := range pinned {
		taken[name] = true
	}
	for _, name := range s.Order {
		if !taken[name] {
			rest = append(rest, name)
		}
	}
	return pinned, rest
}

// arrange gives the nodes of this page their places. Nodes with names go down columns of equal length, nodes without
// names along the rows.
func (t *tiles) arrange() {
	n := len(t.nodes)
	p := &tilePlaces{rows: (n + t.across - 1) / t.across, wide: t.wide, each: t.wide}
	per := 1
	if t.style == tileDot {
		per, p.wide = t.across, t.across*t.wide
	}
	for from := 0; from < n; from += per {
		p.lines = append(p.lines, nodesLine{from: from, to: min(from+per, n)})
	}
	t.places = p
}

// usedRows returns the number of rows that the nodes of this page take.
func (t *tiles) usedRows() int { return t.places.rows }

// tilePosition returns the position of the node at a place.
func (t *tiles) tilePosition(i int) (x, y int) {
	x, y = t.places.at(i)
	return t.left + x, t.top + y
}

// shiftNode returns the node that many columns and rows away from another, but not beyond the edges; the node itself if
// there is none.
func (t *tiles) shiftNode(node string, columns, rows int) string {
	i := slices.Index(t.nodes, node)
	if i < 0 {
		return node
	}
	return t.nodes[t.places.beside(i, columns, rows)]
}

// nodeOfPage returns the node to select this many pages further on. If there are no more pages, it is the first or the
// last node of this page.
func (t *tiles) nodeOfPage(by int) string {
	page := t.page + by
	switch {
	case len(t.nodes) == 0:
		return ""
	case page < 0:
		return t.nodes[0]
	case page >= len(t.pages):
		return t.nodes[len(t.nodes)-1]
	}
	return t.pages[page][0]
}

// nodeAt returns the node whose tile is at a column and a row of the terminal; "": there is none.
func (t *tiles) nodeAt(x, y int) string {
	if i := t.places.under(x-t.left, y-t.top); i >= 0 {
		return t.nodes[i]
	}
	return ""
}
