package ui

import "github.com/nvnodetop/nvnodetop/internal/cluster"

// action is what a key does.
type action uint8

const (
	actNone action = iota
	actPrevJob
	actNextJob
	actPrevNode
	actNextNode
	actProcesses
	actOverview
	actOpen
	actBack
	actGrid
	actWorst
	actMine
	actDoctor
	actColours
	actRefresh
	actHelp
	actRepaint
	actQuit
)

// keys are the names that Bubble Tea gives to keys, with what they do. Letters work in both cases; C
// does not, as c is too easily pressed on the way to Ctrl-C.
var keys = map[string]action{
	"up": actPrevJob, "k": actPrevJob, "K": actPrevJob,
	"down": actNextJob, "j": actNextJob, "J": actNextJob,
	"left": actPrevNode, "<": actPrevNode, ",": actPrevNode,
	"right": actNextNode, ">": actNextNode, ".": actNextNode,
	"p": actProcesses, "P": actProcesses,
	"o": actOverview, "O": actOverview, "tab": actOverview,
	"enter": actOpen,
	"esc":   actBack,
	"v":     actGrid, "V": actGrid,
	"s": actWorst, "S": actWorst,
	"a": actMine, "A": actMine,
	"d": actDoctor, "D": actDoctor,
	"C": actColours,
	"r": actRefresh, "R": actRefresh,
	"?": actHelp, "h": actHelp, "H": actHelp,
	"q": actQuit, "Q": actQuit, "ctrl+c": actQuit,
	"ctrl+l": actRepaint,
}

// do changes what is seen. Actions that reach beyond the view, to quit or to ask, are the model's.
func (v *view) do(a action, s *cluster.Snapshot, w, h int) {
	if v.help { // any key leaves it
		v.help = false
		return
	}
	if len(s.Jobs) == 0 && a != actHelp && a != actColours {
		return // a key must not change what nobody sees
	}
	switch a {
	case actPrevJob:
		v.moveJob(s, -1)
	case actNextJob:
		v.moveJob(s, +1)
	case actPrevNode:
		v.moveNode(s, -1)
	case actNextNode:
		v.moveNode(s, +1)
	case actProcesses:
		v.toggleProcesses()
	case actOverview:
		v.toggle(screenOverview)
	case actOpen, actBack:
		v.leave(a)
	case actGrid, actWorst:
		v.arrange(a, s, w, h)
	case actMine:
		v.mine = !v.mine
	case actDoctor:
		v.toggleDoctor()
	case actColours:
		v.classic = !v.classic
	case actHelp:
		v.help = true
	case actNone, actRefresh, actRepaint, actQuit:
	}
}

// toggle goes to the screen, or from it to the node.
func (v *view) toggle(to screen) {
	if v.screen == to {
		to = screenNode
	}
	v.screen = to
}

// toggleDoctor goes to the doctor, or back to where it was asked for.
func (v *view) toggleDoctor() {
	if v.screen == screenDoctor {
		v.screen = v.under
		return
	}
	v.under, v.screen = v.screen, screenDoctor
}

// leave opens the selected node, or goes back.
func (v *view) leave(a action) {
	switch {
	case v.screen == screenOverview:
		v.screen = screenNode
	case v.screen == screenDoctor && a == actBack:
		v.screen = v.under
	}
}

// toggleProcesses shows the processes of the node, from wherever it is asked for.
func (v *view) toggleProcesses() {
	if v.screen != screenNode {
		v.screen, v.processes = screenNode, true
		return
	}
	v.processes = !v.processes
}

// arrange changes how the overview shows the nodes.
func (v *view) arrange(a action, s *cluster.Snapshot, w, h int) {
	at := v.settle(s)
	if v.screen != screenOverview || at < 0 {
		return
	}
	switch {
	case a == actWorst:
		v.worst = !v.worst
	case v.asHeatMap(&s.Jobs[at], w, h):
		v.grid = gridRows
	default:
		v.grid = gridMap
	}
}
