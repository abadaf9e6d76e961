// Package process is the page of processes, with the keys of nvitop. It shows those of a GPU, of a node, of a job, of
// all the user's jobs, or all processes on the nodes of these jobs.
//
// The page is a list of package list, and adds the scope, the tags, the tree, and the overlays. The cursor and the tags
// belong to processes, not to rows: they stay when rows come, go and are sorted again, and end with their process. A
// Page belongs to one goroutine.
package process

import (
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/rows/filter"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/list"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

// view is the listed processes.
type view = list.View[table.ProcessRow]

// Page lists processes.
type Page struct {
	*list.List[table.ProcessRow, nav.Process]
	Nvitop bool // the keys are those of nvitop

	scope  scoping
	asked  bool // the next key chooses the column to sort by
	mode   mode
	across int // columns of the commands that are scrolled away at the left

	tags   tags
	kin    families
	over   overlays
	past   *footer.History
	before *visitState // nil: no visit
}

// visitState is the state that is restored after a visit.
type visitState struct {
	scope  scoping
	tree   bool
	filter *footer.FilterPrompt
}

// everyJob is the only job that the filter knows: the filter stays when the scope changes.
const everyJob = ""

// New returns the page in its first state.
func New(past *footer.History) *Page {
	p := &Page{past: past}
	p.List = list.New(past, list.Of[table.ProcessRow, nav.Process]{
		Noun: "processes", Rows: func(s *part.Scene) []table.ProcessRow { return p.scope.currentListing(s).rows }, Key: keyOf,
		Version: func(s *part.Scene) any { return p.scope.currentQuestion(s) },
		Shape:   p.kin.treeShape, Arrange: p.kin.arrangeTree, Unshape: func() { p.kin.tree = false },
		Reads: list.By(&rows.Processes, rowFields), Orders: orders, Usual: []string{"gpu"}, Keys: listKeys,
		On: p.scope.selectRow, Open: func(s *part.Scene, _ *table.ProcessRow) nav.Answer { return row(openMetrics)(p, s) },
		Node:    func(r *table.ProcessRow) string { return r.Node.Name },
		Problem: hasProblem, Table: p.processTable, Detail: drawProcess,
		Place: func(s *part.Scene) (top, room int) {
			r := p.mode.divideScreen(s, p.scope.effectiveScope(s))
			return r.top, r.processRows(s)
		},
	})
	return p
}

// Arrive shows the processes of what the user selected last: a GPU, a node, or otherwise the job. The destination may
// name one process, or a filter.
func (p *Page) Arrive(s *part.Scene, to nav.Go) nav.Answer {
	switch {
	case to.Filter != "":
		p.showMatching(to.Filter)
	case to.Process != nil:
		if p.showProcess(s, *to.Process) && to.Key != nil {
			return p.Press(to.Key, s)
		}
	case to.GPU != "":
		p.begin(OfGPU, to.GPU)
	case to.Node != "":
		p.begin(OfNode, "")
	default:
		p.begin(OfJob, "")
	}
	return nav.Answer{}
}

// begin shows the processes of a scope. The cursor stays on its process if that is in the scope.
func (p *Page) begin(scope Scope, gpu string) {
	p.Leave()
	p.scope, p.asked, p.kin.tree = scoping{scope, gpu}, false, false
	p.over.closeAll()
}

// showMatching shows the processes of all nodes that match a text, as if the user had typed it, until Leave or begin.
// Then the page's own filter applies again.
func (p *Page) showMatching(text string) {
	p.Leave()
	was := &visitState{p.scope, p.kin.tree, p.Filter}
	p.begin(OfNodes, "")
	p.before, p.Filter = was, footer.NewFilterPrompt(filter.Of(&rows.Processes), p.past)
	p.Filter.Set(everyJob, text)
}

// Leave ends a visit, and returns to the previous scope.
func (p *Page) Leave() {
	if was := p.before; was != nil {
		p.scope, p.kin.tree, p.Filter, p.before = was.scope, was.tree, was.filter, nil
	}
}

// showProcess shows the processes of the selected node, with the cursor on one of them, and reports whether that is
// listed. It ends a filter that hides it.
func (p *Page) showProcess(s *part.Scene, at nav.Process) bool {
	p.begin(OfNode, "")
	there := func(r *table.ProcessRow) bool { return keyOf(r) == at }
	i := p.View(s).Find(there)
	if i < 0 {
		p.Filter.Clear(everyJob)
		i = p.View(s).Find(there)
	}
	p.jumpToRow(s, i)
	return i >= 0
}

// OnTop names the visible page in the list of keys.
func (p *Page) OnTop() keys.Page { return p.over.visiblePage() }

// Uncover closes the overlays.
func (p *Page) Uncover() { p.over.closeAll() }

// Forget closes the overlays.
func (p *Page) Forget() { p.over.closeAll() }

// Settle keeps the cursor and the tags on their processes in a new Snapshot before it is drawn.
func (p *Page) Settle(s *part.Scene) {
	p.Stay(s)
	p.tags.dropGoneTags(s, p.View(s), &p.kin)
	p.over.settleAll(s)
	p.noteRefusals(s)
}

// Wants returns the wants of the overlays, if they have any, otherwise asks for the processes of the scope.
func (p *Page) Wants(s *part.Scene) nav.Wants {
	if w := p.over.overlayWants(s); w.Selected || w.Everywhere {
		return w
	}
	return p.scope.scopeWants()
}
