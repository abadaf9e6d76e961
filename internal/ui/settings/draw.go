package settings

import (
	"slices"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

const (
	top     = 3 // row of the first line
	label   = 3
	valueAt = 26
	places  = 36 // width of the columns of a table
	aboutAt = 41
)

// Draw draws the page.
func (p *Page) Draw(f *part.Frame) {
	if f.Node != nil {
		header.Draw(f, false)
	} else {
		f.Put(1, 0, "nvnodetop", draw.Strong)
	}
	l := p.cursorList(f.Scene)
	w, at := p.cursor.Window(l), p.cursor.At(l)
	f.Section(2, "Settings", p.countText(w))
	if l.N == 0 {
		f.Paragraphs(top, []string{p.search.None("setting")})
	}
	for i := range w.Shown {
		y := top + i
		p.row(f, y, l.Key(w.From+i))
		if w.From+i == at {
			f.Cursor(y, y+1)
		}
	}
	if text, role := p.statusText(); f.H > top+2 {
		f.Left(label, f.H-2, f.W-label-1, text, role)
	}
	if p.search.Typing() {
		p.search.Draw(f)
		return
	}
	footer.Draw(f, "", p.footerHints(f.Scene)...)
}

// countText says how many lines match the search, and which of them are on the screen.
func (p *Page) countText(w nav.Window) string {
	count := ""
	if p.search.Text() != "" {
		count = strconv.Itoa(w.All) + " of " + strconv.Itoa(len(p.allRows())) + " lines"
	}
	return strings.TrimSpace(count + "  " + w.Where())
}

// footerHints are the keys that have an effect on the row under the cursor.
func (p *Page) footerHints(s *part.Scene) []keys.Hint {
	hints := footer.MouseOff(s, keys.HintOf(keys.Mouse))
	switch on := p.at(s); {
	case on.what == nothing || on.isTitle():
	case on.what == news:
		hints = append(hints, keys.HintOf(keys.NextValue).As("test"))
	case on.what == column && slices.Contains(p.Now.shownColumns(on.table), on.name):
		hints = append(hints, keys.HintOf(keys.PrevValue, keys.NextValue).As("change"), keys.HintOf(keys.Later).As("move"),
			keys.HintOf(keys.Usual))
	default:
		hints = append(hints, keys.HintOf(keys.PrevValue, keys.NextValue).As("change"), keys.HintOf(keys.Usual))
	}
	if len(p.Now.Changed(&p.written)) > 0 {
		hints = append(hints, keys.HintOf(keys.Write))
	}
	if p.search.Text() != "" {
		hints = append(hints, keys.HintOf(keys.Back).As("clear search"))
	}
	return append(append(hints, keys.HintOf(keys.Search)), footer.LastHints...)
}

// statusText says which changes are written to the file, and which are not.
func (p *Page) statusText() (string, draw.Role) {
	if said, role := p.tries.testStatus(); said != "" {
		return said, role
	}
	changed := len(p.Now.Changed(&p.written))
	switch {
	case p.last != nil && p.last.Err != nil:
		return "not written: " + p.last.Err.Error(), draw.Crit
	case p.last != nil && changed == 0:
		return "written to " + p.last.Path, draw.Strong
	case changed == 0:
		return "changes take effect at once; " + keys.Name(keys.Write) + " writes them to your configuration file", draw.Dim
	}
	return part.Plural(changed, "change", "changes") + " for this run only; " + keys.Name(keys.Write) +
		" writes to your configuration file", draw.Dim
}

func (p *Page) row(f *part.Frame, y int, r row) {
	if r.isTitle() {
		f.Left(label, y, f.W-label-1, r.title(), draw.Strong)
		return
	}
	if r.what == column {
		p.drawColumn(f, y, r)
		return
	}
	if r.what == news {
		p.drawChannel(f, y, r)
		return
	}
	s := simpleOf(r)
	f.Left(label, y, valueAt-label-1, s.title, draw.Text)
	f.Left(valueAt, y, aboutAt-valueAt-1, s.text(&p.Now), draw.Strong)
	f.Left(aboutAt, y, f.W-aboutAt-1, s.about, draw.Dim)
}

// drawColumn draws a column of a table: whether it is shown, its place, and its meaning.
func (p *Page) drawColumn(f *part.Frame, y int, r row) {
	role := draw.Dim
	if at := slices.Index(p.Now.shownColumns(r.table), r.name); at >= 0 {
		role = draw.Text
		f.Put(label+2, y, "✓", draw.Text)
		f.Left(places, y, aboutAt-places-1, strconv.Itoa(at+1), draw.Dim)
	}
	f.Left(label+4, y, places-label-5, r.name, role)
	f.Left(aboutAt, y, f.W-aboutAt-1, r.table.Help(r.name), draw.Dim)
}
