package overview

import (
	"cmp"
	"sort"
)

// tilePlaces are the places of the nodes in a heat map. The nodes form lines, which stand below each other in columns.
// A tile with a name is a line by itself.
type tilePlaces struct {
	lines   []nodesLine
	rows    int  // lines below each other in a column
	wide    int  // width of a line, with the gap after it
	cellsAt int  // the column of the first node in a line
	each    int  // columns of a node, with the gap after it
	ragged  bool // lines have different lengths: up and down lead to their ends
}

// nodesLine is the nodes on one line: from the place of the first to the place after the last.
type nodesLine struct{ group, from, to int }

// lineOf returns the line of the node at a place.
func (p *tilePlaces) lineOf(place int) int {
	return sort.Search(len(p.lines), func(i int) bool { return p.lines[i].to > place })
}

// at returns the column and row of the node at a place, relative to the first.
func (p *tilePlaces) at(place int) (x, y int) {
	line := p.lineOf(place)
	x, y = p.start(line)
	return x + p.cellsAt + (place-p.lines[line].from)*p.each, y
}

// start returns the beginning of a line.
func (p *tilePlaces) start(line int) (x, y int) { return line / p.rows * p.wide, line % p.rows }

// under returns the place of the node whose cells, or the gap after them, are at a column and a row; -1 if there is
// none.
func (p *tilePlaces) under(x, y int) int {
	if x < 0 || y < 0 || y >= p.rows {
		return -1
	}
	line, inside := x/p.wide*p.rows+y, x%p.wide-p.cellsAt
	if line >= len(p.lines) || inside < 0 {
		return -1
	}
	if place := p.lines[line].from + inside/p.each; place < p.lines[line].to {
		return place
	}
	return -1
}

// beside returns the place that many columns and rows away from another, but not beyond the edges. From the end of a
// line, it leads to the line beside it.
func (p *tilePlaces) beside(place, columns, rows int) int {
	for ; columns != 0; columns -= cmp.Compare(columns, 0) {
		place = p.aside(place, cmp.Compare(columns, 0))
	}
	for ; rows != 0; rows -= cmp.Compare(rows, 0) {
		line := p.lineOf(place)
		next := line + cmp.Compare(rows, 0)
		if next < 0 || next >= len(p.lines) || next/p.rows != line/p.rows {
			break
		}
		to := p.lines[next].from + place - p.lines[line].from
		if to >= p.lines[next].to && !p.ragged {
			break
		}
		place = min(to, p.lines[next].to-1)
	}
	return place
}

// aside returns the place one node to the left or to the right.
func (p *tilePlaces) aside(place, step int) int {
	line := p.lineOf(place)
	next := place + step
	if next >= p.lines[line].from && next < p.lines[line].to {
		return next
	}
	switch next := line + step*p.rows; {
	case next < 0:
		return place
	case step < 0:
		return p.lines[next].to - 1
	case next < len(p.lines):
		return p.lines[next].from
	case (line/p.rows+1)*p.rows < len(p.lines): // the last column is shorter
		return p.lines[len(p.lines)-1].from
	}
	return place
}
