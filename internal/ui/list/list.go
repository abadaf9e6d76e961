// Package list is the list that all screens use: sorted and filtered rows, with a cursor in a window. The keys and the
// mouse mean the same on each list, and each has the same title, empty states and footer.
//
// A list is an Of: its rows, its orders, its table, and what Enter opens. The rows of a Snapshot are made, sorted and
// filtered once, and kept in the memory of the scene; a frame draws those on the screen only. The cursor belongs to the
// thing that its row shows: it stays with that thing when rows come, go and are sorted anew. A List belongs to one
// goroutine. Press changes the list; Draw changes nothing.
package list

import (
	"cmp"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/filter"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/hint"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/prompt"
)

// Of says what a list is of. Functions without a comment about nil must be there.
type Of[Row any, Key comparable] struct {
	Name  func(s *part.Scene) string // the title
	Noun  string                     // the rows in words: "jobs"
	OfJob bool                       // the rows are those of the selected job, and each job has a filter of its own

	Rows    func(s *part.Scene) []Row       // all, in their first order
	Version func(s *part.Scene) any         // of what else the rows are; nil: of the Snapshot and the job alone
	Key     func(r *Row) Key                // what a row is about
	Class   func(r *Row) int                // rows of one class stay together in each order; nil: all are of one
	Lines   func(s *part.Scene, r *Row) int // of a row on the screen; nil: each has one

	// Shape says on what the shape depends that Arrange gives to the rows that match, in their first order; nil, or a
	// nil result: they have none.
	Shape   func(s *part.Scene) any
	Arrange func(s *part.Scene, rows []Row) []Row
	Unshape func() // ends the shape, when the rows are sorted

	Reads  Reads[Row]
	Orders []Order[Row] // as the columns stand on the screen
	Usual  []string     // the columns of the orders that one key goes through; the first is the order at the start
	Keys   *Keys        // nil: those of most lists

	On      func(s *part.Scene, r *Row) nav.Answer // the cursor is on that row; nil: nobody needs to know
	Open    func(s *part.Scene, r *Row) nav.Answer
	Problem func(s *part.Scene, r *Row) bool // the keys that lead from problem to problem stop there; nil: nowhere
	// Press answers a message before the list does; nil: none. at is the place of the row of the cursor.
	Press func(msg tea.Msg, s *part.Scene, v *View[Row], at int) (a nav.Answer, did bool)

	// Place is where the first row of the list is on the screen, and for how many there is room; nil: below the title.
	Place  func(s *part.Scene) (top, room int)
	Header func(f *part.Frame) // draws rows 0 and 1
	// Right is right in the title where all rows are on the screen; nil: nothing. Count draws all that is right in it,
	// from column x on; nil: Right does.
	Right func(f *part.Frame, v *View[Row]) string
	Count func(f *part.Frame, v *View[Row], where string, x int)
	Above func(f *part.Frame, v *View[Row]) []string   // lines between the title and the table; nil: none
	Table func(f *part.Frame, v *View[Row]) Table[Row] // nil: Row draws a row
	Row   func(f *part.Frame, y int, r *Row, selected bool) (below int)
	None  func(f *part.Frame) string // why there are no rows
	Hints []keys.Hint                // of the footer, the most useful first
	Wants nav.Wants
}

// Keys are the keys of a list that are not the same on all.
type Keys struct{ Filter, Next, Before, After, Reverse key.Binding }

// usualKeys are those of most lists.
var usualKeys = &Keys{keys.Filter, keys.Worst, keys.SortBefore, keys.SortAfter, keys.ReverseRows}

// Table draws rows in columns.
type Table[Row any] interface {
	// Head draws the headings in row y, with a mark behind that of the column by which the rows are sorted.
	Head(f *part.Frame, y int, by string, down bool)
	Row(f *part.Frame, y int, r *Row, selected bool)
	// At is the column whose heading is at x; "": none is.
	At(x int) string
}

// List is a list with what the user has chosen.
type List[Row any, Key comparable] struct {
	Of[Row, Key]
	Filter *prompt.Filter
	Sorted Sorting

	cursor nav.Cursor[Key]
}

// New returns a list as it is at the start.
func New[Row any, Key comparable](past *prompt.History, of Of[Row, Key]) *List[Row, Key] {
	l := &List[Row, Key]{Of: of, Filter: prompt.New(of.Reads.Fields, past)}
	l.Keys = cmp.Or(of.Keys, usualKeys)
	l.Sorted = l.By(of.Usual[0], false)
	return l
}

// Match shows only these rows, until the user filters them.
func (l *List[Row, Key]) Match(e *filter.Expr) { l.Filter.Begin(e) }

// Wants implements a page.
func (l *List[Row, Key]) Wants(*part.Scene) nav.Wants { return l.Of.Wants }

// job is the ID by which the filter is kept.
func (l *List[Row, Key]) job(s *part.Scene) string {
	if l.OfJob {
		return s.Job.ID
	}
	return ""
}

// titleRow is the row of the title. That of the headings is below, or below the lines of Above.
const titleRow = 2

