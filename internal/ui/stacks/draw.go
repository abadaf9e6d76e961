package stacks

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/hang"
	"github.com/nvnodetop/nvnodetop/internal/hang/stacks"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

const (
	titleRow = 2
	countAt  = 2  // the column of the number of ranks
	textAt   = 14 // the column of the stack
)

// Draw draws the page.
func (p *Page) Draw(f *part.Frame) {
	header.Draw(f, false)
	if p.sheet != nil {
		p.sheet.drawSheet(f)
		return
	}
	f.Section(titleRow, "Stacks of job "+p.job, p.statusText())
	rows := p.listRows()
	if p.doc == nil {
		f.Paragraphs(titleRow+2, []string{whyEmpty(p)})
	} else {
		p.drawVerdict(f)
		p.drawRows(f, rows)
	}
	footer.Draw(f, "", p.footerHints(f.Scene, rows)...)
}

func (p *Page) footerHints(s *part.Scene, rows []groupRow) []keys.Hint {
	var hints []keys.Hint
	if len(rows) > 0 {
		hints = append(hints, keys.HintOf(keys.Open))
		if len(p.doc.Groups) > 1 {
			hints = append(hints, keys.HintOf(keys.CompareStacks))
		}
		hints = append(hints, keys.HintOf(keys.CopyLine).As("copy"))
	}
	if !p.past {
		hints = append(hints, keys.HintOf(keys.Refresh))
	}
	if len(s.Snap.Jobs) > 1 {
		hints = append(hints, keys.Jobs)
	}
	return append(hints, footer.LastHints...)
}

// statusText says which look is on the screen.
func (p *Page) statusText() string {
	if p.past {
		return lookTimes(p.doc)
	}
	if p.step == begins && p.failed == "" {
		return "waiting for the lists of processes"
	}
	if p.survey != nil {
		answered, all := p.survey.Progress()
		return fmt.Sprintf("asking: %d of %s answered", answered, part.Plural(all, "node", "nodes"))
	}
	if p.doc != nil && p.step == waits {
		return p.doc.Time.Format(time.TimeOnly) + ", next look soon"
	}
	return lookTimes(p.doc)
}

// lookTimes are the times of the looks.
func lookTimes(d *rankstacks.Verdict) string {
	switch {
	case d == nil:
		return ""
	case d.ComparedSeconds == nil:
		return d.Time.Format(time.TimeOnly)
	}
	return fmt.Sprintf("%s and %.0f s before", d.Time.Format(time.TimeOnly), *d.ComparedSeconds)
}

// whyEmpty says why there are no groups.
func whyEmpty(p *Page) string {
	if p.past {
		return "Nobody had asked the ranks of this job by then. They are asked when this page is opened, and once " +
			"when the job seems to hang; a recording keeps the answers."
	}
	if p.failed != "" {
		return p.failed
	}
	return "Asking the nodes of the job where its ranks are…"
}

// verdictParagraphs returns the verdict: on the rank that lags, then that of NCCL, which is the job's own, then ours.
func (p *Page) verdictParagraphs() (lines []string) {
	if p.doc == nil {
		return nil
	}
	if said := stacks.Lag(p.lag.looks, p.lag.node, p.lag.gpu); said != "" && !p.past {
		lines = append(lines, said)
	}
	if p.doc.NCCL != nil {
		lines = append(lines, p.doc.NCCL.Said...)
	}
	lines = append(lines, p.doc.Said...)
	if n := p.doc.Asked - p.doc.Read; n > 0 {
		lines = append(lines, fmt.Sprintf("%d of %d processes could not be read: see below.", n, p.doc.Asked))
	}
	return lines
}

// mostSaid is the divisor that limits the verdict to a third of the screen.
const mostSaid = 3

// verdictLines returns the lines of the verdict on this screen.
func (p *Page) verdictLines(s *part.Scene) (lines []string) {
	f := part.Frame{Scene: s}
	for _, text := range p.verdictParagraphs() {
		lines = append(lines, f.Wrapped(text)...)
	}
	if most := max(s.H/mostSaid, 1); len(lines) > most {
		lines = lines[:most]
	}
	return lines
}

// drawVerdict draws the verdict: its first sentence stands out, and the others explain it.
func (p *Page) drawVerdict(f *part.Frame) {
	role, first := draw.Strong, 0
	if p.doc.State == rankstacks.Stuck {
		role = draw.Warn
	}
	if all := p.verdictParagraphs(); len(all) > 0 {
		first = len(f.Wrapped(all[0]))
	}
	for i, line := range p.verdictLines(f.Scene) {
		if i >= first {
			role = draw.Text
		}
		f.Left(3, titleRow+1+i, f.W-4, line, role)
	}
}

