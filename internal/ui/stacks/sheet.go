package stacks

import (
	"fmt"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/hang/stacks/stacktext"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/action"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/hint"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// sheet is text over the groups: one of them in full, or the difference of two.
type sheet struct {
	title string
	lines []line
	from  int // the first line on the screen
	text  string
}

// line is a line of a sheet.
type line struct {
	text   string
	role   draw.Role
	indent int
	path   string // of a frame, behind the text: it is clipped in its middle
}

func (t *sheet) add(role draw.Role, indent int, text string) {
	t.lines = append(t.lines, line{text: text, role: role, indent: indent})
}

// head adds a heading, after an empty line.
func (t *sheet) head(text string) {
	if len(t.lines) > 0 {
		t.add(draw.Text, 0, "")
	}
	t.add(draw.Strong, 0, text)
}

// open shows a group in full, or the ranks that were not read for a reason.
func (p *Page) open(r row) {
	t := &sheet{text: stacktext.GroupText(r.group, r.refusal)}
	if r.refusal != nil {
		t.title = part.Plural(r.refusal.Count, "rank", "ranks") + " not read"
		t.head(r.refusal.Cause)
		t.add(draw.Text, 2, r.refusal.Members)
		if r.refusal.Hint != "" {
			t.add(draw.Text, 2, r.refusal.Hint)
		}
		p.sheet = t
		return
	}
	g := r.group
	t.title = part.Plural(len(g.Ranks), "rank", "ranks") + movedWords(g)
	t.head("Main thread, innermost frame first")
	t.frames(g.Frames)
	if g.Deeper {
		t.add(draw.Dim, 2, "… and more outside")
	}
	if len(g.Frames) == 0 {
		t.add(draw.Text, 2, g.Summary)
	}
	t.head("Members")
	t.members(g.Ranks)
	t.workers(g.Workers)
	for _, th := range g.Threads {
		t.head(fmt.Sprintf("Thread %s of %s", thread(&th), stacktext.First(g)))
		t.frames(th.Frames)
	}
	p.sheet = t
}

// thread names a thread.
func thread(t *rankstacks.Thread) string {
	if t.TID == 0 {
		return t.Name
	}
	return t.Name + " (" + strconv.Itoa(t.TID) + ", state " + t.State + ")"
}

// frames adds frames, the lines of which may differ.
func (t *sheet) frames(frames []rankstacks.Frame) {
	for i := range frames {
		f := &frames[i]
		t.lines = append(t.lines, line{text: f.Function, role: draw.Text, indent: 2, path: stacktext.Path(f)})
		for _, l := range f.Lines {
			t.add(draw.Dim, 6, "line "+strconv.Itoa(l.Line)+": "+l.Members)
		}
	}
}

// members adds the ranks, node by node.
func (t *sheet) members(ranks []rankstacks.Rank) {
	for _, of := range stacktext.ByNode(ranks) {
		t.add(draw.Text, 2, of)
	}
}

// workers adds the descendants that wait for files.
func (t *sheet) workers(list []rankstacks.Worker) {
	if len(list) == 0 {
		return
	}
	t.head("Worker processes in state D: they wait, and cannot be interrupted")
	for i := range list {
		t.add(draw.Text, 2, stacktext.WorkerText(&list[i]))
	}
}

// compare shows where the group under the cursor parts from the marked one, or from the largest.
func (p *Page) compare(on row) nav.Answer {
	rows := p.rows()
	with := slices.IndexFunc(rows, func(r row) bool { return r.key == p.marked })
	if with < 0 || rows[with].key == on.key {
		if with = 0; on.key == rows[0].key {
			with = 1
		}
	}
	switch {
	case with >= len(p.doc.Groups) || on.group == nil:
		return nav.Answer{Taken: true, Notice: "there are no two groups to compare"}
	case len(on.group.Frames) == 0 || len(rows[with].group.Frames) == 0:
		return nav.Answer{Taken: true, Notice: "one of the groups has no frames to compare"}
	}
	a, b := rows[with].group, on.group
	t := &sheet{title: "Where two groups part, outermost frame first", text: stacktext.DiffText(a, b)}
	d := stacktext.Diff(a, b)
	t.head(fmt.Sprintf("%s and %s", count(a), count(b)))
	t.frames(d.Common)
	t.head("then " + count(a))
	t.frames(d.A)
	t.head("then " + count(b))
	t.frames(d.B)
	p.sheet = t
	return nav.Taken
}

func count(g *rankstacks.Group) string {
	return part.Plural(len(g.Ranks), "rank", "ranks") + ": " + g.Members
}

// onSheet answers keys while a sheet is open.
func (p *Page) onSheet(msg tea.Msg, s *part.Scene) nav.Answer {
	t := p.sheet
	w := t.window(s)
	if to, moved := nav.Scroll(msg, w.From, w.Shown, w.Shown, w.Hidden()); moved {
		t.from = to
		return nav.Taken
	}
	return sheetCode.Do(p, msg, s)
}

// sheetCode is the code of the page's own actions while a sheet is open.
var sheetCode = action.Table[*Page]{
	{Of: keys.Back, Do: action.Change((*Page).closeSheet)},
	{Of: keys.Open, Do: action.Change((*Page).closeSheet)},
	{Of: keys.CopyLine, Do: (*Page).copySheet},
	{Of: keys.CopyAll, Do: (*Page).copySheet},
}

func (p *Page) closeSheet() { p.sheet = nil }

func (p *Page) copySheet(*part.Scene) nav.Answer { return copied("the stacks", p.sheet.text) }

// sheetTop is the row of the first line.
const sheetTop = titleRow + 1

// wrapped are the lines for a screen.
func (t *sheet) wrapped(s *part.Scene) (lines []line) {
	for _, l := range t.lines {
		if l.text == "" || l.path != "" {
			lines = append(lines, l)
			continue
		}
		for i, text := range draw.Wrap(l.text, max(s.W-5-l.indent, 10), "  ") {
			if i > 0 {
				text = "  " + text
			}
			lines = append(lines, line{text: text, role: l.role, indent: l.indent})
		}
	}
	return lines
}

// window is the lines on the screen.
func (t *sheet) window(s *part.Scene) nav.Window {
	all := len(t.wrapped(s))
	w := nav.Window{Shown: min(max(s.H-1-sheetTop, 1), all), All: all}
	w.From = min(t.from, w.Hidden())
	return w
}

// draw draws the sheet in place of the groups.
func (t *sheet) draw(f *part.Frame) {
	w := t.window(f.Scene)
	f.Section(titleRow, t.title, w.Where())
	for i, l := range t.wrapped(f.Scene)[w.From : w.From+w.Shown] {
		x := 3 + l.indent
		f.Left(x, sheetTop+i, f.W-1-x, l.text, l.role)
		if x += draw.Width(l.text) + 2; l.path != "" && x < f.W-1 {
			f.Put(x, sheetTop+i, draw.ClipMiddle(l.path, f.W-1-x), draw.Dim)
		}
	}
	footer.Draw(f, "", append([]keys.Hint{keys.HintOf(keys.Back).As("groups"), keys.HintOf(keys.CopyLine).As("copy")},
		hint.Last...)...)
}
