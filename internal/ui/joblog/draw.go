package joblog

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

const (
	titleRow = 2
	top      = 3 // the first row of the log
	textAt   = 2 // the first column of its lines
)

// Wants returns nothing.
func (p *Page) Wants(*part.Scene) nav.Wants { return nav.Wants{} }

// Draw draws the page.
func (p *Page) Draw(f *part.Frame) {
	if f.Job == nil || p.held {
		header.Title(f)
	} else {
		header.Draw(f, false)
	}
	p.drawTitle(f)
	lines := p.windowLines()
	if trouble := p.whyStale(); len(lines) == 0 || p.hunt.steps > 0 || trouble != "" && f.H-1-top < 2 {
		f.Paragraphs(top+1, []string{p.whyEmpty(trouble)})
	} else {
		p.drawBody(f, lines, trouble)
	}
	if p.search.line != nil {
		p.search.drawInput(f)
		return
	}
	where := keys.HintOf(keys.Last).As("follow")
	if !p.away {
		where = keys.HintOf(keys.First)
	}
	hints := []keys.Hint{keys.HintOf(keys.Search), keys.HintOf(keys.NextMatch), where}
	if p.known && !p.piece.Both {
		hints = append(hints, keys.HintOf(keys.Left, keys.Right).As((joblog.Err - p.of).String()))
	}
	footer.Draw(f, "", slices.Concat(hints, []keys.Hint{keys.Jobs}, footer.LastHints)...)
}

// drawTitle draws the name of the log, and says which part of it is on the screen.
func (p *Page) drawTitle(f *part.Frame) {
	right := p.statusText(f)
	name := "Log of job " + p.job
	if !p.piece.Both || !p.known {
		name += ", " + p.of.String()
	}
	if p.known && p.piece.Earlier && !p.piece.Missing {
		name += " (of its previous run)"
	}
	if p.ended != nil {
		name += " (" + tally.EndOf(p.ended).Word + ")"
	}
	if p.known {
		name += "  " + p.piece.Path
		if p.piece.Node != "" {
			name += " on " + p.piece.Node
		}
	}
	f.Section(titleRow, draw.ClipMiddle(name, max(f.W-12-draw.Width(right), 12)), right)
}

// statusText says which part of the log is on the screen.
func (p *Page) statusText(f *part.Frame) string {
	switch {
	case !p.known, p.window.Missing():
		return ""
	case !p.away && p.ended != nil:
		return "at its end, " + joblog.Bytes(p.piece.Size)
	case !p.away:
		return "following, " + joblog.Bytes(p.piece.Size)
	}
	lines := p.windowLines()
	w := p.visibleRows(f.Scene, lines)
	if len(lines) == 0 || p.piece.Size == 0 {
		return joblog.Bytes(p.piece.Size)
	}
	at := max(lines[w.From].At, 0)
	return fmt.Sprintf("at %d %% of %s", at*100/max(p.piece.Size, 1), joblog.Bytes(p.piece.Size))
}

// whyStale says why the log is not as new as it should be; "": it is.
func (p *Page) whyStale() string {
	switch {
	case p.err != "":
		return p.err
	case p.known && p.window != nil && p.window.Missing():
		words := p.piece.Absence()
		return strings.ToUpper(words[:1]) + words[1:] + "."
	}
	return ""
}

// whyEmpty says why no line is shown.
func (p *Page) whyEmpty(trouble string) string {
	switch {
	case trouble != "":
		return trouble
	case p.job == "":
		return "There is no job."
	case p.hunt.steps > 0:
		return "Looking for " + p.hunt.goal.Format(time.TimeOnly) + " in the log…"
	case !p.known || !p.window.Known():
		return "Reading the log…"
	}
	return "The log is empty."
}

func (p *Page) drawBody(f *part.Frame, lines []joblog.Line, trouble string) {
	w := p.visibleRows(f.Scene, lines)
	y := top
	for i := w.From; i < w.From+w.Shown; i++ {
		p.drawLine(f, y, &lines[i])
		y++
	}
	if trouble != "" { // in place of the last line
		y = min(y, f.H-2)
		f.Fill(0, y, f.W, ' ', draw.Text)
		f.Left(textAt, y, f.W-textAt-1, trouble, draw.Warn)
	}
}

// drawLine draws a line of the log, with a mark if it is important.
func (p *Page) drawLine(f *part.Frame, y int, l *joblog.Line) {
	role := draw.Text
	switch {
	case l.Gap:
		f.Left(textAt, y, f.W-textAt-1, "··· "+l.Text, draw.Dim)
		return
	case l.Mark.Cause():
		role = draw.Crit
	case l.Mark != 0:
		role = draw.Warn
	}
	if l.Mark != 0 {
		f.Put(0, y, "!", role)
	}
	text, from, to := p.visiblePart(l.Text)
	f.Left(textAt, y, f.W-textAt-1, text, role)
	if l.At == p.match {
		f.Put(0, y, "▸", draw.Strong)
	}
	if from >= 0 && to > 0 {
		x0 := min(textAt+draw.Width(text[:max(from, 0)]), f.W-1)
		f.Select(y, x0, min(textAt+draw.Width(text[:to]), f.W-1))
	}
}

// visiblePart returns the visible part of a line that is scrolled sideways, and the position of the search match in it.
func (p *Page) visiblePart(line string) (text string, from, to int) {
	from, to = p.search.findText(line)
	cut := 0
	for n := p.left; n > 0 && cut < len(line); n-- {
		_, size := utf8.DecodeRuneInString(line[cut:])
		cut += size
	}
	return line[cut:], max(from-cut, min(from, 0)), to - cut
}
