package ui

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/connection"
	"github.com/nvnodetop/nvnodetop/internal/ui/gpu"
	"github.com/nvnodetop/nvnodetop/internal/ui/help"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/lists"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/node"
	"github.com/nvnodetop/nvnodetop/internal/ui/nojobs"
	"github.com/nvnodetop/nvnodetop/internal/ui/overview"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/process"
	"github.com/nvnodetop/nvnodetop/internal/ui/prompt"
	"github.com/nvnodetop/nvnodetop/internal/ui/settings"
)

// Page fills the terminal, including the header and the footer with its hints.
//
// Each message from the keyboard and the mouse goes to the page first. What it takes, the model does not look at: so a
// page has the focus where it wants to. A prompt, a pane with keys of its own, or a dialog that covers the page is the
// page's own state: while it is open Press takes every key except Ctrl-C, Draw draws it, and the hints in the footer
// are its own. The cursor is the selected node: an Answer says where it is now.
type Page interface {
	// Draw draws the scene, and changes nothing but the canvas.
	Draw(f *part.Frame)
	// Press answers a key, the mouse, a text that was pasted, or the nav.Result of an Ask.
	Press(msg tea.Msg, s *part.Scene) nav.Answer
	// Wants says what the page needs for the scene. Its Order and its node are not settled yet.
	Wants(s *part.Scene) nav.Wants
}

// screen is a page that keys lead to.
type screen uint8

const (
	screenNode screen = iota
	screenOverview
	screenDoctor
	screenProblems
	screenRanks
	screenGPU
	screenProcesses
	screenJobs
	screenUsers
	screenSettings
)

// screenPages are the screens' names in the list of keys.
var screenPages = [...]keys.Page{screenNode: keys.OnNode, screenOverview: keys.OnOverview, screenDoctor: keys.OnDoctor,
	screenProblems: keys.OnProblems, screenRanks: keys.OnRanks, screenGPU: keys.OnGPU,
	screenProcesses: keys.OnProcesses, screenJobs: keys.OnJobs, screenUsers: keys.OnUsers,
	screenSettings: keys.OnSettings}

// withGPUs are the screens that show GPUs of other jobs.
var withGPUs = []screen{screenNode, screenGPU, screenOverview}

// view is what the user has chosen to see.
type view struct {
	selection
	screen screen
	trail  []screen // the screens below this one, which Esc leads back to
	help   bool     // it covers the screen
	chosen string   // the value of Options.View that o has chosen last; ""

	auto    bool   // the job decides on the page, until the user goes to another
	started string // ID of the job that has decided

	mine    bool // GPUs of other jobs are hidden
	classic bool
	noMouse bool // the terminal has the mouse, to select text

	node     *node.Page
	overview *overview.Page
	gpu      gpu.Page
	doctor   connection.Page
	problems *lists.Problems
	ranks    *lists.Ranks
	process  *process.Page
	jobs     *lists.Jobs
	users    *lists.Users
	settings settings.Page
	noJobs   nojobs.Page
	manual   help.Page
}

func newView(classic bool) *view {
	past := &prompt.History{}
	return &view{
		selection: selection{nodes: map[string]choice{}}, classic: classic, node: node.New(past),
		overview: overview.New(past), problems: lists.NewProblems(past),
		ranks: lists.NewRanks(past), process: process.New(past), jobs: lists.NewJobs(past),
		users: lists.NewUsers(past),
	}
}

// start goes to the page that Options.View says.
func (v *view) start(at string) {
	switch at {
	case ViewNode:
		v.screen = screenNode
	case ViewOverview:
		v.screen = screenOverview
	default:
		v.auto = true
	}
}

// startFor begins where the job does, if that is the job's to decide.
func (v *view) startFor(job *cluster.JobView) {
	if !v.auto || v.started == job.ID || v.aside() {
		return
	}
	v.screen, v.started = screenOf(nav.Start(len(job.Nodes))), job.ID
}

// screenOf is the screen with that name.
func screenOf(page keys.Page) screen { return screen(slices.Index(screenPages[:], page)) }

// aside reports whether the page is about no single job. It is there without one, too.
func (v *view) aside() bool {
	return v.screen == screenJobs || v.screen == screenUsers || v.screen == screenSettings
}

// resolve makes the selection valid for the Snapshot, and completes the scene with it.
func (v *view) resolve(s *part.Scene) {
	s.Mine, s.Classic, s.MouseFree = v.mine, v.classic, v.noMouse
	v.settings.Now.Classic = v.classic
	s.Gauge = v.overview.Gauge
	s.Job, s.Node = nil, nil
	at := v.resolveJob(s.Snap)
	if at < 0 {
		v.process.Forget()
		return
	}
	s.SetJob(at)
	v.startFor(s.Job)
	if order := v.body().Wants(s).Order; order != nil {
		s.Order = order
	}
	if at := v.resolveNode(s.Job.Nodes, s.Order); at >= 0 {
		s.SetNode(at)
		switch v.screen {
		case screenNode, screenDoctor:
			s.Recall()
		case screenGPU:
			s.Recall()
			v.gpu.Settle(s)
		case screenProcesses:
			v.process.Settle(s)
		}
	}
}

