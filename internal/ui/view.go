package ui

import (
	"cmp"
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/joblog"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/palette"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/settings"
	"github.com/nvnodetop/nvnodetop/internal/ui/stacks"
)

// view holds the user's choice of jobs, nodes and pages.
type view struct {
	selection
	route
	keymap
	chosen string // the view that o chose last, as a value of Options.View; "": none

	mine    bool // GPUs of other jobs are hidden
	noMouse bool // the terminal has the mouse, to select text

	past     *footer.History
	pages    map[keys.Page]Page
	settings settings.Page
	palette  palette.Page
	log      *joblog.Page
	report   *joblog.ReportPage
	stacks   *stacks.Page
}

func newView(o *Options) *view {
	v := &view{selection: selection{nodes: map[string]choice{}}, route: newRoute(o.View),
		keymap: keymap{nvitop: o.Keys == KeysNvitop},
		past:   &footer.History{}, pages: map[keys.Page]Page{}, log: joblog.New(), report: &joblog.ReportPage{},
		stacks: stacks.New()}
	v.settings.Begin(o.Choices)
	for _, e := range pages {
		if e.new != nil {
			v.pages[e.id] = e.new(v, o)
		}
	}
	return v
}

func (v *view) hasProperty(property keys.Has) bool { return v.hasOf(v.on)&property != 0 }

// resolveSelection makes the selection valid for the Snapshot, and completes the scene with it.
func (v *view) resolveSelection(s *part.Scene) {
	s.Mine, s.Look, s.MouseFree, s.Out = v.mine, v.settings.Now.Look, v.noMouse, v.escTarget(s)
	s.Job, s.Node, s.Cites = nil, nil, v.log.Cites()
	s.NoSignal, s.NoCancel = "", ""
	at := v.resolveJob(s.Snap)
	if at < 0 {
		if p, is := v.chosenPage().(forgetter); is {
			p.Forget()
		}
		if p, is := v.chosenPage().(settler); is && v.hasProperty(keys.OutlivesJob) {
			p.Settle(s)
		}
		return
	}
	s.SetJob(at)
	v.startFor(s.Job)
	if order := v.chosenPage().Wants(s).Order; order != nil {
		s.Order = order
	}
	if at := v.resolveNode(s.Job.Nodes, s.Order); at >= 0 {
		s.SetNode(at)
		if p, is := v.chosenPage().(settler); is {
			p.Settle(s)
		}
	}
}

// chosenPage returns the page that the user has chosen.
func (v *view) chosenPage() Page { return v.pages[v.on] }

// needsNoJob are the pages that exist without a job.
const needsNoJob = keys.IsAside | keys.OutlivesJob

// shownPage returns the page on the screen.
func (v *view) shownPage(s *part.Scene) Page {
	if s.Node == nil && !v.hasProperty(needsNoJob) {
		return v.pages[keys.OnNoJobs]
	}
	return v.chosenPage()
}

// focusedPage returns the owner of the keyboard: the palette, or the page on the screen.
func (v *view) focusedPage(s *part.Scene) Page {
	if v.palette.IsOpen() {
		return &v.palette
	}
	return v.shownPage(s)
}

// focusedKeys names the page or overlay that has the keyboard, as in the list of keys.
func (v *view) focusedKeys(s *part.Scene) keys.Page {
	if s.Job == nil && !v.hasProperty(needsNoJob) {
		return keys.OnNoJobs
	}
	if p, is := v.chosenPage().(covered); is {
		return p.OnTop()
	}
	return v.on
}

// passMessage passes a message to the page on the screen, and follows its answer.
func (v *view) passMessage(msg tea.Msg, s *part.Scene) nav.Answer {
	msg, onBar := shiftMouseRow(msg, s)
	if onBar {
		return v.clickBar(msg, s)
	}
	if a, did := v.clickFooter(msg, s); did {
		return a
	}
	a, did := v.clickTarget(msg, s)
	if !did {
		a = v.focusedPage(s).Press(msg, s)
	}
	if at := slices.IndexFunc(s.Snap.Jobs, func(j cluster.JobView) bool { return j.ID == a.Job }); a.Job != "" &&
		at >= 0 {
		v.job, v.jobAt = a.Job, at
		s.SetJob(at)
	}
	v.selectNode(s, a.Node)
	if a.Page != "" && (s.Job != nil || entryOf(a.Page).has&needsNoJob != 0) {
		v.followAnswer(&a, s)
	}
	return a
}

// followAnswer goes to the destination of an answer.
func (v *view) followAnswer(a *nav.Answer, s *part.Scene) {
	v.resolveSelection(s) // the subject of the page is selected now
	switch {
	case entryOf(a.Page).has&keys.IsLevel != 0:
		v.goToLevel(a.Page)
	case a.Filter != "": // the page may be further down the trail, with its own filter
		v.pushPage(a.Page)
	default:
		v.leavePages(v.putPageOver(a.Page))
	}
	first := v.passDestination(s, a.Go)
	a.Notice, a.Still = cmp.Or(a.Notice, first.Notice), a.Still || first.Still
}

// passDestination passes the user's destination to the page on the screen.
func (v *view) passDestination(s *part.Scene, to nav.Go) nav.Answer {
	p, is := v.chosenPage().(host)
	if !is {
		return nav.Answer{}
	}
	a := p.Arrive(s, to)
	v.selectNode(s, a.Node)
	return a
}

// selectNode selects a node of the job; "": no change.
func (v *view) selectNode(s *part.Scene, node string) {
	if node != "" {
		v.chooseNode(node, slices.Index(s.Job.Nodes, node))
	}
}

