package node

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/rows/filter"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// isTyping reports whether the prompt has the keyboard. A node without values shows nothing to filter.
func (p *Page) isTyping(s *part.Scene) bool {
	return tally.Shows(s.Node) && p.filter.Typing(s.Job.ID)
}

func (p *Page) passToPrompt(msg tea.Msg) nav.Answer {
	taken := p.filter.Press(msg)
	if taken {
		p.from = 0
	}
	return nav.Answer{Taken: taken}
}

func (p *Page) openFilter(s *part.Scene) nav.Answer {
	p.filter.Open(s.Job.ID)
	return nav.Taken
}

// unfilter shows all rows again.
func (p *Page) unfilter(s *part.Scene) nav.Answer {
	if !p.filter.On(s.Job.ID) {
		return nav.Answer{}
	}
	p.filter.Clear(s.Job.ID)
	return nav.Taken
}

// matchingGPUs returns the GPUs of the node that match the filter, by their own values and by those of the processes on
// them.
func (p *Page) matchingGPUs(s *part.Scene) []*cluster.GPU {
	r := rows.GPU{Snapshot: s.Snap, Node: s.Node, Findings: s.Health.ByNode[s.Node.Name]}
	return filter.Keep(p.filter.Expr(s.Job.ID), &rows.GPUs, s.GPUs(s.Node), r.Of)
}

// matchingProcesses returns the processes of the node to show, how many of them belong to the job, and the number
// without filters.
func (p *Page) matchingProcesses(s *part.Scene) (list []tally.Process, own, of int) {
	list, own = tally.Processes(s.Job, s.Node)
	if s.Mine {
		list = list[:own]
	}
	list, of = s.Processes(s.Node, list)
	r := rows.Process{Findings: s.Health.ByNode[s.Node.Name]}
	list = filter.Keep(p.filter.Expr(s.Job.ID), &rows.Processes, list,
		func(w *tally.Process) *rows.Process { return r.Set(s.Snap, s.Node, w) })
	others := slices.IndexFunc(list, func(p tally.Process) bool { return !p.Own })
	if others < 0 {
		others = len(list)
	}
	return list, others, of
}

// matchCount says that filters hide some of the node's processes; "": all are shown.
func (p *Page) matchCount(s *part.Scene, shown, of int) string {
	if shown == of && !p.filter.On(s.Job.ID) {
		return ""
	}
	text := strconv.Itoa(shown) + " of " + strconv.Itoa(of) + " match"
	if shown == 1 {
		text += "es"
	}
	return text
}

// hidingFilters names the filters that hide processes: the one set at the start, and the one of the page.
func (p *Page) hidingFilters(f *part.Frame, shown, of int) string {
	text := p.matchCount(f.Scene, shown, of)
	if text == "" {
		return ""
	}
	var texts []string
	for _, e := range []*filter.Expr{f.Matching, p.filter.Expr(f.Job.ID)} {
		if e != nil {
			texts = append(texts, part.Quote(e.String(), part.FilterClip))
		}
	}
	return ", " + text + " " + strings.Join(texts, " and ")
}

// noProcesses says why no processes are listed.
func (p *Page) noProcesses(f *part.Frame, of int) string {
	if of > 0 && p.filter.On(f.Job.ID) {
		return p.filter.None(f.Job.ID, "processes", f.W-3)
	}
	return part.NoProcesses(f)
}

// whereRow says, below the GPUs, which of them match the filter, and which are on the screen.
func whereRow(f *part.Frame, y int, r *sectionRows) {
	x := f.Put(2, y, r.title, draw.Strong)
	if r.title != "" {
		x += 2
	}
	f.Left(x, y, f.W-1-x, r.gpus.Where(), draw.Dim)
}