// body is the page that the keys have led to.
func (v *view) body() Page {
	switch v.screen {
	case screenOverview:
		return v.overview
	case screenDoctor:
		return &v.doctor
	case screenProblems:
		return v.problems
	case screenRanks:
		return v.ranks
	case screenGPU:
		return &v.gpu
	case screenProcesses:
		return v.process
	case screenJobs:
		return v.jobs
	case screenUsers:
		return v.users
	case screenSettings:
		return &v.settings
	}
	return v.node
}

// page is the page that is on.
func (v *view) page(s *part.Scene) Page {
	switch {
	case v.help:
		return &v.manual
	case s.Node == nil && !v.aside():
		return &v.noJobs
	}
	return v.body()
}

// press gives a message to the page that is on, and goes where its answer says.
func (v *view) press(msg tea.Msg, s *part.Scene) nav.Answer {
	a := v.page(s).Press(msg, s)
	v.classic = v.settings.Now.Classic
	if at := slices.IndexFunc(s.Snap.Jobs, func(j cluster.JobView) bool { return j.ID == a.Job }); a.Job != "" &&
		at >= 0 {
		v.job, v.jobAt = a.Job, at
		s.SetJob(at)
	}
	if a.Node != "" {
		v.choose(a.Node, slices.Index(s.Job.Nodes, a.Node))
	}
	if a.Page != "" && s.Job != nil {
		v.follow(&a, s)
	}
	return a
}

// follow goes to the page to which an answer leads.
func (v *view) follow(a *nav.Answer, s *part.Scene) {
	switch to := screenOf(a.Page); {
	case to == screenGPU:
		v.gpu.Show(v.nodes[s.Job.ID].name, a.GPU)
		v.over(to)
	case to == screenProcesses && a.Filter != "":
		v.process.Visit(a.Filter)
		// not over: the page may be below, as it was
		v.screen, v.trail, v.auto = to, append(v.trail, v.screen), false
	case to == screenProcesses:
		v.resolve(s) // its node is the selected one now
		shown := v.process.Show(s, *a.Process)
		v.over(to)
		if a.Key != nil && shown {
			asked := v.process.Press(a.Key, s)
			a.Notice, a.Still = asked.Notice, asked.Still
		}
	case v.aside(): // Esc leads back there
		from := v.screen
		v.level(to)
		v.trail = []screen{from}
	default:
		v.level(to)
	}
}

// apply answers a key that is no page's own. Keys that reach beyond the view, to quit or to ask, are the model's.
func (v *view) apply(k tea.KeyPressMsg, s *part.Scene) {
	switch {
	case key.Matches(k, keys.Mouse), key.Matches(k, keys.FreeMouse) && v.screen == screenProcesses && !v.help:
		v.noMouse = !v.noMouse
	case v.help:
		v.help = !key.Matches(k, keys.Help, keys.Back, keys.Quit)
	case key.Matches(k, keys.Help):
		v.help, v.manual = true, help.Page{Of: v.keys(), Replay: s.Replay}
		if s.Job == nil && !v.aside() {
			v.manual.Of = keys.OnNoJobs
		}
	case key.Matches(k, keys.Colors):
		v.classic = !v.classic
	case v.screen == screenSettings:
		if key.Matches(k, keys.Back, keys.Settings) {
			v.back()
		}
	case key.Matches(k, keys.AllJobs, keys.Users, keys.Settings):
		v.beside(k, s)
	case v.aside() && key.Matches(k, keys.Back):
		v.back()
	case s.Job != nil: // else a key must not change what nobody sees
		v.move(k, s)
		v.turn(k, s)
	}
}

// keys is what has the keyboard, in the list of keys.
func (v *view) keys() keys.Page {
	if v.screen == screenProcesses {
		return v.process.On()
	}
	return screenPages[v.screen]
}

// beside leads to a page that is about no single job, or back from it. Whether the job decides on the page stays as it
// is.
func (v *view) beside(k tea.KeyPressMsg, s *part.Scene) {
	to, auto := screenJobs, v.auto
	switch {
	case key.Matches(k, keys.Users):
		to = screenUsers
	case key.Matches(k, keys.Settings):
		to = screenSettings
	}
	if v.screen == to {
		v.back()
		return
	}
	v.over(to)
	if v.auto = auto; to == screenJobs {
		v.jobs.Begin(s)
	}
}

