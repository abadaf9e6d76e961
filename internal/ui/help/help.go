// Package help is the page that explains the keys of another page, and the marks and colors.
package help

import (
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/hint"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Page shows the keys of a page, and the meaning of the marks and colors.
type Page struct {
	Of     keys.Page // the page whose keys are shown
	Rows   []keys.Row
	Replay bool // the keys of a recording are shown too

	from int // the first line on the screen
}

// top is the row of the first line.
const top = 3

// Press scrolls.
func (p *Page) Press(msg tea.Msg, s *part.Scene) nav.Answer {
	room, last := p.rooms(s, p.columns(s.W, s.Banner))
	from, moved := nav.Scroll(msg, min(p.from, last), room, room, last)
	if !moved {
		return nav.Answer{}
	}
	p.from = from
	return nav.Taken
}

// rooms returns the number of lines that fit, and the highest first line to scroll to.
func (p *Page) rooms(s *part.Scene, columns []column) (room, last int) {
	room = max(s.H-1-top, 0)
	for _, c := range columns {
		last = max(last, len(c.lines)-room)
	}
	return room, last
}

// Wants returns nothing.
func (p *Page) Wants(*part.Scene) nav.Wants { return nav.Wants{} }

// Draw draws the page.
func (p *Page) Draw(f *part.Frame) {
	if f.Node != nil {
		header.Draw(f, false)
	} else {
		f.Put(1, 0, "nvnodetop", draw.Strong)
	}
	columns := p.columns(f.W, f.Banner)
	room, last := p.rooms(f.Scene, columns)
	from := min(p.from, last)
	right := nav.Position(from, from+room, last+room)
	if last == 0 {
		right = "q or Esc closes"
	}
	f.Section(2, "Help: "+string(p.Of), right)
	for _, c := range columns {
		for i, l := range c.lines[min(from, len(c.lines)):min(from+room, len(c.lines))] {
			if l.text == "" { // a title
				f.Left(c.x, top+i, c.wide, l.name, l.role)
				continue
			}
			f.Left(c.x, top+i, c.room, f.KeyName(l.name), l.role)
			f.Left(c.x+c.room, top+i, c.wide-c.room, l.text, draw.Text)
		}
	}
	part.Footer(f, f.Version, append(hint.Released(f.Scene), keys.HintOf(keys.Back),
		keys.HintOf(keys.Quit).As("close"))...)
}

// column is one column of the help, starting at column x.
type column struct {
	x, wide int
	room    int // width of the names
	lines   []line
}

// line is a line of the help: a name and its meaning. A title is only a name.
type line struct {
	name string
	role draw.Role
	text string
}

const (
	keysWide   = 16  // room for the keys of a row
	marksWide  = 13  // room for a mark
	twoColumns = 68  // the width from which there are two columns
	longTexts  = 100 // the width from which the keys have their long texts
)

// columns lays the help out: the keys beside the rest, or above it in a narrow terminal.
func (p *Page) columns(w int, banner string) []column {
	if w < twoColumns {
		c := column{x: 2, wide: w - 4, room: keysWide}
		c.banner(banner)
		p.keys(&c, false)
		c.marks()
		return []column{c}
	}
	left := column{x: 2, wide: (w - 6) / 2, room: keysWide}
	if w >= longTexts {
		left.wide = min(w-6-52, 110)
	}
	right := column{x: left.x + left.wide + 2, wide: w - left.wide - 6, room: marksWide}
	left.banner(banner)
	p.keys(&left, w >= longTexts)
	right.marks()
	return []column{left, right}
}

func (c *column) title(s string) {
	if len(c.lines) > 0 {
		c.lines = append(c.lines, line{})
	}
	c.lines = append(c.lines, line{name: s, role: draw.Strong})
}

// add adds a line, and continues it on the next ones if the text is too long.
func (c *column) add(name string, role draw.Role, text string) {
	for _, s := range draw.Wrap(text, max(c.wide-c.room, 10), "") {
		c.lines = append(c.lines, line{name, role, s})
		name, role = "", draw.Text
	}
}

// banner is the admins' message.
func (c *column) banner(s string) {
	if s == "" {
		return
	}
	c.title("From your admins")
	for _, l := range draw.Wrap(s, max(c.wide, 10), "") {
		c.lines = append(c.lines, line{name: l, role: draw.Text})
	}
}

func (p *Page) keys(c *column, long bool) {
	c.title("Keys")
	rows := p.Rows
	if p.Replay {
		rows = keys.InReplay(rows)
	}
	for _, row := range rows {
		text := row.Text
		if long && row.Long != "" {
			text = row.Long
		}
		c.add(row.Shown(), draw.Strong, text)
	}
}

// marks explains the marks and colors, and the options of the command line.
func (c *column) marks() {
	c.title("Marks")
	for _, m := range []struct {
		name string
		role draw.Role
		text string
	}{{"▲", draw.Warn, "warning"}, {"✗", draw.Crit, "error"}, {"◌", draw.Dim, "connecting"}} {
		c.add(m.name, m.role, m.text)
	}
	for _, l := range part.Letters {
		role := draw.WarnFill
		if l.Letter == 'X' {
			role = draw.CritFill
		}
		c.add(string(l.Letter), role, l.Full)
	}
	c.table(states)
	c.title("Colors")
	c.table(colors)
	c.title("Command-line options")
	c.table(options)
}

func (c *column) table(rows [][2]string) {
	for _, r := range rows {
		c.add(r[0], draw.Text, r[1])
	}
}

var (
	states = [][2]string{
		{"!SLOW", "hardware slowdown, reason not reported"},
		{"░", "not responding: the last values"},
		{"·", "no data yet"},
		{"n/a", "not reported by the driver"},
		{"–", "does not apply"},
		{"free", "a GPU that no job has"},
		{"[stale 12s]", "not responding for 12s"},
		{"(5 of 8)", "GPUs included in the total"},
		{"C G X M", "process type (column T): compute, graphics, both, MPS"},
	}
	colors = [][2]string{
		{"blue, gray", "normal (busy is good)"},
		{"amber", "warning"},
		{"white on red", "error: act on it"},
		{"C", "traffic-light colors by utilization (60/85)"},
	}
	options = [][2]string{
		{"--view", "auto, node, overview"},
		{"--colors", "job, classic"},
		{"--theme", "auto, dark, light, high-contrast, colorblind, mono"},
		{"--ascii", "ASCII characters only"},
	}
)
