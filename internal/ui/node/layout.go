package node

import (
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

// sectionRows has the rows of the screen for each part of the node view.
type sectionRows struct {
	head  int            // row of the GPUs' headings
	gpus  nav.Window     // the rows below the headings
	rows  []*cluster.GPU // the GPUs, in their order
	title string         // the number of GPUs that match the filter, in words; "": no filter
	none  string         // the sentence that no GPU matches
	where bool           // a row below the GPUs says which of them match and which are on the screen
	rule  bool           // a rule separates the GPUs from the sum

	processes bool
	tight     bool       // a low terminal: one rule separates the processes from the sum, which is bold anyway
	list      nav.Window // of the processes
	first     int        // row of the first process
	end       int        // the first row after the processes
	below     int        // the first row below the rows reserved for processes, even before they are listed
}

func (p *Page) divideScreen(s *part.Scene) sectionRows {
	r := sectionRows{head: headRow(s), processes: s.H >= part.Small && p.showsProcesses(s)}
	r.tight = r.processes && s.H < part.Tall
	r.rule = !r.tight && s.H >= ruled
	p.roomForGPUs(s, &r)
	y := r.head + 1
	if r.gpus.All > 0 {
		y += r.gpus.Shown + 1 // the GPUs and their sum
		if r.where {
			y++
		}
		if r.rule {
			y++
		}
	}
	if r.processes {
		p.roomForProcesses(s, &r, y)
	}
	r.gpus.From = min(p.from, r.gpus.Hidden())
	r.list.From = min(max(p.from-r.gpus.Hidden(), 0), r.list.Hidden())
	return r
}

// headRow returns the row of the GPUs' headings.
func headRow(s *part.Scene) int {
	if s.H < part.Small {
		return 2
	}
	y := 4
	if tally.Old(s.Node) {
		y++ // the sentence that no GPU matches
	}
	if s.H >= part.Tall {
		y++
	}
	return y
}

// roomForGPUs distributes the rows of the GPUs. It leaves room for their sum and, in a low terminal, for some of the
// processes.
func (p *Page) roomForGPUs(s *part.Scene, r *sectionRows) {
	y, end := r.head+1, s.H-2-p.filter.Rows(s.Job.ID) // the sum and the keys
	if s.H < part.Small {
		end = s.H - 1
	}
	if r.rule || r.tight {
		end--
	}
	if r.tight {
		end = min(end, y+max(s.H-y-8, 4))
	}
	gpus := p.matchingGPUs(s)
	n, room := len(gpus), max(end-y, 0)
	if all := len(s.GPUs(s.Node)); p.filter.On(s.Job.ID) && all > 0 {
		r.title = p.filter.Title(s.Job.ID, n, all, "GPU", "GPUs", s.W-4)
		r.none = p.filter.None(s.Job.ID, "GPUs", s.W-3)
	}
	if (n > room || r.title != "") && room > 1 {
		r.where = true
		room--
	}
	r.gpus = nav.Window{Shown: min(n, room), All: n}
	r.rows = table.InOrder(s, gpus, r.gpus.Shown)
}

// roomForProcesses gives the processes the rows from row y on, except for those of the node's worst problem. It
// reserves rows for one process per GPU before the processes are known: the parts below must not jump when the list
// arrives.
func (p *Page) roomForProcesses(s *part.Scene, r *sectionRows, y int) {
	r.end = s.H - 1 - p.filter.Rows(s.Job.ID)
	if len(s.Health.Listed(s.Node.Name)) > 0 {
		r.end -= problemRows(s.H)
	}
	y += 2 // a blank line and the title
	if r.tight {
		y-- // a rule
	}
	list, _, _ := p.matchingProcesses(s)
	room := max(r.end-y-1, 0) // below the headings
	r.list = nav.Window{Shown: min(len(list), room), All: len(list)}
	r.first = y + 1
	r.below = r.first
	if s.H >= part.Tall && (s.Node.Listed || s.Node.State == cluster.NodeReporting) {
		r.below = min(y+1+len(s.Own(s.Node)), r.end)
	}
}

// problemRows returns the number of rows that the processes leave to the problems of the node.
func problemRows(h int) int {
	switch {
	case h < part.Tall:
		return 1 // one line
	case h < roomy:
		return 2 // and a title
	}
	return roomyProblems
}

const (
	ruled         = 18 // the least height with a rule above the sum
	roomy         = 34 // the least height at which processes are shown by default
	roomyProblems = 4  // a blank line, a title, and two lines for the worst problem
)

// showsProcesses reports whether the processes are shown. Without a choice of the user, they are shown if they fit
// below the GPUs together with the worst problem, counting one process for each of the job's GPUs. It does not matter
// whether there is a problem now.
func (p *Page) showsProcesses(s *part.Scene) bool {
	switch {
	case p.Processes != ShowAuto:
		return p.Processes == ShowOn
	case s.H < roomy:
		return false
	case !tally.Shows(s.Node): // processes arrive with the first values
		return true
	}
	const frame = 8 // rows 0 to 4, the GPUs' headings, rule and sum
	const section = 3
	rows := frame + len(s.GPUs(s.Node)) + section + len(s.Own(s.Node)) + roomyProblems + 1 // the keys
	return rows <= s.H && len(s.GPUs(s.Node)) > 0
}

// scrollLists answers the keys and the wheel that scroll the two lists, the GPUs first.
func (r *sectionRows) scrollLists(msg tea.Msg) (from int, moved bool) {
	hidden := r.gpus.Hidden()
	from = r.gpus.From + r.list.From
	up, down := r.gpus.Shown, r.list.Shown
	if from > hidden {
		up = min(r.list.Shown, from-hidden)
	}
	if from < hidden {
		down = min(r.gpus.Shown, hidden-from)
	}
	return nav.ScrollPages(msg, from, up, down, hidden+r.list.Hidden())
}