// move changes the selection.
func (v *view) move(k tea.KeyPressMsg, s *part.Scene) {
	switch {
	case key.Matches(k, keys.PrevJob, keys.Up):
		v.moveJob(s.Snap.Jobs, -1)
	case key.Matches(k, keys.NextJob, keys.Down):
		v.moveJob(s.Snap.Jobs, +1)
	case key.Matches(k, keys.PrevNode, keys.Left):
		v.moveNode(s.Job.Nodes, s.Order, -1)
	case key.Matches(k, keys.NextNode, keys.Right):
		v.moveNode(s.Job.Nodes, s.Order, +1)
	case key.Matches(k, keys.PrevProblem):
		v.moveProblem(s, -1)
	case key.Matches(k, keys.NextProblem):
		v.moveProblem(s, +1)
	}
}

// moveProblem selects the next node with a problem, round the end; in the next job that has one when this job has none.
func (v *view) moveProblem(s *part.Scene, by int) {
	for i := range s.Snap.Jobs {
		at := wrap(s.JobAt+i*by, len(s.Snap.Jobs))
		job, order := &s.Snap.Jobs[at], s.Order
		health := s.Health
		if i > 0 {
			order, health = job.Nodes, part.NewHealth(s.Snap, job)
		}
		if node := nextProblem(order, health, v.nodes[job.ID].name, by, i > 0); node != "" {
			v.job, v.jobAt = job.ID, at
			v.choose(node, slices.Index(job.Nodes, node))
			v.gpu.Show(node, "")
			return
		}
	}
}

// nextProblem returns the next node in order after from that has a problem, or "". If here is set, from itself is
// checked first.
func nextProblem(order []string, health part.Health, from string, by int, here bool) string {
	at := slices.Index(order, from)
	for i := range order {
		if !here {
			i++
		}
		if name := order[wrap(at+i*by, len(order))]; (here || name != from) &&
			health.Rank(name) >= int(cluster.Warning) {
			return name
		}
	}
	return ""
}

// turn leads to another page, or changes what all pages show.
func (v *view) turn(k tea.KeyPressMsg, s *part.Scene) {
	switch {
	case key.Matches(k, keys.Mine) && slices.Contains(withGPUs, v.screen):
		v.mine = !v.mine
	case key.Matches(k, keys.Processes) && v.screen != screenNode:
		v.level(screenNode)
		v.node.Processes = node.ShowOn
	case key.Matches(k, keys.Overview) && v.screen == screenOverview:
		v.level(screenNode)
		v.chosen = ViewNode
	case key.Matches(k, keys.Overview):
		v.level(screenOverview)
		v.chosen = ViewOverview
	case key.Matches(k, keys.Doctor) && v.screen == screenDoctor, key.Matches(k, keys.Problems) &&
		v.screen == screenProblems,
		key.Matches(k, keys.Ranks) && v.screen == screenRanks, key.Matches(k, keys.Manager) &&
			v.screen == screenProcesses, key.Matches(k, keys.Back):
		v.back()
	case key.Matches(k, keys.Problems):
		v.over(screenProblems)
		if node := v.problems.Begin(s); node != "" {
			v.choose(node, slices.Index(s.Job.Nodes, node))
		}
	case key.Matches(k, keys.Ranks):
		free := v.screen == screenOverview && len(s.Order) > 0 && s.Node.Name == s.Order[0]
		v.over(screenRanks)
		if node := v.ranks.Begin(s, free); node != "" {
			v.choose(node, slices.Index(s.Job.Nodes, node))
		}
	case key.Matches(k, keys.Manager):
		v.manage()
	// else the node view shows the same
	case key.Matches(k, keys.Doctor) && (v.screen != screenNode || tally.Shows(s.Node)):
		v.over(screenDoctor)
	}
}

// manage goes to the processes of what the screen shows: a GPU, a node, or the job.
func (v *view) manage() {
	switch v.screen {
	case screenGPU:
		v.process.Begin(process.OfGPU, v.gpu.Key())
	case screenNode:
		v.process.Begin(process.OfNode, "")
	default:
		v.process.Begin(process.OfJob, "")
	}
	v.over(screenProcesses)
}

// level goes to a screen that is a level of its own: the node view, or the overview above it.
func (v *view) level(to screen) { v.screen, v.trail, v.auto = to, nil, false }

// over puts a screen over this one. If the screen is already on the trail, it returns there, so Esc always terminates.
func (v *view) over(to screen) {
	v.auto = false
	if at := slices.Index(v.trail, to); at >= 0 {
		v.screen, v.trail = to, v.trail[:at]
	} else {
		v.screen, v.trail = to, append(v.trail, v.screen)
	}
	v.leave()
}

// leave ends the visit of the processes of a user, where the users are on again.
func (v *view) leave() {
	if v.screen == screenUsers {
		v.process.Leave()
	}
}

// back goes to the screen below, or one level up.
func (v *view) back() {
	if last := len(v.trail) - 1; last >= 0 {
		v.screen, v.trail = v.trail[last], v.trail[:last]
		v.leave()
		return
	}
	v.level(screenOverview)
}
