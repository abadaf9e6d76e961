package ui

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
)

// route is the user's way through the pages. Its methods return the pages that the user has left by going back.
type route struct {
	on    keys.Page   // the page that the user has chosen
	trail []keys.Page // the pages below this one; Esc leads back to them

	auto    bool   // the job decides the page, until the user goes to another page
	started string // ID of the job that decided
}

// newRoute begins at the page that Options.View names.
func newRoute(at string) route {
	switch at {
	case ViewNode:
		return route{on: keys.OnNode}
	case ViewOverview:
		return route{on: keys.OnOverview}
	}
	return route{on: keys.OnNode, auto: true}
}

// startFor goes to the first page of a job, if the job may decide.
func (r *route) startFor(job *cluster.JobView) {
	if r.auto && r.started != job.ID && !isAside(r.on) {
		r.on, r.started = nav.Start(len(job.Nodes)), job.ID
	}
}

// isAside reports whether a page is about no single job.
func isAside(id keys.Page) bool { return entryOf(id).has&keys.IsAside != 0 }

// goToPage goes to a page: as a level of its own, or on top of this page.
func (r *route) goToPage(to keys.Page) (left []keys.Page) {
	if entryOf(to).has&keys.IsLevel != 0 && (isAside(r.on) || !slices.Contains(r.trail, to)) {
		r.goToLevel(to)
		return nil
	}
	return r.putPageOver(to)
}

// goToLevel goes to a page that is a level of its own: the node view, or the overview above it. Esc leads back from
// there, but not from one level to another.
func (r *route) goToLevel(to keys.Page) {
	from := r.on
	if r.on, r.trail, r.auto = to, nil, false; entryOf(from).has&keys.IsLevel == 0 {
		r.trail = []keys.Page{from}
	}
}

// putPageOver puts a page on top of this one. If that page is already on the trail, it returns to it there, so that
// pressing Esc always comes to an end.
func (r *route) putPageOver(to keys.Page) (left []keys.Page) {
	at := slices.Index(r.trail, to)
	if at < 0 {
		r.pushPage(to)
		return nil
	}
	left = append(slices.Clone(r.trail[at+1:]), r.on)
	r.on, r.trail, r.auto = to, r.trail[:at], r.auto && isAside(to)
	return left
}

// pushPage puts a page on top of this one, even if the page is on the trail. After a page aside, the job may still
// decide.
func (r *route) pushPage(to keys.Page) {
	r.on, r.trail, r.auto = to, append(r.trail, r.on), r.auto && isAside(to)
}

// popPage goes to the page below, or one level up.
func (r *route) popPage() (left []keys.Page) {
	last := len(r.trail) - 1
	if last < 0 {
		left = []keys.Page{r.on}
		r.on, r.auto = keys.OnOverview, false
		return left
	}
	left = []keys.Page{r.on}
	r.on, r.trail = r.trail[last], r.trail[:last]
	return left
}
