// Package list is the list that all screens use: sorted and filtered rows, with a cursor in a window. The keys and the
// mouse mean the same on each list, and each has the same title, empty states and footer. It also draws the row under
// the cursor in full, on the pane beside the list.
//
// A list is an Of: its rows, its orders, its table, and the page behind Enter. The rows of a Snapshot are made, sorted
// and filtered once, and kept in the scene's memory; a frame draws only the rows on the screen. The cursor belongs to
// the thing that its row shows, and stays with that thing when rows come, go and are sorted again. A List belongs to
// one goroutine. Press changes the list; Draw changes nothing.
package list

import (
	"cmp"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/rows/filter"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Of describes a list. Functions are required unless their comment says what nil means.
type Of[Row any, Key comparable] struct {
	Name  func(s *part.Scene) string // the title
	Noun  string                     // the rows in words: "jobs"
	OfJob bool                       // the rows are those of the selected job, and each job has a filter of its own

	Rows    func(s *part.Scene) []Row       // all rows, in their first order
	Version func(s *part.Scene) any         // what the rows depend on besides the Snapshot and the job; nil: nothing
	Key     func(r *Row) Key                // identifies the thing that a row is about
	Class   func(r *Row) int                // rows of one class stay together in every order; nil: there is one class
	Lines   func(s *part.Scene, r *Row) int // number of lines of a row on the screen; nil: one

	// Shape returns everything that Arrange depends on. Arrange shapes the matching rows, which it gets in their first
	// order. If Shape is nil, or returns nil, the rows are not shaped.
	Shape   func(s *part.Scene) any
	Arrange func(s *part.Scene, rows []Row) []Row
	Unshape func() // ends the shape when the user sorts the rows

	Reads  Reads[Row]
	Orders []Order[Row] // in the order of the columns on the screen
	Usual  []string     // the columns through which one key cycles; the first is the order at the start
	Keys   *Keys        // nil: the keys of most lists

	On      func(s *part.Scene, r *Row) nav.Answer // called when the cursor comes to a row; nil: no effect
	Open    func(s *part.Scene, r *Row) nav.Answer
	Node    nodeOf[Row]
	Problem func(s *part.Scene, r *Row) bool // rows at which the keys for the next and previous problem stop; nil: none
	Own     nav.BoundCode                    // actions of the page, tried before those of the list; nil: none
	// Press answers a message before the list does; nil: the list answers all. at is the index of the row under the
	// cursor.
	Press func(msg tea.Msg, s *part.Scene, v *View[Row], at int) (a nav.Answer, did bool)

	// Place returns the row of the screen where the list begins, and its number of rows; nil: below the title.
	Place  func(s *part.Scene) (top, room int)
	Header func(f *part.Frame) // draws rows 0 and 1
	// Right is the text at the right of the title while all rows are on the screen; nil: none. Count draws everything
	// at the right of the title, from column x on; if it is nil, Right or the place is drawn.
	Right func(f *part.Frame, v *View[Row]) string
	Count func(f *part.Frame, v *View[Row], where string, x int)
	Above func(f *part.Frame, v *View[Row]) []string   // lines between the title and the table; nil: none
	Table func(f *part.Frame, v *View[Row]) Table[Row] // nil: Row draws a row
	Row   func(f *part.Frame, y int, r *Row, selected bool) (below int)
	None  func(f *part.Frame) string // the reason why there are no rows
	// Detail draws a row in full, on the pane beside the list in a wide terminal, with parts of the page that Open
	// opens. It sends no requests. nil: there is no pane.
	Detail func(f *part.Frame, r *Row)
	Hints  []keys.Hint // hints of the footer, the most useful first
	// Opens says in a word what Enter opens on the row under the cursor; "": nothing. nil: "open" on every row
	Opens func(s *part.Scene, r *Row) string
	// RowHints are the other keys that have an effect on the row under the cursor; nil: there are none
	RowHints func(s *part.Scene, r *Row) []keys.Hint
	Wants    nav.Wants
}

// Keys are the keys that differ between lists.
type Keys struct{ Filter, Next, Before, After, Reverse key.Binding }

// usualKeys are the keys of most lists.
var usualKeys = &Keys{keys.Filter, keys.Worst, keys.SortBefore, keys.SortAfter, keys.ReverseRows}

// Table draws rows in columns.
type Table[Row any] interface {
	// Head draws the headings in row y, with a mark after the heading of the column that sorts the rows.
	Head(f *part.Frame, y int, by string, down bool)
	Row(f *part.Frame, y int, r *Row, selected bool)
	// At returns the column whose heading is at x; "": none.
	At(x int) string
}

// List is a list with the user's choices.
type List[Row any, Key comparable] struct {
	Of[Row, Key]
	Filter *footer.FilterPrompt
	Sorted Sorting

	cursor nav.Cursor[Key]
	code   nav.CodeTable[*List[Row, Key]]
}

// New returns a list in its first state.
func New[Row any, Key comparable](past *footer.History, of Of[Row, Key]) *List[Row, Key] {
	l := &List[Row, Key]{Of: of, Filter: footer.NewFilterPrompt(of.Reads.Fields, past)}
	for _, o := range of.Orders {
		if o.Number == nil {
			of.Reads.about(o.Column) // panics if there is no such field
		}
	}
	l.Keys = cmp.Or(of.Keys, usualKeys)
	l.code = codeOf(l)
	l.Sorted = l.By(of.Usual[0], false)
	return l
}

// Match shows only the rows that match e, until the user types a filter.
func (l *List[Row, Key]) Match(e *filter.Expr) { l.Filter.Begin(e) }

// Wants implements a page.
func (l *List[Row, Key]) Wants(*part.Scene) nav.Wants { return l.Of.Wants }

// filterJob returns the ID under which the filter is kept.
func (l *List[Row, Key]) filterJob(s *part.Scene) string {
	if l.OfJob {
		return s.Job.ID
	}
	return ""
}

// titleRow is the row of the title. The headings are in the next row, or below the lines of Above.
const titleRow = 2

// firstListRow returns the row of the first row of the list, below the headings if there are any.
func (l *List[Row, Key]) firstListRow(s *part.Scene, v *View[Row]) int {
	s = l.Beside(s)
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

// cursorList describes the present list for the cursor.
func (l *List[Row, Key]) cursorList(s *part.Scene, v *View[Row]) nav.List[Key] {
	s = l.Beside(s)
	room := s.H - 1 - l.firstListRow(s, v)
	if l.Place != nil {
		_, room = l.Place(s)
	}
	list := nav.List[Key]{
		N: v.Len(), Room: room - l.Filter.Rows(l.filterJob(s)), Key: func(i int) Key { return l.Key(v.At(i)) },
	}
	if l.Lines != nil {
		list.Lines = func(i int) int { return l.Lines(s, v.At(i)) }
	}
	return list
}

// Cursor returns the thing that was under the cursor after its last move.
func (l *List[Row, Key]) Cursor() Key { return l.cursor.On() }

// GoTo puts the cursor on a row, or on the nearest existing row.
func (l *List[Row, Key]) GoTo(s *part.Scene, i int) nav.Answer {
	v := l.View(s)
	return l.notifyCursor(s, v, l.cursor.GoTo(l.cursorList(s, v), i))
}

// Top shows the rows from the first on, as far as the cursor stays visible.
func (l *List[Row, Key]) Top() { l.cursor.Top() }

// notifyCursor calls On for the row at an index; -1: there is none.
func (l *List[Row, Key]) notifyCursor(s *part.Scene, v *View[Row], at int) nav.Answer {
	if at < 0 || l.On == nil {
		return nav.Taken
	}
	return l.On(s, v.At(at))
}

// Draw draws the page.
func (l *List[Row, Key]) Draw(f *part.Frame) {
	l.Header(f)
	v := l.View(f.Scene)
	l.drawTitle(f, v)
	l.drawContent(l.Split(f), v)
	if l.Filter.Typing(l.filterJob(f.Scene)) {
		l.Filter.Draw(f, v.Len(), v.All)
		return
	}
	footer.Draw(f, "", l.footerHints(f.Scene)...)
}

// drawContent draws the list below its title, or the reason why it is empty.
func (l *List[Row, Key]) drawContent(f *part.Frame, v *View[Row]) {
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
		f.Left(3, y, f.W-4, l.Filter.None(l.filterJob(f.Scene), l.Noun, f.W-4), draw.Text)
	default:
		f.Left(3, y, f.W-4, l.None(f), draw.Dim)
	}
}

// drawTitle draws the rule above the list: the title, or the number of rows that match the filter, and which rows are
// on the screen.
func (l *List[Row, Key]) drawTitle(f *part.Frame, v *View[Row]) {
	name, job := l.Name(f.Scene), l.filterJob(f.Scene)
	f.Section(titleRow, name, "")
	x := 2 + draw.Width(name) + 2
	if l.Filter.On(job) {
		x = f.Put(x+1, titleRow, " "+l.Filter.Title(job, v.Len(), v.All, "", "", f.W-x-6)+" ", draw.Strong)
	}
	where := l.cursor.Window(l.cursorList(f.Scene, v)).Where()
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
	list := l.cursorList(f.Scene, v)
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
