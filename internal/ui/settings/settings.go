// Package settings is the page on which the user changes the look of the screen. A change takes effect at once, for
// this run only. On request, the caller writes the changes to the user's file.
//
// A Page belongs to one goroutine. Drawing changes only the canvas.
package settings

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Choices are the settings that the page can change.
type Choices struct {
	Theme string // one of draw.Themes; "": draw.Auto
	// the page to start with; "auto" or "": the overview for a job of several nodes, otherwise the node view
	View string
	part.Look
}

// Changed returns the keys of the settings in which two Choices differ.
func (c *Choices) Changed(since *Choices) (all []string) {
	for i := range simple {
		if s := &simple[i]; s.differs(c, since) && !slices.Contains(all, s.key) {
			all = append(all, s.key)
		}
	}
	for _, t := range rows.ColumnTables {
		if *c.Columns.At(t) != *since.Columns.At(t) {
			all = append(all, "columns."+string(t))
		}
	}
	return all
}

// Saved is the message that the changes were written, and where, or why not.
type Saved struct {
	Choices
	Path string
	Err  error
}

// Page is the page of the settings.
type Page struct {
	Now     Choices  // in effect
	written Choices  // in the user's file
	wants   *Choices // to be written; nil: nothing
	writing bool     // a write is in progress
	last    *Saved   // the last write, if nothing was changed since

	News  []News // none: nothing is shown about them
	tries tries

	search footer.Search
	cursor nav.Cursor[row]
}

// Begin starts with these choices, which come from the settings.
func (p *Page) Begin(c Choices) { p.Now, p.written = c, c }

// Unwritten returns, once, the choices that the user wants written, and their keys; none if there is nothing to write.
// While a write is in progress it returns none until Told: of two simultaneous writes, the earlier one could take
// effect last.
func (p *Page) Unwritten() (wanted Choices, changed []string) {
	if p.writing || p.wants == nil {
		return Choices{}, nil
	}
	wanted, p.wants = *p.wants, nil
	changed = wanted.Changed(&p.written)
	p.writing = len(changed) > 0
	return wanted, changed
}

// Wants returns nothing.
func (p *Page) Wants(*part.Scene) nav.Wants { return nav.Wants{} }

// Titles returns the names of the settings, without the columns of tables.
func Titles() (list []string) {
	for i := range simple {
		list = append(list, simple[i].title)
	}
	return list
}

// ColumnTitles returns the titles of the tables whose columns can be chosen.
func ColumnTitles() (list []string) {
	for _, t := range rows.ColumnTables {
		list = append(list, tables[t])
	}
	return list
}

// TryNews begins a choice that requests a test message in some way, for Arrive.
const TryNews = "test message by "

// Arrive puts the cursor on the setting that was chosen, or applies the theme that was chosen: "theme light".
func (p *Page) Arrive(s *part.Scene, to nav.Go) nav.Answer {
	if name, is := strings.CutPrefix(to.Choice, "theme "); is && slices.Contains(draw.Themes, name) {
		p.Now.Theme, p.last = name, nil
		to.Choice = themeTitle
	}
	if way, is := strings.CutPrefix(to.Choice, TryNews); is {
		p.cursor.GoTo(p.cursorList(s), max(slices.Index(p.listRows(), row{what: news, name: way}), 0))
		p.startTest(way)
	}
	if to.Choice != "" {
		p.search.End()
	}
	chosen := func(r row) bool { return to.Choice != "" && r.title() == to.Choice }
	if at := slices.IndexFunc(p.listRows(), chosen); at >= 0 {
		p.cursor.GoTo(p.cursorList(s), at)
	}
	return nav.Answer{}
}

// Press moves the cursor, and changes the setting under it.
func (p *Page) Press(msg tea.Msg, s *part.Scene) nav.Answer {
	if p.search.Typing() {
		return nav.Answer{Taken: p.search.Press(msg)}
	}
	l := p.cursorList(s)
	if at, moved := p.cursor.Move(msg, l); moved {
		p.cursor.GoTo(l, at)
		return nav.Taken
	}
	switch m := msg.(type) {
	case tea.MouseClickMsg:
		p.cursor.Click(m, l, top)
		return nav.Taken
	case tea.KeyPressMsg:
		return p.key(m, s)
	}
	return nav.Answer{}
}

// code is the code of the page's own actions. News have no values: their key sends a test message.
var code = nav.CodeTable[*Page]{
	{Of: keys.NextValue, Do: (*Page).nextValue},
	{Of: keys.PrevValue, Do: change(func(c *Choices, on row) { c.nextValue(on, -1) })},
	{Of: keys.Later, Do: change(func(c *Choices, on row) { c.moveColumn(on, +1) })},
	{Of: keys.Earlier, Do: change(func(c *Choices, on row) { c.moveColumn(on, -1) })},
	{Of: keys.Usual, Do: change((*Choices).resetRow)},
	{Of: keys.Write, Do: nav.ChangePage((*Page).save)},
	{Of: keys.Search, Do: nav.ChangePage(func(p *Page) { p.search.Open() })},
	{Of: keys.Back, Do: func(p *Page, _ *part.Scene) nav.Answer { return nav.Answer{Taken: p.search.End()} }},
}

// Actions returns the actions that have code.
func (p *Page) Actions() []key.Binding { return slices.Concat(code.Actions(), nav.Moves) }

func (p *Page) key(k tea.KeyPressMsg, s *part.Scene) nav.Answer {
	before, on := p.Now, p.at(s)
	p.tries.last = nil
	a := code.Do(p, k, s)
	if p.Now != before {
		p.last = nil
		p.cursor.GoTo(p.cursorList(s), slices.Index(p.listRows(), on))
	}
	return a
}

// at returns the row under the cursor.
func (p *Page) at(s *part.Scene) row {
	l := p.cursorList(s)
	if l.N == 0 {
		return row{what: nothing}
	}
	return l.Key(p.cursor.At(l))
}

func (p *Page) nextValue(s *part.Scene) nav.Answer {
	switch on := p.at(s); on.what {
	case news:
		p.startTest(on.name)
	case nothing:
	default:
		p.Now.nextValue(on, +1)
	}
	return nav.Taken
}

// change is the code of an action that changes the setting under the cursor.
func change(do func(c *Choices, on row)) func(*Page, *part.Scene) nav.Answer {
	return func(p *Page, s *part.Scene) nav.Answer {
		if on := p.at(s); on.what < news {
			do(&p.Now, on)
		}
		return nav.Taken
	}
}

func (p *Page) save() {
	wanted := p.Now
	p.wants = &wanted
}

// Told stores the result of a write.
func (p *Page) Told(s Saved) {
	p.writing = false
	if s.Err == nil {
		p.written = s.Choices
	}
	p.last = &s
}
