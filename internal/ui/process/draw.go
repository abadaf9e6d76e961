package process

import (
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

// Draw draws the page.
func (p *Page) Draw(f *part.Frame) {
	part.Header(f, false)
	l, r := p.settled(f.Scene), p.rooms(f.Scene)
	p.above(f, r)
	p.title(f, r, l)
	if len(l.order) == 0 {
		text, role := p.none(f, l)
		f.Left(2, r.top-1, f.W-3, text, role)
	} else {
		p.rows(f, r, l)
	}
	if p.filter.Typing(everyJob) {
		p.filter.Draw(f, len(l.order), l.all)
	} else {
		part.Footer(f, "", p.hints(f.Scene)...)
	}
	p.over.draw(f)
}

// above draws the GPUs of the scope, or its nodes.
func (p *Page) above(f *part.Frame, r rooms) {
	if r.above == 0 {
		return
	}
	y := firstRow + 1
	switch p.of(f.Scene) {
	case OfGPU:
		part.Tabs(f)
		t := table.NewGPUs(f)
		t.Head(f, y)
		t.Row(f, y+1, gpuOf(f.Node, p.gpu))
	case OfNode:
		part.Tabs(f)
		t := table.NewGPUs(f)
		t.Head(f, y)
		t.Rows(f, y+1, 0, r.above)
	case OfJob:
		right := ""
		if r.above < r.all {
			right = strconv.Itoa(r.above) + " of " + strconv.Itoa(r.all) + ", worst first"
		}
		f.Section(firstRow, "Nodes", right)
		t := table.NewNodes(f)
		t.Head(f, y)
		for i, name := range worst(f.Scene, r.above) {
			t.Row(f, y+1+i, f.NodeOf(name), false)
		}
	}
}

// rows draws the rows on the screen, with their headings.
func (p *Page) rows(f *part.Frame, r rooms, l *listing) {
	t, list := p.table(f.Scene, l), p.list(f.Scene, l)
	t.Head(f, r.top-1, p.sorting.by, p.sorting.down, p.tree)
	w, at := p.cursor.Window(list), p.cursor.At(list)
	for i := w.From; i < w.From+w.Shown && r.top+i-w.From < f.H-1; i++ {
		t.Row(f, r.top+i-w.From, l.at(i), i == at, p.tags[keyOf(l.at(i))])
	}
	table.ScrollBar(f, r.top, f.H-1-p.filter.Rows(everyJob), w.From, w.Shown, w.All)
}

// table is the table for the terminal and the scope.
func (p *Page) table(s *part.Scene, l *listing) *table.ProcessList {
	scope := l.of.scope
	return table.NewProcessList(s.W, nodesOf(s, scope), scope == OfJobs, p.across, s.Columns.Processes)
}

// title draws the rule with the scope, and right in it how many processes there are, in which order, and which are on the screen.
func (p *Page) title(f *part.Frame, r rooms, l *listing) {
	x := f.Focus(r.title, "Processes of "+p.scopeName(f.Scene))
	where := p.cursor.Window(p.list(f.Scene, l)).Where()
	count, order, listed := p.count(l), p.sorting.words(), ""
	if p.tree {
		order = p.kin.words(f.Snap.At, l)
	}
	if l.listed < l.nodes && l.nodes > 1 {
		listed = ", on " + strconv.Itoa(l.listed) + " of " + part.Plural(l.nodes, "node", "nodes")
	}
	for _, text := range []string{count + listed + order, count + order, count + listed, count, ""} {
		text = strings.TrimSpace(text + "  " + where)
		if at := f.W - 4 - draw.Width(text); text != "" && at > x {
			f.Put(at, r.title, " "+text+" ", draw.Dim)
			return
		}
	}
}

// scopeName names the scope: "gpu-n02 GPU3", "job 48211".
func (p *Page) scopeName(s *part.Scene) string {
	switch p.of(s) {
	case OfGPU:
		return s.Node.Name + " " + part.GPUNumber(gpuOf(s.Node, p.gpu))
	case OfNode:
		return s.Node.Name
	case OfJobs:
		return "your " + part.Plural(len(s.Snap.Jobs), "job", "jobs")
	}
	if s.Job.ID == "" {
		return part.Plural(len(s.Job.Nodes), "node", "nodes")
	}
	return "job " + s.Job.ID
}

// count is "3 tagged of 8", "8 processes".
func (p *Page) count(l *listing) string {
	n := len(l.order)
	switch filtered := p.filter.On(everyJob) && !p.tree; {
	case p.tagged > 0 && filtered:
		return strconv.Itoa(p.tagged) + " tagged of " + strconv.Itoa(n) + " that match"
	case p.tagged > 0:
		return strconv.Itoa(p.tagged) + " tagged of " + strconv.Itoa(n)
	case filtered:
		return strconv.Itoa(n) + " of " + strconv.Itoa(l.all) + " match"
	}
	return part.Plural(n, "process", "processes")
}

// none says why there are no rows.
func (p *Page) none(f *part.Frame, l *listing) (string, draw.Role) {
	scope := p.of(f.Scene)
	switch {
	case l.all > 0:
		return p.filter.None(everyJob, "processes", f.W-3), draw.Text
	case scope == OfJobs:
		return "no processes on the GPUs of your jobs are listed", draw.Dim
	case scope == OfJob:
		return part.NoProcessesOfJob(f), draw.Dim
	case !tally.HasNumbers(f.Node):
		return part.Absence(f, f.Node, f.W-3), f.Health.NodeMark(f.Node.Name).Role
	case scope == OfGPU:
		return part.NoProcessesOn(f, gpuOf(f.Node, p.gpu)), draw.Dim
	}
	return part.NoProcesses(f), draw.Dim
}

// hints are the keys of the footer, the most useful first.
func (p *Page) hints(s *part.Scene) []keys.Hint {
	if p.sorting.asked {
		return sortHints
	}
	var hints []keys.Hint
	if s.MouseFree {
		hints = append(hints, keys.HintOf(keys.FreeMouse).As("mouse: off"))
	}
	hints = append(hints, keys.HintOf(keys.RowUp, keys.RowDown), keys.HintOf(keys.Metrics), keys.HintOf(keys.Environ), keys.HintOf(keys.Tag))
	if s.Forbidden() == "" {
		hints = append(hints, keys.HintOf(keys.SignalTerm), keys.HintOf(keys.SignalAny))
	}
	hints = append(hints, keys.HintOf(keys.SortBefore, keys.SortAfter), keys.HintOf(keys.Reverse), keys.HintOf(keys.CopyMenu))
	if p.of(s) < OfJobs {
		hints = append(hints, keys.HintOf(keys.Widen))
	}
	if p.of(s) > OfGPU {
		hints = append(hints, keys.HintOf(keys.Narrow))
	}
	back := keys.HintOf(keys.Back)
	switch {
	case p.tagged > 0:
		back = back.As("clear tags")
	case p.filter.On(everyJob):
		back = back.As("clear filter")
	}
	hints = append(hints, keys.HintOf(keys.FilterRows), keys.HintOf(keys.Tree), keys.HintOf(keys.SortBy), keys.HintOf(keys.CommandLeft, keys.CommandRight), p.modeHint())
	return append(hints, keys.HintOf(keys.Refresh), back, keys.HintOf(keys.Help), keys.HintOf(keys.Quit))
}

// modeHint is the key of what the screen does not show.
func (p *Page) modeHint() keys.Hint {
	if p.mode == modeCompact {
		return keys.HintOf(keys.Auto)
	}
	return keys.HintOf(keys.Compact)
}
