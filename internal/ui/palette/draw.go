package palette

import (
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

const (
	wide  = 100 // the width of the box, where there is room
	high  = 30  // its height
	above = 2   // lines above the list: the search and its subject
	below = 3   // lines below the list in a high box: a blank one, and the full text of the item under the cursor
	names = 30  // room for the text of an item that has a note
)

// boxHeight is the height of the box, above the footer.
func boxHeight(s *part.Scene) int { return min(high, s.H-3) }

// divideBox returns how many lines the list has, and how many lines are below it.
func (p *Page) divideBox(s *part.Scene) (list, under int) {
	_, h := s.ModalSize(wide, boxHeight(s))
	if h >= part.Small {
		under = below
	}
	return max(h-above-under, 1), under
}

// firstListRow is the row of the screen in which the list begins.
func (p *Page) firstListRow(s *part.Scene) int {
	_, h := s.ModalSize(wide, boxHeight(s))
	return max((s.H-h-2)/2, 0) + 1 + above
}

// Draw draws the palette over the page.
func (p *Page) Draw(f *part.Frame) {
	l := p.shownItems(f.Scene)
	_, under := p.divideBox(f.Scene)
	m := f.Modal("What do you want to do?", wide, boxHeight(f.Scene))
	count := strconv.Itoa(l.N) + " of " + strconv.Itoa(l.all)
	m.Line(0, part.Piece{Text: "> ", Role: draw.Dim})
	p.line.Draw(f, m.X+2, m.Y, draw.Strong, -1)
	m.Put(m.X+m.W-draw.Width(count), m.Y, count, draw.Dim)
	if p.said != "" {
		m.Line(1, part.Piece{Text: p.said, Role: draw.Warn})
	} else {
		m.Line(1, part.Piece{Text: p.of.About, Role: draw.Dim})
	}
	if l.N == 0 {
		p.sayWhatToType(m)
	}
	w, at, y := p.cursor.Window(l.List), p.cursor.At(l.List), above
	for i := w.From; i < w.From+w.Shown; i++ {
		h := 1
		if l.heads {
			h = l.itemHeight(i)
		}
		if h > 1 {
			m.Line(y+h-2, part.Piece{Text: l.items[i].Group, Role: draw.Dim})
		}
		p.drawItem(m, y+h-1, l.items[i], i == at && p.hasChoice(l))
		y += h
	}
	if under > 0 && l.N > 0 {
		p.inFull(m, l.items[at])
	}
	f.Fill(0, f.H-1, f.W, ' ', draw.Text)
	footer.Choices(f, w.Where(), keys.HintOf(keys.Keep).As("run"), keys.HintOf(keys.Cancel).As("close"),
		keys.HintOf(keys.Up, keys.Down).As("select"), keys.HintOf(keys.Complete))
}

// sayWhatToType says that nothing matches, and what can be found.
func (p *Page) sayWhatToType(m part.Modal) {
	text := "nothing matches " + strconv.Quote(p.line.Text()) + ". Type what you want to do (kill, copy, sort, log), " +
		"or the name of a page, job, node, rank, PID, user or setting."
	for i, line := range draw.Wrap(text, m.W-2, "") {
		m.Line(above+i, part.Dim(line))
	}
}

// inFull writes the full text of an item into the last lines of the box, with the reason why it cannot be done.
func (p *Page) inFull(m part.Modal, it *Item) {
	text := it.Note
	if text == "" {
		text = it.Text
	}
	if it.Not != "" {
		text += ". Not now: " + it.Not
	}
	for i, line := range draw.Wrap(text, m.W-2, "") {
		if i < below-1 {
			m.Line(m.H-below+1+i, part.Dim("  "+line))
		}
	}
}

// drawItem draws a line of the list: the text, more about it, and its key at the right.
func (p *Page) drawItem(m part.Modal, y int, it *Item, at bool) {
	if y < 0 || y >= m.H {
		return
	}
	role, mark, note := it.Role, "  ", it.Note
	if at {
		mark = "▸ "
	}
	if it.Not != "" {
		role, note = draw.Dim, it.Not
	}
	end := m.X + m.W - draw.Width(it.Key) - 1
	x := m.Put(m.X, m.Y+y, mark, draw.Strong)
	text := draw.Clip(it.Text, end-x)
	if it.Role == draw.WarnFill || it.Role == draw.CritFill {
		text = " " + text + " "
	}
	x = max(m.Put(x, m.Y+y, text, role)+2, m.X+names)
	if note != "" && end-x > 8 {
		m.Put(x, m.Y+y, draw.Clip(note, end-x), draw.Dim)
	}
	m.Put(m.X+m.W-draw.Width(it.Key), m.Y+y, m.KeyName(it.Key), draw.Strong)
	if at {
		m.Select(m.Y+y, m.X-1, m.X+m.W+1)
	}
}