// handlesKey reports whether the page on the screen uses a key.
func (v *view) handlesKey(k tea.KeyPressMsg, s *part.Scene) bool {
	return slices.ContainsFunc(v.helpOf(v.focusedKeys(s)), func(r keys.Row) bool { return key.Matches(k, r.Bindings...) })
}

// anywhere are the actions that every page has, even without a job. selecting are those that change the selection, or
// something that the user has chosen for all pages.
var (
	anywhere = nav.CodeTable[*view]{
		{Of: keys.Mouse, Do: nav.ChangePage(freeMouse)},
		{Of: keys.FreeMouse, Do: freeMouseOfNvitop},
		{Of: keys.Palette, Do: openPalette},
		{Of: keys.Help, Do: openHelp},
		{Of: keys.Colors, Do: nav.ChangePage(recolor)},
	}
	outward   = nav.CodeTable[*view]{{Of: keys.Back, Do: nav.ChangePage((*view).goBack)}}
	selecting = nav.CodeTable[*view]{
		{Of: keys.Mine, Do: nav.ChangePage(hideOthers)},
		{Of: keys.PrevJob, Do: toJob(-1)},
		{Of: keys.JobAbove, Do: toJob(-1)},
		{Of: keys.JobAboveCursor, Do: toJob(-1)},
		{Of: keys.NextJob, Do: toJob(+1)},
		{Of: keys.JobBelowCursor, Do: toJob(+1)},
		{Of: keys.JobBelow, Do: toJob(+1)},
		{Of: keys.PrevNode, Do: toNode(-1)},
		{Of: keys.Left, Do: toNode(-1)},
		{Of: keys.NextNode, Do: toNode(+1)},
		{Of: keys.Right, Do: toNode(+1)},
		{Of: keys.PrevProblem, Do: toProblem(-1)},
		{Of: keys.NextProblem, Do: toProblem(+1)},
	}
)

// handleGlobalKey answers a key that belongs to no page. Keys that reach beyond the view, to quit or to ask, belong to
// the model.
func (v *view) handleGlobalKey(k tea.KeyPressMsg, s *part.Scene) {
	at := v.focusedKeys(s)
	to := v.ledTo(k, at)
	switch {
	case pageOfDigit(k) != nil:
		v.turnTo(pageOfDigit(k), k, s)
	case v.explainUselessKey(k, at, s), anywhere.Do(v, k, s).Taken:
	case s.Job == nil && !v.hasProperty(needsNoJob) && to == nil: // a key must not change something invisible
	case outward.Do(v, k, s).Taken:
	case to == nil && s.Job != nil:
		selecting.Do(v, k, s)
	case to != nil && (s.Job != nil || to.has&keys.IsAside != 0):
		v.followPageKey(to, k, s)
	}
}

// followPageKey goes to the page of a key, or back from it.
func (v *view) followPageKey(to *pageEntry, k tea.KeyPressMsg, s *part.Scene) {
	switch {
	case to.id == keys.OnOverview && v.on == keys.OnOverview:
		v.goToLevel(keys.OnNode)
		v.chosen = ViewNode
	case to.id == v.on:
		v.leavePages(v.popPage())
	default:
		if to.id == keys.OnOverview {
			v.chosen = ViewOverview
		}
		v.enterWithKey(to.id, k, s)
	}
}

// enterWithKey goes to a page with a key.
func (v *view) enterWithKey(to keys.Page, k tea.KeyPressMsg, s *part.Scene) {
	v.leavePages(v.goToPage(to))
	v.passDestination(s, nav.Go{Page: to, Key: k})
}

// moveProblem selects the next node with a problem, with a wrap at the ends. If this job has no other, it selects a
// node of the next job that has one.
func (v *view) moveProblem(s *part.Scene, by int) {
	for i := range s.Snap.Jobs {
		at := wrapIndex(s.JobAt+i*by, len(s.Snap.Jobs))
		job, order := &s.Snap.Jobs[at], s.Order
		health := s.Health
		if i > 0 {
			order, health = job.Nodes, part.NewHealth(s.Snap, job)
		}
		if node := nextProblem(order, health, v.nodes[job.ID].name, by, i > 0); node != "" {
			v.job, v.jobAt = job.ID, at
			v.chooseNode(node, slices.Index(job.Nodes, node))
			v.pages[keys.OnGPU].(host).Arrive(s, nav.Go{Node: node})
			return
		}
	}
}

// nextProblem returns the next node in order after from that has a problem, or "". With here, from itself is checked
// first.
func nextProblem(order []string, health part.Health, from string, by int, here bool) string {
	at := slices.Index(order, from)
	for i := range order {
		if !here {
			i++
		}
		if name := order[wrapIndex(at+i*by, len(order))]; (here || name != from) &&
			health.Rank(name) >= int(cluster.Warning) {
			return name
		}
	}
	return ""
}

// escTarget names the page to which Esc leads, as its digit does; "": none.
func (v *view) escTarget(s *part.Scene) string {
	switch last := len(v.trail) - 1; {
	case s.Ago != "":
		return "live"
	case v.focusedKeys(s) != v.on:
		return keys.Back.Help().Desc
	case last >= 0:
		return entryOf(v.trail[last]).pageWord()
	case v.on == keys.OnOverview:
		return ""
	}
	return keys.ToOverview.Help().Desc
}

// leavePages tells the pages that the user has left them by going back.
func (v *view) leavePages(from []keys.Page) {
	for _, id := range from {
		if p, is := v.pages[id].(leaver); is {
			p.Leave()
		}
	}
}
