// Package process is the page of processes: those of a GPU, a node, a job, all of the user's jobs, or all on their
// nodes, with the keys of nvitop.
//
// It is a list of package list; it adds the scope, the tags, the tree, and the overlays. The cursor and the tags belong
// to processes, not to rows: they stay when rows come, go and are sorted anew, and end with their process. A Page
// belongs to one goroutine.
package process

import (
	"github.com/nvnodetop/nvnodetop/internal/filter"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/list"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/prompt"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

// view is the processes as they are listed.
type view = list.View[table.ProcessRow]

// Page lists processes.
type Page struct {
	*list.List[table.ProcessRow, nav.Process]
	scope  scoping
	asked  bool // the next key says by what the rows are sorted
	mode   mode
	across int // columns of the commands that are to the left of the screen

	tags   tags
	tree   bool // with relatives, by parents and children
	kin    families
	over   overlays
	past   *prompt.History
	before *before // nil: this is no visit
}

// before is what a visit leaves alone.
type before struct {
	scope  scoping
	tree   bool
	filter *prompt.Filter
}

// everyJob is what the filter is for: it stays when the scope changes.
const everyJob = ""

// New returns the page as it is at the start.
func New(past *prompt.History) *Page {
	p := &Page{past: past}
	p.List = list.New(past, list.Of[table.ProcessRow, nav.Process]{
		Noun: "processes", Rows: func(s *part.Scene) []table.ProcessRow { return p.scope.listing(s).rows }, Key: keyOf,
		Version: func(s *part.Scene) any { return p.scope.question(s) },
		Shape:   p.shape, Arrange: p.kin.arrange, Unshape: func() { p.tree = false },
		Reads: list.By(&rows.Processes, fields), Orders: orders, Usual: []string{"gpu"}, Keys: listKeys,
		On: p.scope.on, Open: func(s *part.Scene, _ *table.ProcessRow) nav.Answer {
			a, _ := p.inspectRow(enter, s)
			return a
		},
		Problem: hasProblem, Table: p.table,
		Place: func(s *part.Scene) (top, room int) {
			r := p.mode.rooms(s, p.scope.of(s))
			return r.top, r.room(s)
		},
	})
	return p
}

// Arrive shows the processes of the user's previous selection: a GPU, a node, or else the job. An answer may lead to
// one process, or to the processes that match a filter.
func (p *Page) Arrive(s *part.Scene, to nav.Go) nav.Answer {
	switch {
	case to.Filter != "":
		p.visit(to.Filter)
	case to.Process != nil:
		if p.show(s, *to.Process) && to.Key != nil {
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

// begin shows the processes of that scope. The cursor is where it was, if that is in the scope.
func (p *Page) begin(scope Scope, gpu string) {
	p.Leave()
	p.scope, p.asked, p.tree = scoping{scope, gpu}, false, false
	p.over.close()
}

// visit shows the processes of all nodes that match a text, as if it had been typed, until Leave or begin. The filter
// that the page has is in force again then.
func (p *Page) visit(text string) {
	p.Leave()
	was := &before{p.scope, p.tree, p.Filter}
	p.begin(OfNodes, "")
	p.before, p.Filter = was, prompt.New(filter.Of(&rows.Processes), p.past)
	p.Filter.Set(everyJob, text)
}

// Leave shows what was shown before a visit, if this is one.
func (p *Page) Leave() {
	if was := p.before; was != nil {
		p.scope, p.tree, p.Filter, p.before = was.scope, was.tree, was.filter, nil
	}
}

// show shows the processes of the selected node, with the cursor on one of them. It reports whether that is listed. A
// filter that hides it ends.
func (p *Page) show(s *part.Scene, at nav.Process) bool {
	p.begin(OfNode, "")
	there := func(r *table.ProcessRow) bool { return keyOf(r) == at }
	i := p.View(s).Find(there)
	if i < 0 {
		p.Filter.Clear(everyJob)
		i = p.View(s).Find(there)
	}
	p.jump(s, i)
	return i >= 0
}

// OnTop is the page that is seen, in the list of keys.
func (p *Page) OnTop() keys.Page { return p.over.on() }

// Forget closes what is over the page.
func (p *Page) Forget() { p.over.close() }

// Settle keeps the cursor and the tags on their processes in a Snapshot that is to be drawn.
func (p *Page) Settle(s *part.Scene) {
	p.Stay(s)
	p.tags.settle(s, p.View(s), &p.kin)
	p.over.settle(s)
}

// Wants the processes of its scope; what is over the page knows better, if it wants anything.
func (p *Page) Wants(s *part.Scene) nav.Wants {
	if w := p.over.wants(s); w.Selected || w.Everywhere {
		return w
	}
	return p.scope.wants()
}