func (p *Page) firstListRow(s *part.Scene) int { return titleRow + 1 + len(p.verdictLines(s)) + 1 }

func (p *Page) cursorList(s *part.Scene, rows []groupRow) nav.List[string] {
	return nav.List[string]{N: len(rows), Room: max(s.H-1-p.firstListRow(s), 1),
		Key:   func(i int) string { return rows[i].key },
		Lines: func(i int) int { return rows[i].rowHeight() }}
}

// rowHeight is the number of lines of a row.
func (r *groupRow) rowHeight() int {
	switch {
	case r.refusal != nil && r.refusal.Hint != "":
		return 3
	case r.refusal != nil:
		return 2
	}
	return 2 + len(moreLines(r.group))
}

// moreLines are the lines of a group below its members: why it was not read, and its workers that wait for files.
func moreLines(g *rankstacks.Group) (lines []part.Piece) {
	for _, why := range hang.NotRead(g) {
		lines = append(lines, part.Dim(why))
	}
	if len(g.Workers) > 0 {
		lines = append(lines, part.Piece{Text: stacks.Workers(g.Workers), Role: draw.Warn})
	}
	return lines
}

func (p *Page) drawRows(f *part.Frame, rows []groupRow) {
	l := p.cursorList(f.Scene, rows)
	w, at, y := p.cursor.Window(l), p.cursor.At(l), p.firstListRow(f.Scene)
	for i := w.From; i < w.From+w.Shown; i++ {
		p.row(f, y, &rows[i])
		if i == at {
			f.Cursor(y, min(y+rows[i].rowHeight(), f.H-1))
		}
		y += rows[i].rowHeight()
	}
	if w.Hidden() > 0 {
		f.RuleEnd(titleRow, p.statusText()+"  "+w.Where())
	}
}

// row draws a group, or a reason.
func (p *Page) row(f *part.Frame, y int, r *groupRow) {
	if r.refusal != nil {
		f.Right(countAt, y, textAt-countAt-2, part.Plural(r.refusal.Count, "rank", "ranks"), draw.Dim)
		writeLine(f, y, "not read: "+cmp.Or(r.refusal.Cause, r.refusal.ID), draw.Dim)
		writeLine(f, y+1, r.refusal.Members, draw.Dim)
		if r.refusal.Hint != "" {
			writeLine(f, y+2, r.refusal.Hint, draw.Dim)
		}
		return
	}
	g, role := r.group, draw.Text
	if standsOut(g, p.doc, f.Snap, &p.lag) {
		role = draw.Warn
		f.Put(1, y, "▲", draw.Warn)
	}
	if p.marked == r.key {
		f.Put(countAt, y, "+", draw.Strong)
	}
	f.Right(countAt, y, textAt-countAt-2, part.Plural(len(g.Ranks), "rank", "ranks"), draw.Strong)
	writeLine(f, y, cmp.Or(g.Summary, unnamed), role)
	writeLine(f, y+1, cmp.Or(g.Members, strings.Join(hang.RanksByNode(g.Ranks), ", "))+movedWords(g), draw.Dim)
	for i, l := range moreLines(g) {
		writeLine(f, y+2+i, l.Text, l.Role)
	}
}

// unnamed replaces the stack of a group in a recording without names.
const unnamed = "the recording has no names of functions and files"

// writeLine writes a line of a row, unless it is outside the rows of the page.
func writeLine(f *part.Frame, y int, text string, role draw.Role) {
	if y < f.H-1 {
		f.Left(textAt, y, f.W-textAt-1, text, role)
	}
}

// movedWords says how many ranks of a group were elsewhere at the previous look: " · 3 of 63 have moved".
func movedWords(g *rankstacks.Group) string {
	switch n := len(g.Ranks); {
	case g.Moved == nil:
		return ""
	case *g.Moved == 0 && n == 1:
		return " · has not moved"
	case *g.Moved == 0:
		return " · none has moved"
	case n == 1:
		return " · has moved"
	case *g.Moved == n:
		return " · all have moved"
	default:
		return " · " + strconv.Itoa(*g.Moved) + " of " + strconv.Itoa(n) + " have moved"
	}
}
