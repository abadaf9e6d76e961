package list

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Press moves the cursor, sorts, filters, and opens the row under the cursor.
func (l *List[Row, Key]) Press(msg tea.Msg, s *part.Scene) nav.Answer {
	if l.Filter.Typing(l.filterJob(s)) {
		if !l.Filter.Press(msg) {
			return nav.Answer{}
		}
		return l.Stay(s)
	}
	l.Filter.Close() // the filter was for another job
	v := l.View(s)
	list := l.cursorList(s, v)
	at := l.cursor.At(list)
	if l.Own != nil {
		if a := l.Own.Do(msg, s); a.Taken {
			return a
		}
	}
	if l.Of.Press != nil {
		if a, did := l.Of.Press(msg, s, v, at); did {
			return a
		}
	}
	if at, moved := l.cursor.Move(msg, list); moved {
		return l.notifyCursor(s, v, at)
	}
	switch m := msg.(type) {
	case tea.MouseClickMsg:
		return l.handleClick(m, s, v)
	case tea.KeyPressMsg:
		return l.code.Do(l, m, s)
	}
	return nav.Answer{}
}

// Stay keeps the cursor on its thing after the rows or their order have changed.
func (l *List[Row, Key]) Stay(s *part.Scene) nav.Answer {
	v := l.View(s)
	return l.GoTo(s, l.cursor.At(l.cursorList(s, v)))
}

// codeOf is the code of the actions of a list, without those that it lacks.
func codeOf[Row any, Key comparable](l *List[Row, Key]) nav.CodeTable[*List[Row, Key]] {
	type list = List[Row, Key]
	code := nav.CodeTable[*list]{{Of: keys.Open, Do: openCursor[Row, Key]}, {Of: keys.Back, Do: unfilter[Row, Key]}}
	if l.Problem != nil {
		code = append(code, nav.CodeTable[*list]{
			{Of: keys.NextProblem, Do: toProblem[Row, Key](+1)}, {Of: keys.PrevProblem, Do: toProblem[Row, Key](-1)},
		}...)
	}
	if l.Node != nil {
		code = append(code, nav.CodeTable[*list]{
			{Of: keys.PrevNode, Do: toNode[Row, Key](-1)}, {Of: keys.NextNode, Do: toNode[Row, Key](+1)},
		}...)
	}
	own := nav.CodeTable[*list]{
		{Of: l.Keys.Next, Do: sortNext[Row, Key]}, {Of: l.Keys.Before, Do: sortBeside[Row, Key](-1)},
		{Of: l.Keys.After, Do: sortBeside[Row, Key](+1)}, {Of: l.Keys.Reverse, Do: reverse[Row, Key]},
		{Of: l.Keys.Filter, Do: openFilter[Row, Key]},
	}
	for _, c := range own {
		if c.Of.Enabled() {
			code = append(code, c)
		}
	}
	return code
}

// Actions returns the actions that have code.
func (l *List[Row, Key]) Actions() []key.Binding {
	all := slices.Concat(l.code.Actions(), nav.Moves)
	if l.Own != nil {
		all = append(all, l.Own.Actions()...)
	}
	return all
}

func openCursor[Row any, Key comparable](l *List[Row, Key], s *part.Scene) nav.Answer {
	return l.openRow(s, l.View(s), l.At(s))
}

// unfilter shows all rows again.
func unfilter[Row any, Key comparable](l *List[Row, Key], s *part.Scene) nav.Answer {
	if !l.Filter.On(l.filterJob(s)) {
		return nav.Answer{}
	}
	l.Filter.Clear(l.filterJob(s))
	return l.Stay(s)
}

func openFilter[Row any, Key comparable](l *List[Row, Key], s *part.Scene) nav.Answer {
	l.Filter.Open(l.filterJob(s))
	return nav.Taken
}

// sortNext sorts by the next of the usual columns.
func sortNext[Row any, Key comparable](l *List[Row, Key], s *part.Scene) nav.Answer {
	l.Sorted = l.nextUsual(l.Sorted)
	l.cursor.Top()
	return l.GoTo(s, 0)
}

func reverse[Row any, Key comparable](l *List[Row, Key], s *part.Scene) nav.Answer {
	return l.Sort(s, l.clickHeading(l.Sorted, l.Sorted.By))
}

func sortBeside[Row any, Key comparable](by int) func(*List[Row, Key], *part.Scene) nav.Answer {
	return func(l *List[Row, Key], s *part.Scene) nav.Answer { return l.Sort(s, l.shiftOrder(l.Sorted, by)) }
}

func toProblem[Row any, Key comparable](by int) func(*List[Row, Key], *part.Scene) nav.Answer {
	return func(l *List[Row, Key], s *part.Scene) nav.Answer {
		return l.GoTo(s, l.nextProblemRow(s, l.View(s), l.At(s), by))
	}
}

func toNode[Row any, Key comparable](by int) func(*List[Row, Key], *part.Scene) nav.Answer {
	return func(l *List[Row, Key], s *part.Scene) nav.Answer {
		v := l.View(s)
		if !l.Node.hasSeveralNodes(s, v) {
			return nav.Answer{}
		}
		return l.GoTo(s, l.Node.nextNodeRow(s, v, l.At(s), by))
	}
}

// Sort sorts the rows. A cursor on the first row stays there; a cursor on another row stays on its thing.
func (l *List[Row, Key]) Sort(s *part.Scene, by Sorting) nav.Answer {
	v := l.View(s)
	at := l.cursor.At(l.cursorList(s, v))
	l.Sorted = by
	if l.Unshape != nil {
		l.Unshape()
	}
	if at == 0 {
		return l.GoTo(s, 0)
	}
	return l.Stay(s)
}

// nextProblemRow returns the index of the next row with a problem, with a wrap at the ends; the same index if there is
// no other.
func (l *List[Row, Key]) nextProblemRow(s *part.Scene, v *View[Row], at, by int) int {
	return nav.Next(v.Len(), at, by, func(i int) bool { return l.Problem(s, v.At(i)) })
}

// openRow opens the row at an index, and puts the cursor on it.
func (l *List[Row, Key]) openRow(s *part.Scene, v *View[Row], at int) nav.Answer {
	if l.cursor.GoTo(l.cursorList(s, v), at) < 0 {
		return nav.Taken
	}
	return l.Open(s, v.At(at))
}

// handleClick sorts by the heading under the mouse, or selects the row there. A click on the selected row, or on the
// pane, opens the row.
func (l *List[Row, Key]) handleClick(m tea.MouseClickMsg, s *part.Scene, v *View[Row]) nav.Answer {
	top := l.firstListRow(s, v)
	if l.onPane(m, s) {
		if m.Button != tea.MouseLeft {
			return nav.Taken
		}
		return l.openRow(s, v, l.cursor.At(l.cursorList(s, v)))
	}
	s = l.Beside(s)
	if l.Table != nil && v.Len() > 0 && m.Y == top-1 && m.Button == tea.MouseLeft {
		if column := l.Table(&part.Frame{Scene: s}, v).At(m.X); l.orderIndex(column) >= 0 {
			return l.Sort(s, l.clickHeading(l.Sorted, column))
		}
		return nav.Taken
	}
	at, again := l.cursor.Click(m, l.cursorList(s, v), top)
	if again {
		return l.openRow(s, v, at)
	}
	return l.notifyCursor(s, v, at)
}
