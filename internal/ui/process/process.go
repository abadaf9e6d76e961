// Package process is the page of processes: those of a GPU, a node, a job, or all of the user's jobs, with the keys of nvitop.
//
// The rows of a Snapshot are made and sorted once, when the view settles on it or a key changes what is shown; a frame draws those on the
// screen only. The cursor and the tags belong to processes, not to rows: they stay when rows come, go and are sorted anew, and end with
// their process. A Page belongs to one goroutine.
package process

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/filter"
	"github.com/nvnodetop/nvnodetop/internal/filter/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/prompt"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Page lists processes.
type Page struct {
	scope   scoping
	sorting sorting
	mode    mode
	across  int // columns of the commands that are to the left of the screen

	cursor nav.Cursor[nav.Process]
	tags   map[nav.Process]bool
	tagged int  // rows with a tag
	tree   bool // with relatives, by parents and children
	kin    families
	over   overlays
	filter *prompt.Filter
	now    listing
}

// everyJob is what the filter is for: it stays when the scope changes.
const everyJob = ""

// New returns the page as it is at the start.
func New(past *prompt.History) *Page { return &Page{filter: prompt.New(rows.ProcessFields, past)} }

// Match shows only these processes, until the user filters them.
func (p *Page) Match(e *filter.Expr) { p.filter.Begin(e) }

// Begin shows the processes of that scope. The cursor is where it was, if that is in the scope.
func (p *Page) Begin(scope Scope, gpu string) {
	p.scope, p.sorting.asked, p.tree = scoping{scope, gpu}, false, false
	p.over.close()
}

// Show shows the processes of the selected node, with the cursor on one of them. It reports whether that is listed. A filter that hides it ends.
func (p *Page) Show(s *part.Scene, at nav.Process) bool {
	p.Begin(OfNode, "")
	if p.goToProcess(s, at) {
		return true
	}
	p.filter.Clear(everyJob)
	return p.goToProcess(s, at)
}

func (p *Page) goToProcess(s *part.Scene, at nav.Process) bool {
	l := p.list(s, p.listing(s))
	i := slices.IndexFunc(p.now.order, func(i int32) bool { return keyOf(&p.now.rows[i]) == at })
	if i >= 0 {
		p.cursor.GoTo(l, i)
	}
	return i >= 0
}

// On is the page that is seen, in the list of keys.
func (p *Page) On() keys.Page { return p.over.on() }

// Forget closes what is over the page.
func (p *Page) Forget() { p.over.close() }

// Settle makes the rows of a Snapshot that is to be drawn. The tags of processes that are gone end.
func (p *Page) Settle(s *part.Scene) {
	l := p.list(s, p.listing(s))
	p.cursor.GoTo(l, p.cursor.At(l))
	for tag := range p.tags {
		if !runs(s.NodeOf(tag.Node), tag) && !p.kin.has(tag) {
			delete(p.tags, tag)
		}
	}
	p.tagged = p.now.tagged(p.tags)
	p.over.settle(s)
}

// runs reports whether a node lists a process.
func runs(n *cluster.Node, tag nav.Process) bool {
	return slices.ContainsFunc(n.Processes, func(w wire.Process) bool {
		return w.PID == tag.PID && w.StartTicks == tag.StartTicks && w.GPU == tag.GPU
	})
}

// Wants the processes of its scope; what is over the page knows better, if it wants anything.
func (p *Page) Wants(s *part.Scene) nav.Wants {
	if w := p.over.wants(s); w.Selected || w.Everywhere {
		return w
	}
	return p.scope.wants()
}
