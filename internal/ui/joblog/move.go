package joblog

import (
	"sort"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

func (p *Page) windowLines() []joblog.Line {
	if p.window == nil {
		return nil
	}
	return p.window.Lines()
}

// indexOf returns the index of the first line at or after an offset.
func indexOf(lines []joblog.Line, at int64) int {
	return sort.Search(len(lines), func(i int) bool { return lines[i].At >= at })
}

// visibleRows returns the rows on the screen.
func (p *Page) visibleRows(s *part.Scene, lines []joblog.Line) nav.Window {
	room := max(s.H-1-top, 1)
	w := nav.Window{Shown: min(room, len(lines)), All: len(lines)}
	if w.From = w.Hidden(); p.away {
		w.From = min(indexOf(lines, p.top), w.Hidden())
	}
	return w
}

// toBeginning scrolls to the beginning of the log, or asks for it if it has not been read.
func toBeginning(p *Page, s *part.Scene) nav.Answer {
	lines := p.windowLines()
	switch {
	case p.window == nil, len(lines) == 0:
	case p.window.From() > 0:
		p.match = -1
		p.readFrom(0)
		return nav.Taken
	case p.visibleRows(s, lines).Hidden() > 0:
		p.match = -1
	}
	return nav.Answer{}
}

// toEnd follows the log.
func toEnd(p *Page, _ *part.Scene) nav.Answer {
	if p.window != nil && len(p.windowLines()) > 0 {
		if p.match = -1; !p.window.AtEnd() {
			p.readFrom(-wire.MaxLog)
		}
		p.away = false
	}
	return nav.Taken
}

// scrollLog answers the keys that scroll, and the wheel. Scrolling to the end of the log follows it again.
func (p *Page) scrollLog(msg tea.Msg, s *part.Scene) nav.Answer {
	lines := p.windowLines()
	w := p.visibleRows(s, lines)
	to, moved := nav.Scroll(msg, w.From, w.Shown, w.Shown, w.Hidden())
	if !moved {
		return nav.Answer{}
	}
	switch {
	case p.window == nil, len(lines) == 0:
	case to < w.From || to == 0 && w.Hidden() > 0:
		p.away, p.top, p.older = true, lines[to].At, to == 0 && p.window.From() > 0
	case to == w.Hidden():
		if atEnd := p.window.AtEnd(); atEnd || !p.away {
			p.away = false
		} else {
			p.top, p.later = lines[to].At, true
		}
	default:
		p.top = lines[to].At
	}
	return nav.Taken
}

// goToNextMatch goes to the next or the previous line that the user searches for; without a search, to the next
// important line. From the end of the log it goes to the line that says why the job failed, since other errors may only
// be consequences.
func (p *Page) goToNextMatch(s *part.Scene, by int) (notice string) {
	lines := p.windowLines()
	if p.search.text == "" && p.match < 0 && !p.away {
		if l, _, is := joblog.FirstCause(lines); is {
			p.showLine(s, lines, indexOf(lines, l.At))
			return ""
		}
	}
	w := p.visibleRows(s, lines)
	at := w.From - 1
	if by < 0 {
		at = w.From + w.Shown
	}
	if p.match >= 0 {
		at = indexOf(lines, p.match)
	}
	for at += by; at >= 0 && at < len(lines); at += by {
		if p.isSearchedFor(&lines[at]) {
			p.showLine(s, lines, at)
			return ""
		}
	}
	what := "line that matters"
	if p.search.text != "" {
		what = "match"
	}
	switch {
	case by > 0:
		return "no later " + what
	case p.window != nil && p.window.From() > 0:
		p.older = true
		return "no earlier " + what + " in the " + joblog.Bytes(p.window.To()-p.window.From()) +
			" that were read; reading on, " + keys.Name(keys.PrevMatch) + " searches there"
	}
	return "no earlier " + what
}

// isSearchedFor reports whether a line matches the search; without a search, whether it is important.
func (p *Page) isSearchedFor(l *joblog.Line) bool {
	if p.search.text == "" {
		return l.Mark != 0
	}
	at, _ := p.search.findText(l.Text)
	return at >= 0
}

// showLine puts a line on the screen. If the line was not there, some lines before it are shown, too.
func (p *Page) showLine(s *part.Scene, lines []joblog.Line, at int) {
	w := p.visibleRows(s, lines)
	from := w.From
	if at < from || at >= from+w.Shown {
		from = max(at-w.Shown/3, 0)
	}
	p.away, p.top, p.match = true, lines[from].At, lines[at].At
}

// search has the text that the user searches for, and the line in which the user types it.
type search struct {
	text string
	line *footer.InputLine // nil: it is closed
}

// mostTyped limits the search, in characters.
const mostTyped = 100

func (q *search) openInput() { q.line = footer.NewInputLine(q.text, mostTyped) }

// findText returns where the text is in a line; negative: nowhere. A capital letter makes the search case-sensitive.
func (q *search) findText(line string) (from, to int) {
	text := q.text
	if text == "" {
		return -1, -1
	}
	if lower := strings.ToLower(line); text == strings.ToLower(text) && len(lower) == len(line) {
		line = lower
	}
	if from = strings.Index(line, text); from < 0 {
		return -1, -1
	}
	return from, from + len(text)
}

// editSearch passes a message to the line, which takes every key except Ctrl-C. Enter goes to the nearest match.
func (p *Page) editSearch(msg tea.Msg, s *part.Scene) nav.Answer {
	k, _ := msg.(tea.KeyPressMsg)
	q := &p.search
	switch {
	case key.Matches(k, keys.Interrupt):
		return nav.Answer{}
	case key.Matches(k, keys.Cancel):
		*q, p.match = search{}, -1
	case key.Matches(k, keys.Keep):
		q.line, p.match = nil, -1
		if q.text == "" {
			break
		}
		by := -1
		if p.away {
			by = +1
		}
		return nav.Answer{Taken: true, Notice: p.goToNextMatch(s, by)}
	case q.line.Edit(msg):
		q.text = q.line.Text()
	default:
		return nav.Answer{}
	}
	return nav.Taken
}

// drawInput draws the line in the last row, with its keys at the right if they fit.
func (q *search) drawInput(f *part.Frame) {
	y := f.H - 1
	x := q.line.Draw(f, f.Put(1, y, "/", draw.Strong), y, draw.Text, -1)
	footer.HintsAt(f, x+3, y, keys.HintOf(keys.Keep).As("search"), keys.HintOf(keys.Cancel))
}
