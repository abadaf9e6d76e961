package overview

import (
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// heatMapTitles explains the tiles in the rule and writes the headings above them.
func heatMapTitles(f *part.Frame, t *tiles, of matching) {
	x := of.writeTitle(f, 2)
	right := t.positionPieces(f, true)
	if x+1+part.Width(right) > f.W-2 {
		right = t.positionPieces(f, false)
	}
	end := f.W - 2 - part.Width(right)
	if x+1 > end {
		right, end = nil, f.W-2
	}
	f.Pieces(end, 2, right...)
	var pieces []part.Piece
	room := end - x - 2
	for _, more := range t.explainTiles(f) {
		if part.Width(pieces)+part.Width(more) > room {
			break
		}
		pieces = append(pieces, more...)
	}
	f.Pieces(x, 2, pieces...)
	if t.heading == 0 {
		return
	}
	for i := 0; i < len(t.nodes); i += t.usedRows() {
		x, _ := t.tilePosition(i)
		t.cells.Titles(f, x+t.cellsAt, t.heading)
		if t.style == tileBig {
			f.Left(x+2, t.heading, t.name, t.names.Title, draw.Dim)
			f.Put(x+27, t.heading, "AVG", draw.Dim)
			f.Put(x+31, t.heading, "MAX°C", draw.Dim)
			f.Put(x+38, t.heading, "POWER", draw.Dim)
		}
	}
}

func (t *tiles) isNameless() bool { return t.style == tileStrips || t.style == tileDot }

// explainTiles returns the explanations in the rule, the most useful first.
func (t *tiles) explainTiles(f *part.Frame) [][]part.Piece {
	if t.style == tileBig {
		long, _ := shadePieces(f)
		legend := [][]part.Piece{append(append([]part.Piece{part.Dim(" " + part.GaugeTitle(f.Gauge) + ":  ")}, long...),
			part.Dim("  "), part.Piece{Text: "─", Role: draw.Faint}, part.Dim("  "))}
		for _, l := range say.Letters {
			legend = append(legend, []part.Piece{part.Strong(string(l.Letter)), part.Dim(" " + l.Short + "  ")})
		}
		return append(legend, noNumbers())
	}
	if t.strips != nil {
		return explainedStrips(f, t)
	}
	title := t.names.Title
	if title != "" && !strings.Contains(title, "…") {
		title += "…"
	}
	named := []part.Piece{part.Dim(" nodes " + title + " ")}
	if title == "" {
		named = []part.Piece{part.Dim(" nodes ")}
	}
	return [][]part.Piece{{part.Dim(" " + t.cellIs(f) + " ")}, append([]part.Piece{{Text: "─", Role: draw.Faint}},
		named...)}
}

// cellIs says what a cell shows.
func (t *tiles) cellIs(f *part.Frame) string {
	switch each := t.cells.Each(); {
	case t.style >= tileGlyph || t.strips != nil && t.strips.each-t.strips.gap == 1:
		return "a cell is a node: " + part.GaugeOuter(f.Gauge)
	case each == 1:
		return "a cell is a GPU, " + t.cells.Numbering() + ": " + part.GaugeTitle(f.Gauge)
	default:
		return "a cell is " + strconv.Itoa(each) + " GPUs: " + part.GaugeOuter(f.Gauge)
	}
}

// noNumbers explains the cells of nodes that have no numbers now.
func noNumbers() []part.Piece {
	return []part.Piece{part.Strong("░"), part.Dim(" not responding  "), part.Strong("·"), part.Dim(" no data ")}
}

// pageText says which nodes are on the page: "64 nodes", or for one of several pages "2/3 346–690 of 995, 5 pinned PgUp
// PgDn". The short form leaves out the pinned nodes.
func (t *tiles) pageText(long bool) string {
	if len(t.pages) < 2 {
		return part.Plural(t.of, "node", "nodes")
	}
	to, all := t.from+len(t.nodes)-t.pinned, t.of-t.pinned
	text := strconv.Itoa(t.page+1) + "/" + strconv.Itoa(len(t.pages)) + " " + nav.Places(t.from, to, all)
	if t.pinned > 0 && long {
		text += ", " + strconv.Itoa(t.pinned) + " pinned"
	}
	return text + nav.PageKeys(t.from, to, all)
}

// positionPieces says which nodes are on the page and how many are in trouble; if tiles have no names, also which node
// is selected.
func (t *tiles) positionPieces(f *part.Frame, long bool) []part.Piece {
	var pieces []part.Piece
	if t.isNameless() {
		m := f.Health.NodeMark(f.Node.Name)
		pieces = append(pieces, part.Strong(" ▸ "+f.NodeName(f.Node.Name, 16)),
			part.Piece{Text: " " + m.Glyph, Role: m.Role}, part.Dim(" "))
	}
	if t.of > 0 {
		pieces = append(pieces, part.Dim(" "+t.pageText(long)+" "))
	}
	var counts [cluster.Critical + 1]int
	for _, name := range f.Order {
		counts[f.Health.Rank(name)]++
	}
	for severity := cluster.Critical; severity >= cluster.Waiting; severity-- {
		if n := counts[severity]; n > 0 {
			m := part.Marks[severity]
			pieces = append(pieces, part.Piece{Text: " " + m.Glyph + strconv.Itoa(n), Role: m.Role})
		}
	}
	return append(pieces, part.Dim(" "))
}
