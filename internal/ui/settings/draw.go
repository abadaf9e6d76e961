package settings

import (
	"slices"
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

const (
	top     = 3 // row of the first line
	label   = 3
	values  = 26
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
	f.Section(2, "Settings", w.Where())
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
	footer.Draw(f, "", p.footerHints(f.Scene)...)
}

// footerHints are the keys that have an effect on the row under the cursor.
func (p *Page) footerHints(s *part.Scene) []keys.Hint {
	hints := footer.MouseOff(s, keys.HintOf(keys.Mouse))
	switch on := p.at(s); {
	case on.what == news:
		hints = append(hints, keys.HintOf(keys.NextValue).As("test"))
	case on.what == column && slices.Contains(p.Now.shownColumns(on.table), on.name):
		hints = append(hints, keys.HintOf(keys.PrevValue, keys.NextValue).As("change"), keys.HintOf(keys.Later).As("move"),
			keys.HintOf(keys.Usual))
	case on.what != column || on.name != "":
		hints = append(hints, keys.HintOf(keys.PrevValue, keys.NextValue).As("change"), keys.HintOf(keys.Usual))
	}
	if len(p.Now.Changed(&p.written)) > 0 {
		hints = append(hints, keys.HintOf(keys.Write))
	}
	return append(hints, footer.LastHints...)
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
	if r.what == column && r.name == "" {
		f.Left(label, y, f.W-label-1, tables[r.table], draw.Strong)
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
	f.Left(label, y, values-label-1, titles[r.what][0], draw.Text)
	f.Left(values, y, aboutAt-values-1, p.valueText(r.what), draw.Strong)
	f.Left(aboutAt, y, f.W-aboutAt-1, titles[r.what][1], draw.Dim)
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

func (p *Page) valueText(w rowKind) string {
	switch w {
	case theme:
		return p.Now.Theme
	case colors:
		return map[bool]string{false: "job", true: "classic"}[p.Now.Classic]
	case view:
		return p.Now.View
	}
	levels, at := p.Now.thresholdsOf(w)
	return levels.thresholdText(at)
}
