package page

import (
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Help shows the keys of a page, and what the marks and colors mean.
type Help struct {
	Of     keys.Page // whose keys
	Replay bool      // of a recording too

	from int // the first line on the screen
}

// helpTop is the row of the first line.
const helpTop = 3

// Press scrolls.
func (p *Help) Press(msg tea.Msg, s *part.Scene) nav.Answer {
	room, last := p.rooms(s, p.columns(s.W, s.Banner))
	from, moved := scrolled(msg, min(p.from, last), room, room, last)
	if !moved {
		return nav.Answer{}
	}
	p.from = from
	return nav.Taken
}

// rooms returns how many lines fit, and the highest first line to scroll to.
func (p *Help) rooms(s *part.Scene, columns []helpColumn) (room, last int) {
	room = max(s.H-1-helpTop, 0)
	for _, c := range columns {
		last = max(last, len(c.lines)-room)
	}
	return room, last
}

// Wants nothing.
func (p *Help) Wants(*part.Scene) nav.Wants { return nav.Wants{} }

// Draw draws the page.
func (p *Help) Draw(f *part.Frame) {
	if f.Node != nil {
		part.Header(f, false)
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
				f.Left(c.x, helpTop+i, c.wide, l.name, l.role)
				continue
			}
			f.Left(c.x, helpTop+i, c.room, f.KeyName(l.name), l.role)
			f.Left(c.x+c.room, helpTop+i, c.wide-c.room, l.text, draw.Text)
		}
	}
	part.Footer(f, f.Version, append(released(f.Scene), keys.HintOf(keys.Back), keys.HintOf(keys.Quit).As("close"))...)
}

// helpColumn is one column of the help, starting at column x.
type helpColumn struct {
	x, wide int
	room    int // for the names
	lines   []helpLine
}

// helpLine is a line of the help: a name and what it means. A title is a name alone.
type helpLine struct {
	name string
	role draw.Role
	text string
}

const (
	helpKeys  = 16  // room for the keys of a row
	helpMarks = 13  // room for a mark
	helpTwo   = 68  // the width from which there are two columns
	helpLong  = 100 // the width from which the keys have their long texts
)

// columns lays the help out: the keys beside the rest, or above it in a narrow terminal.
func (p *Help) columns(w int, banner string) []helpColumn {
	if w < helpTwo {
		c := helpColumn{x: 2, wide: w - 4, room: helpKeys}
		c.banner(banner)
		p.keys(&c, false)
		c.marks()
		return []helpColumn{c}
	}
	left := helpColumn{x: 2, wide: (w - 6) / 2, room: helpKeys}
	if w >= helpLong {
		left.wide = min(w-6-52, 110)
	}
	right := helpColumn{x: left.x + left.wide + 2, wide: w - left.wide - 6, room: helpMarks}
	left.banner(banner)
	p.keys(&left, w >= helpLong)
	right.marks()
	return []helpColumn{left, right}
}

func (c *helpColumn) title(s string) {
	if len(c.lines) > 0 {
		c.lines = append(c.lines, helpLine{})
	}
	c.lines = append(c.lines, helpLine{name: s, role: draw.Strong})
}

// add adds a line, and more below it where the text is longer than the room for it.
func (c *helpColumn) add(name string, role draw.Role, text string) {
	for _, s := range draw.Wrap(text, max(c.wide-c.room, 10), "") {
		c.lines = append(c.lines, helpLine{name, role, s})
		name, role = "", draw.Text
	}
}

// banner is what the admins want to say.
func (c *helpColumn) banner(s string) {
	if s == "" {
		return
	}
	c.title("From your admins")
	for _, l := range draw.Wrap(s, max(c.wide, 10), "") {
		c.lines = append(c.lines, helpLine{name: l, role: draw.Text})
	}
}

func (p *Help) keys(c *helpColumn, long bool) {
	c.title("Keys")
	rows := keys.HelpOf(p.Of)
	if p.Replay {
		rows = keys.HelpOfReplay(p.Of)
	}
	for _, row := range rows {
		text := row.Text
		if long && row.Long != "" {
			text = row.Long
		}
		c.add(row.Shown(), draw.Strong, text)
	}
}

// marks are what the marks and colors mean, and what can only be chosen at the start.
func (c *helpColumn) marks() {
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
	c.table(helpStates)
	c.title("Colors")
	c.table(helpColors)
	c.title("Command-line options")
	c.table(helpOptions)
}

func (c *helpColumn) table(rows [][2]string) {
	for _, r := range rows {
		c.add(r[0], draw.Text, r[1])
	}
}

var (
	helpStates = [][2]string{
		{"!SLOW", "hardware slowdown, reason not reported"},
		{"░", "not responding: the last values"},
		{"·", "no data yet"},
		{"n/a", "not reported by the driver"},
		{"–", "does not apply"},
		{"free", "a GPU that no job has"},
		{"[stale 12s]", "not responding for 12s"},
		{"(5 of 8)", "GPUs included in the total"},
		{"C G X M", "process type: compute, graphics, both, MPS"},
	}
	helpColors = [][2]string{
		{"blue, gray", "just data: a busy GPU is what you paid for"},
		{"amber", "warning"},
		{"white on red", "error: act on it"},
		{"C", "traffic-light colors by utilization (60/85)"},
	}
	helpOptions = [][2]string{
		{"--view", "auto, node, overview"},
		{"--colors", "job, classic"},
		{"--theme", "auto, dark, light, high-contrast, colorblind, mono"},
		{"--ascii", "ASCII characters only"},
	}
)
