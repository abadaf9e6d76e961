// Package palette lists everything that the user can do now, and everything that can be found: actions, pages, jobs,
// nodes, ranks, processes, users, settings, marks. It is also the help of each page. Typing searches the list, and
// Enter runs the line under the cursor.
//
// The palette covers a page, which is drawn faint behind it. It does nothing itself: Enter closes it, and its Answer
// has the keys to press then, or the destination. So a signal still asks for confirmation. A Page belongs to one
// goroutine.
package palette

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Item is a line of the palette.
type Item struct {
	Group string    // the heading above it, without a search
	Text  string    // the text that a search covers
	Also  string    // other names that a search covers, separated by commas
	Note  string    // more about it, dim
	Key   string    // its keys, as a footer names them
	Not   string    // why it cannot be done now; "": it can
	Role  draw.Role // of Text: marks look as on the pages; the zero Role is that of all others

	Go      nav.Go       // the destination
	Do      tea.Msg      // the message that does its action, there; nil: it has none
	Then    tea.Msg      // a second message
	Copy    string       // text for the clipboard
	Subject keys.Subject // what its action acts on
	Needs   keys.Need    // what its action needs of that
	Away    bool         // its action belongs to another page: if it has a Subject, the palette asks for it
}

// Runs reports whether Enter does anything with the item: marks and colors are only explained.
func (i *Item) Runs() bool { return i.Do != nil || i.Copy != "" || i.Go != nav.Go{} }

// onlyGoes reports whether the item leads somewhere, and changes nothing there.
func (i *Item) onlyGoes() bool { return i.Do == nil && i.Copy == "" && i.Go.Choice == "" }

// Source has the items of a palette.
type Source struct {
	About string // the subject of the actions: "gpu-n02 GPU3, rank 11"
	// Finds says that the user searches for anything: things are searched, too, and the most used come first. Otherwise
	// the palette is the help of the page, and a search covers the things only if it finds nothing there.
	Finds bool
	// Here returns the actions of this page, in groups, for an empty search
	Here func(s *part.Scene) []Item
	// There returns the items that only a search finds
	There func(s *part.Scene) []*Item
	// Which returns the things that an action can act on, each with the way to do it; nil: there are none
	Which func(it *Item, s *part.Scene) []Item
}

// longest is the largest number of characters in a search.
const longest = 100

// Page is the palette.
type Page struct {
	of     *Source
	line   *footer.InputLine
	cursor nav.Cursor[string]
	used   map[string]int // how often an item was run, by its text
	open   bool
	chosen bool   // the user has moved the cursor
	said   string // why the last Enter ran nothing; "": it was not pressed
}

// Open shows the palette, with an empty search.
func (p *Page) Open(of *Source) {
	if p.used == nil {
		p.used = map[string]int{}
	}
	p.of, p.line, p.open = of, footer.NewInputLine("", longest), true
	p.restartSearch()
}

// restartSearch puts the cursor on the first item.
func (p *Page) restartSearch() { p.cursor, p.chosen, p.said = nav.Cursor[string]{}, false, "" }

// IsOpen reports whether the palette has the keyboard.
func (p *Page) IsOpen() bool { return p.open }

// Close closes the palette.
func (p *Page) Close() { p.open = false }

// Wants returns nothing.
func (p *Page) Wants(*part.Scene) nav.Wants { return nav.Wants{} }

// Press edits the search, moves the cursor, and runs the item under it. It takes every message except Ctrl-C.
func (p *Page) Press(msg tea.Msg, s *part.Scene) nav.Answer {
	l := p.shownItems(s)
	switch m := msg.(type) {
	case tea.KeyPressMsg:
		return p.key(m, l, s)
	case tea.MouseClickMsg:
		if !s.InModal(m.X, m.Y, wide, boxHeight(s)) {
			p.open = false
		} else if at, again := p.cursor.Click(m, l.List, p.firstListRow(s)); at >= 0 && again && p.hasChoice(l) {
			return p.runAction(l, s)
		} else if at >= 0 {
			p.chosen = true
		}
	case tea.MouseWheelMsg:
		p.cursor.Move(m, l.List)
	case tea.PasteMsg:
		p.line.Edit(m)
		p.restartSearch()
	}
	return nav.Taken
}

// hasChoice reports whether Enter runs the item under the cursor: a guess has to be chosen first.
func (p *Page) hasChoice(l shownItems) bool { return p.chosen || !l.weak }

func (p *Page) key(k tea.KeyPressMsg, l shownItems, s *part.Scene) nav.Answer {
	switch {
	case key.Matches(k, keys.Interrupt):
		return nav.Answer{}
	case key.Matches(k, keys.Cancel), p.line.Text() == "" && key.Matches(k, keys.Help, keys.Palette) && k.Text != "h":
		p.open = false
	case key.Matches(k, keys.Keep):
		return p.runAction(l, s)
	case key.Matches(k, keys.Complete):
		if at := p.cursor.At(l.List); at < len(l.items) {
			p.line = footer.NewInputLine(l.items[at].Text, longest)
		}
	case isArrow(k):
		p.moveCursor(k, l)
	case p.line.Edit(k):
		p.restartSearch()
	}
	return nav.Taken
}

// isArrow reports whether a key moves the cursor even though letters are text.
func isArrow(k tea.KeyPressMsg) bool {
	return k.Text == "" && k.Mod == 0 && key.Matches(k, keys.Up, keys.Down, keys.PageUp, keys.PageDown, keys.First,
		keys.Last)
}

// moveCursor moves the cursor; up from the first line leads to the last.
func (p *Page) moveCursor(k tea.KeyPressMsg, l shownItems) {
	before, first := p.cursor.At(l.List), !p.hasChoice(l)
	if p.chosen, p.said = true, ""; first && key.Matches(k, keys.Down) {
		return
	}
	at, _ := p.cursor.Move(k, l.List)
	switch {
	case at != before:
	case key.Matches(k, keys.Up):
		p.cursor.GoTo(l.List, l.N-1)
	case key.Matches(k, keys.Down):
		p.cursor.GoTo(l.List, 0)
	}
}
