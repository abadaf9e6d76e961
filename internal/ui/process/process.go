// Package process is the page of processes: those of a GPU, a node, a job, all of the user's jobs, or all on their
// nodes, with the keys of nvitop.
//
// The rows of a Snapshot are made and sorted once, when the view settles on it or a key changes what is shown; a frame
// draws those on the screen only. The cursor and the tags belong to processes, not to rows: they stay when rows come,
// go and are sorted anew, and end with their process. A Page belongs to one goroutine.
package process

import (
	"github.com/nvnodetop/nvnodetop/internal/filter"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/prompt"
)

// Page lists processes.
type Page struct {
	scope   scoping
	sorting sorting
	mode    mode
	across  int // columns of the commands that are to the left of the screen

	cursor nav.Cursor[nav.Process]
	tags   tags
	tree   bool // with relatives, by parents and children
	kin    families
	over   overlays
	filter *prompt.Filter
	past   *prompt.History
	before *before // nil: this is no visit
	now    listing
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
	return &Page{filter: prompt.New(filter.Of(&rows.Processes), past), past: past}
}

// Match shows only these processes, until the user filters them.
func (p *Page) Match(e *filter.Expr) { p.filter.Begin(e) }

// Arrive shows the processes of what the user comes from: a GPU, a node, or else the job. An answer may lead to one
// process, or to those that match a filter.
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
	p.scope, p.sorting.asked, p.tree = scoping{scope, gpu}, false, false
	p.over.close()
}

// visit shows the processes of all nodes that match a text, as if it had been typed, until Leave or begin. The filter
// that the page has is in force again then.
func (p *Page) visit(text string) {
	p.Leave()
	was := &before{p.scope, p.tree, p.filter}
	p.begin(OfNodes, "")
	p.before, p.filter = was, prompt.New(filter.Of(&rows.Processes), p.past)
	p.filter.Set(everyJob, text)
}

// Leave shows what was shown before a visit, if this is one.
func (p *Page) Leave() {
	if was := p.before; was != nil {
		p.scope, p.tree, p.filter, p.before = was.scope, was.tree, was.filter, nil
	}
}

// show shows the processes of the selected node, with the cursor on one of them. It reports whether that is listed. A
// filter that hides it ends.
func (p *Page) show(s *part.Scene, at nav.Process) bool {
	p.begin(OfNode, "")
	i := p.listing(s).placeOf(at)
	if i < 0 {
		p.filter.Clear(everyJob)
		i = p.listing(s).placeOf(at)
	}
	p.jump(s, &p.now, i)
	return i >= 0
}

// On is the page that is seen, in the list of keys.
func (p *Page) On() keys.Page { return p.over.on() }

// Forget closes what is over the page.
func (p *Page) Forget() { p.over.close() }

// Settle makes the rows of a Snapshot that is to be drawn.
func (p *Page) Settle(s *part.Scene) {
	l := p.list(s, p.listing(s))
	p.cursor.GoTo(l, p.cursor.At(l))
	p.tags.settle(s, &p.now, &p.kin)
	p.over.settle(s)
}

// Wants the processes of its scope; what is over the page knows better, if it wants anything.
func (p *Page) Wants(s *part.Scene) nav.Wants {
	if w := p.over.wants(s); w.Selected || w.Everywhere {
		return w
	}
	return p.scope.wants()
}
