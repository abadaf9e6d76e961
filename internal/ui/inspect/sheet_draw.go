package inspect

import (
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

// Draw draws the sheet over the page.
func (e *FactSheet) Draw(f *part.Frame) {
	f.Clear()
	header.Draw(f, false)
	l := e.settledLayout(f.Scene)
	f.Section(ruleRow, e.titleText(), e.countText(f, l))
	if len(l.lines) > 0 {
		e.drawLines(f, l)
	} else {
		f.Paragraphs(firstListRow(f.Scene), []string{e.whyEmpty()})
	}
	if e.answer.truncated {
		f.Left(listX, f.H-2, f.W-3, e.kind.truncated, draw.Warn)
	}
	if e.search.Typing() {
		e.search.Draw(f)
		return
	}
	footer.Draw(f, "", e.footerHints(f.Scene)...)
}

// countText is "rank 11, 96 variables" or "4 of 96 variables", and the lines on the screen, as far as it fits after the
// title.
func (e *FactSheet) countText(f *part.Frame, l *variableLayout) string {
	rank := rankOf(&e.target)
	if !e.answer.known {
		return rank
	}
	count := part.Plural(len(e.answer.variables), e.kind.one, e.kind.many)
	if e.search.Text() != "" {
		count = strconv.Itoa(len(l.variables)) + " of " + count
	}
	if rank != "" {
		rank += ", "
	}
	w := e.cursor.Window(e.cursorList(f.Scene, l))
	where, keys := "", ""
	if w.Hidden() > 0 {
		where, keys = "lines "+nav.Places(w.From, w.From+w.Shown, w.All), nav.PageKeys(w.From, w.From+w.Shown, w.All)
	}
	room := f.W - draw.Width(e.titleText()) - 10
	for _, text := range []string{rank + count + "  " + where + keys, count + "  " + where + keys, where + keys,
		where} {
		if text = strings.TrimSpace(text); draw.Width(text) <= room {
			return text
		}
	}
	return ""
}

func (e *FactSheet) titleText() string { return e.kind.title + " " + nodeAndPID(&e.target) }

// whyEmpty explains why there are no lines.
func (e *FactSheet) whyEmpty() string {
	switch {
	case e.answer.refused != "":
		return e.kind.refused + " cannot be shown: " + e.answer.refused + "."
	case !e.answer.known:
		return "Asking " + e.target.Node + " …"
	case len(e.answer.variables) == 0:
		return e.kind.none
	}
	return e.search.None(e.kind.one)
}

// drawLines draws the lines that are on the screen. The cursor is on all lines of its variable.
func (e *FactSheet) drawLines(f *part.Frame, l *variableLayout) {
	list := e.cursorList(f.Scene, l)
	w, y := e.cursor.Window(list), firstListRow(f.Scene)
	cursor := l.lines[e.cursor.At(list)].variable
	for i := w.From; i < w.From+w.Shown && y < f.H-1; i++ {
		r := l.lines[i]
		v := &e.answer.variables[r.variable]
		if r.line == 0 || i == w.From {
			f.Left(listX, y, l.names, v.name, draw.Text)
		}
		role := draw.Text
		if v.secret && !e.shown {
			role = draw.Dim
		}
		f.PutUntil(listX+l.names+valueGap, y, f.W-barWidth, r.text, role)
		if r.variable == cursor {
			if r.line == 0 || i == w.From {
				f.Put(0, y, "▸", draw.Strong)
			}
			f.Select(y, 0, f.W)
		}
		y++
	}
	table.ScrollBar(f, firstListRow(f.Scene), firstListRow(f.Scene)+list.Room, w.From, w.Shown, w.All)
}

// footerHints are the keys of the footer, the most useful first.
func (e *FactSheet) footerHints(s *part.Scene) []keys.Hint {
	hints := append(footer.MouseOff(s, keys.HintOf(keys.Mouse)), keys.HintOf(keys.Search))
	switch {
	case e.kind == details:
		hints = append(hints, keys.HintOf(keys.FullMemory))
	case !e.hasSecrets():
	case e.shown:
		hints = append(hints, keys.HintOf(keys.Secrets).As("hide secrets"))
	default:
		hints = append(hints, keys.HintOf(keys.Secrets))
	}
	hints = append(hints, keys.HintOf(keys.CopyLine), keys.HintOf(keys.CopyAll), keys.HintOf(keys.Refresh))
	back := keys.HintOf(e.kind.leave)
	if e.search.Text() != "" {
		back = back.As("clear search")
	}
	return append(hints, back, keys.HintOf(keys.Help))
}
