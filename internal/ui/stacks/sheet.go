package stacks

import (
	"fmt"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/hang"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// groupText is text on top of the groups: one of them in full, or the difference of two.
type groupText struct {
	title string
	lines []groupTextLine
	from  int // the first line on the screen
	text  string
}

// groupTextLine is a line of a sheet.
type groupTextLine struct {
	text   string
	role   draw.Role
	indent int
	path   string // of a frame, after the text: it is clipped in its middle
}

func (t *groupText) addLine(role draw.Role, indent int, text string) {
	t.lines = append(t.lines, groupTextLine{text: text, role: role, indent: indent})
}

// addHeading adds a heading, after an empty line.
func (t *groupText) addHeading(text string) {
	if len(t.lines) > 0 {
		t.addLine(draw.Text, 0, "")
	}
	t.addLine(draw.Strong, 0, text)
}

// openRow shows a group in full, or the ranks that were not read for some reason.
func (p *Page) openRow(r groupRow) {
	t := &groupText{text: hang.GroupText(r.group, r.refusal)}
	if r.refusal != nil {
		t.title = part.Plural(r.refusal.Count, "rank", "ranks") + " not read"
		t.addHeading(r.refusal.Cause)
		t.addLine(draw.Text, 2, r.refusal.Members)
		if r.refusal.Hint != "" {
			t.addLine(draw.Text, 2, r.refusal.Hint)
		}
		p.sheet = t
		return
	}
	g := r.group
	t.title = part.Plural(len(g.Ranks), "rank", "ranks") + movedWords(g)
	t.addHeading("Main thread, innermost frame first")
	t.addFrames(g.Frames)
	if g.Deeper {
		t.addLine(draw.Dim, 2, "… and more outside")
	}
	if len(g.Frames) == 0 {
		t.addLine(draw.Text, 2, g.Summary)
	}
	for _, why := range hang.NotRead(g) {
		t.addLine(draw.Text, 2, why)
	}
	t.addHeading("Members")
	t.addMembers(g.Ranks)
	t.addWorkers(g.Workers)
	for _, th := range g.Threads {
		t.addHeading(fmt.Sprintf("Thread %s of %s", threadName(&th), hang.FirstRankName(g)))
		t.addFrames(th.Frames)
	}
	p.sheet = t
}

func threadName(t *rankstacks.Thread) string {
	if t.TID == 0 {
		return t.Name
	}
	return t.Name + " (" + strconv.Itoa(t.TID) + ", state " + t.State + ")"
}

// addFrames adds frames. The ranks may be at different lines of a frame.
func (t *groupText) addFrames(frames []rankstacks.Frame) {
	for i := range frames {
		f := &frames[i]
		t.lines = append(t.lines, groupTextLine{text: f.Function, role: draw.Text, indent: 2, path: hang.FramePath(f)})
		for _, l := range f.Lines {
			t.addLine(draw.Dim, 6, "line "+strconv.Itoa(l.Line)+": "+l.Members)
		}
	}
}

// addMembers adds the ranks, node by node.
func (t *groupText) addMembers(ranks []rankstacks.Rank) {
	for _, of := range hang.RanksByNode(ranks) {
		t.addLine(draw.Text, 2, of)
	}
}

// addWorkers adds the descendants that wait for files.
func (t *groupText) addWorkers(list []rankstacks.Worker) {
	if len(list) == 0 {
		return
	}
	t.addHeading("Worker processes in state D: they wait, and cannot be interrupted")
	for i := range list {
		t.addLine(draw.Text, 2, hang.WorkerText(&list[i]))
	}
}

// compareGroups shows where the group under the cursor differs from the marked one, or from the largest.
func (p *Page) compareGroups(on groupRow) nav.Answer {
	rows := p.listRows()
	with := slices.IndexFunc(rows, func(r groupRow) bool { return r.key == p.marked })
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
	t := &groupText{title: "Where two groups part, outermost frame first", text: hang.DiffText(a, b)}
	d := hang.DiffGroups(a, b)
	t.addHeading(fmt.Sprintf("%s and %s", groupMembers(a), groupMembers(b)))
	t.addFrames(d.Common)
	t.addHeading("then " + groupMembers(a))
	t.addFrames(d.A)
	t.addHeading("then " + groupMembers(b))
	t.addFrames(d.B)
	p.sheet = t
	return nav.Taken
}

func groupMembers(g *rankstacks.Group) string {
	return part.Plural(len(g.Ranks), "rank", "ranks") + ": " + g.Members
}

// onSheet answers keys while a sheet is open.
func (p *Page) onSheet(msg tea.Msg, s *part.Scene) nav.Answer {
	t := p.sheet
	w := t.visibleLines(s)
	if to, moved := nav.Scroll(msg, w.From, w.Shown, w.Shown, w.Hidden()); moved {
		t.from = to
		return nav.Taken
	}
	return sheetCode.Do(p, msg, s)
}

// sheetCode is the code of the page's own actions while a sheet is open.
var sheetCode = nav.CodeTable[*Page]{
	{Of: keys.Back, Do: nav.ChangePage(closeSheet)},
	{Of: keys.Open, Do: nav.ChangePage(closeSheet)},
	{Of: keys.CopyLine, Do: copySheet},
	{Of: keys.CopyAll, Do: copySheet},
}

func closeSheet(p *Page) { p.sheet = nil }

func copySheet(p *Page, _ *part.Scene) nav.Answer { return copyText("the stacks", p.sheet.text) }

// sheetTop is the row of the first line.
const sheetTop = titleRow + 1

// wrapLines returns the lines, wrapped for a screen.
func (t *groupText) wrapLines(s *part.Scene) (lines []groupTextLine) {
	for _, l := range t.lines {
		if l.text == "" || l.path != "" {
			lines = append(lines, l)
			continue
		}
		for i, text := range draw.Wrap(l.text, max(s.W-5-l.indent, 10), "  ") {
			if i > 0 {
				text = "  " + text
			}
			lines = append(lines, groupTextLine{text: text, role: l.role, indent: l.indent})
		}
	}
	return lines
}

// visibleLines returns which lines are on the screen.
func (t *groupText) visibleLines(s *part.Scene) nav.Window {
	all := len(t.wrapLines(s))
	w := nav.Window{Shown: min(max(s.H-1-sheetTop, 1), all), All: all}
	w.From = min(t.from, w.Hidden())
	return w
}

// drawSheet draws the sheet in place of the groups.
func (t *groupText) drawSheet(f *part.Frame) {
	w := t.visibleLines(f.Scene)
	f.Section(titleRow, t.title, w.Where())
	for i, l := range t.wrapLines(f.Scene)[w.From : w.From+w.Shown] {
		x := 3 + l.indent
		f.Left(x, sheetTop+i, f.W-1-x, l.text, l.role)
		if x += draw.Width(l.text) + 2; l.path != "" && x < f.W-1 {
			f.Put(x, sheetTop+i, draw.ClipMiddle(l.path, f.W-1-x), draw.Dim)
		}
	}
	footer.Draw(f, "", append([]keys.Hint{keys.HintOf(keys.Back).As("groups"), keys.HintOf(keys.CopyLine).As("copy")},
		footer.LastHints...)...)
}
