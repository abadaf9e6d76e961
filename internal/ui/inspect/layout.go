package inspect

import (
	"sort"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// layoutKey has everything that the lines of an environment depend on.
type layoutKey struct {
	w     int
	heard int
	shown bool
	text  string
}

// valueLine is a line of the value of a variable.
type valueLine struct{ variable, line int }

// variableRow is a line of the list: a line of a variable, and the part of its value there.
type variableRow struct {
	valueLine
	text string
}

// variableLayout has the lines of the variables that match the search.
type variableLayout struct {
	of        layoutKey
	names     int   // width of the names
	variables []int // their indexes among all variables
	lines     []variableRow
	first     []int // the first line of each, by index in variables
}

const (
	listX     = 2 // the column of the names
	nameLeast = 8
	valueGap  = 2
	barWidth  = 3 // the scroll bar, a blank before it, and the terminal's last column
)

func (e *FactSheet) currentQuestion(s *part.Scene) layoutKey {
	return layoutKey{s.W, e.heard, e.shown, e.search.Text()}
}

// currentLayout returns the lines. It lays them out again if the question has changed.
func (e *FactSheet) currentLayout(s *part.Scene) *variableLayout {
	if q := e.currentQuestion(s); e.now.of != q {
		e.now = e.layOutLines(q)
	}
	return &e.now
}

// settledLayout returns the lines as Settle has laid them out, for Draw, which changes nothing.
func (e *FactSheet) settledLayout(s *part.Scene) *variableLayout {
	if q := e.currentQuestion(s); e.now.of != q {
		l := e.layOutLines(q)
		return &l
	}
	return &e.now
}

func (e *FactSheet) layOutLines(q layoutKey) variableLayout {
	l := variableLayout{of: q, names: nameLeast}
	matches := e.search.Matcher()
	for i := range e.answer.variables {
		v := &e.answer.variables[i]
		l.names = max(l.names, draw.Width(v.name))
		if matches(v.searchText(q.shown)) { // a hidden value matches nothing
			l.variables = append(l.variables, i)
		}
	}
	l.names = min(l.names, max(q.w*2/5, nameLeast))
	room := max(q.w-listX-l.names-valueGap-barWidth, 1)
	for _, i := range l.variables {
		v := &e.answer.variables[i]
		pieces := []string{hidden}
		if q.shown || !v.secret {
			pieces = draw.Chop(v.value, room)
		}
		l.first = append(l.first, len(l.lines))
		for k, text := range pieces {
			l.lines = append(l.lines, variableRow{valueLine{i, k}, text})
		}
	}
	return l
}

func firstListRow(s *part.Scene) int {
	if s.H >= part.Tall {
		return ruleRow + 2
	}
	return ruleRow + 1
}

// cursorList describes the lines as a list for the cursor.
func (e *FactSheet) cursorList(s *part.Scene, l *variableLayout) nav.List[valueLine] {
	room := s.H - 1 - firstListRow(s)
	if e.answer.truncated {
		room--
	}
	lineOf := func(i int) valueLine { return l.lines[i].valueLine }
	return nav.List[valueLine]{N: len(l.lines), Room: max(room, 1), Key: lineOf}
}

// shownAt returns the index of a line's variable among the shown variables.
func (l *variableLayout) shownAt(line int) int {
	return sort.Search(len(l.first), func(i int) bool { return l.first[i] > line }) - 1
}

// linesOf returns the first line of a variable and the line after its last.
func (l *variableLayout) linesOf(at int) (from, to int) {
	if at+1 < len(l.first) {
		return l.first[at], l.first[at+1]
	}
	return l.first[at], len(l.lines)
}

// moveBy is the code of an action that moves from variable to variable, but line by line through a variable that is
// higher than the screen.
func moveBy(by int) func(*FactSheet, *part.Scene) nav.Answer {
	return func(e *FactSheet, s *part.Scene) nav.Answer {
		e.moveBy(s, by)
		return nav.Taken
	}
}

func (e *FactSheet) moveBy(s *part.Scene, by int) {
	l := e.currentLayout(s)
	list := e.cursorList(s, l)
	if len(l.lines) == 0 {
		return
	}
	line := e.cursor.At(list)
	at := l.shownAt(line)
	from, to := l.linesOf(at)
	switch next := line + by; {
	case to-from > list.Room && next >= from && next < to:
		e.cursor.GoTo(list, next)
	case at+by >= 0 && at+by < len(l.first):
		e.showVariable(l, list, at+by, by)
	}
}

// showVariable puts the cursor on a variable, and shows all of it if it fits on the screen. Otherwise it shows the end
// that is nearer.
func (e *FactSheet) showVariable(l *variableLayout, list nav.List[valueLine], at, by int) {
	from, to := l.linesOf(at)
	if to-from <= list.Room {
		e.cursor.GoTo(list, to-1)
	} else if by < 0 {
		from = to - 1
	}
	e.cursor.GoTo(list, from)
}

// clickVariable puts the cursor on the variable under the mouse.
func (e *FactSheet) clickVariable(m tea.MouseClickMsg, s *part.Scene) {
	e.cursor.Click(m, e.cursorList(s, e.currentLayout(s)), firstListRow(s))
}