// top is the row of the first row, behind the headings if there are any.
func (l *List[Row, Key]) top(s *part.Scene, v *View[Row]) int {
	if l.Place != nil {
		top, _ := l.Place(s)
		return top
	}
	top := titleRow + 1
	if l.Table != nil {
		top++
	}
	if l.Above != nil {
		top += len(l.Above(&part.Frame{Scene: s}, v))
	}
	return top
}

// list is the list as it is now.
func (l *List[Row, Key]) list(s *part.Scene, v *View[Row]) nav.List[Key] {
	room := s.H - 1 - l.top(s, v)
	if l.Place != nil {
		_, room = l.Place(s)
	}
	list := nav.List[Key]{
		N: v.Len(), Room: room - l.Filter.Rows(l.job(s)), Key: func(i int) Key { return l.Key(v.At(i)) },
	}
	if l.Lines != nil {
		list.Lines = func(i int) int { return l.Lines(s, v.At(i)) }
	}
	return list
}

// Cursor is what the cursor was last put on.
func (l *List[Row, Key]) Cursor() Key { return l.cursor.On() }

// GoTo puts the cursor on a row, or on the nearest one that there is.
func (l *List[Row, Key]) GoTo(s *part.Scene, i int) nav.Answer {
	v := l.View(s)
	return l.on(s, v, l.cursor.GoTo(l.list(s, v), i))
}

// Top shows the rows from the first on, as far as the cursor permits.
func (l *List[Row, Key]) Top() { l.cursor.Top() }

// on says that the cursor is on a row; -1: there is none.
func (l *List[Row, Key]) on(s *part.Scene, v *View[Row], at int) nav.Answer {
	if at < 0 || l.On == nil {
		return nav.Taken
	}
	return l.On(s, v.At(at))
}

// Draw draws the page.
func (l *List[Row, Key]) Draw(f *part.Frame) {
	l.Header(f)
	v := l.View(f.Scene)
	l.title(f, v)
	y := titleRow + 1
	if l.Above != nil {
		for _, line := range l.Above(f, v) {
			f.Left(3, y, f.W-4, line, draw.Dim)
			y++
		}
	}
	switch {
	case v.Len() > 0:
		l.Body(f, y)
	case v.All > 0:
		f.Left(3, y, f.W-4, l.Filter.None(l.job(f.Scene), l.Noun, f.W-4), draw.Text)
	default:
		f.Left(3, y, f.W-4, l.None(f), draw.Dim)
	}
	if l.Filter.Typing(l.job(f.Scene)) {
		l.Filter.Draw(f, v.Len(), v.All)
		return
	}
	part.Footer(f, "", l.hints(f.Scene)...)
}

// title draws the rule above the list: the title, or how many of all rows match the filter, and which rows are on the
// screen.
func (l *List[Row, Key]) title(f *part.Frame, v *View[Row]) {
	name, job := l.Name(f.Scene), l.job(f.Scene)
	f.Section(titleRow, name, "")
	x := 2 + draw.Width(name) + 2
	if l.Filter.On(job) {
		x = f.Put(x+1, titleRow, " "+l.Filter.Title(job, v.Len(), v.All, "", "", f.W-x-6)+" ", draw.Strong)
	}
	where := l.cursor.Window(l.list(f.Scene, v)).Where()
	if l.Count != nil {
		l.Count(f, v, where, x+1)
		return
	}
	if where == "" && l.Right != nil {
		where = l.Right(f, v)
	}
	if right := " " + where + " "; where != "" && x+draw.Width(right)+2 < f.W-2 {
		f.Put(f.W-2-draw.Width(right), titleRow, right, draw.Dim)
	}
}

// Body draws the rows on the screen from row y on, below their headings.
func (l *List[Row, Key]) Body(f *part.Frame, y int) {
	v := l.View(f.Scene)
	list := l.list(f.Scene, v)
	w, at := l.cursor.Window(list), l.cursor.At(list)
	if l.Table == nil {
		for i := w.From; i < w.From+w.Shown; i++ {
			y = l.Row(f, y, v.At(i), i == at)
		}
		return
	}
	t := l.Table(f, v)
	t.Head(f, y, l.Sorted.By, l.Sorted.Down)
	for i := w.From; i < w.From+w.Shown && y+1 < f.H-1; i++ {
		y++
		t.Row(f, y, v.At(i), i == at)
	}
}

// hints are the keys of the footer: the way back from what hides rows first.
func (l *List[Row, Key]) hints(s *part.Scene) []keys.Hint {
	hints := hint.Released(s)
	if l.Filter.On(l.job(s)) {
		hints = append(hints, keys.HintOf(keys.Filter))
	}
	for _, h := range l.Hints {
		switch {
		case h == keys.Jobs && len(s.Snap.Jobs) < 2:
		case h == keys.HintOf(keys.Worst):
			hints = append(hints, h.As("sort: "+l.Words(l.Sorted.By)))
		default:
			hints = append(hints, h)
		}
	}
	return append(hint.Once(append(hints, keys.HintOf(keys.Back))), hint.Last...)
}
