package ui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/page"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Page is what fills the terminal, the header and the footer with its hints included.
//
// Each message from the keyboard goes to the page first. What it takes, the model does not look at: so a page has the focus where it
// wants to. A prompt, a pane with keys of its own, or a dialog that covers the page is the page's own state: while it is open Press takes
// every key except Ctrl-C, Draw draws it, and the hints in the footer are its own.
type Page interface {
	// Draw draws the scene, and changes nothing but the canvas.
	Draw(f *part.Frame)
	// Press does what a key, or a text that was pasted, stands for; false says that it is not for this page.
	Press(msg tea.Msg, s *part.Scene) bool
	// Wants says what the page needs for the scene. Its Order and its node are not settled yet.
	Wants(s *part.Scene) page.Wants
}

// screen is a page that keys lead to.
type screen uint8

const (
	screenNode screen = iota
	screenOverview
	screenDoctor
)

// screenNames are the names of the screens in the list of keys.
var screenNames = [...]string{screenNode: "node", screenOverview: "overview", screenDoctor: "doctor"}

// view is what a person has chosen to see.
type view struct {
	selection
	screen screen
	under  screen // what Esc leaves the doctor for
	help   bool   // it covers the screen

	mine    bool // GPUs of other jobs are hidden
	classic bool

	node     *page.Node
	overview *page.Overview
}

func newView(classic bool) *view {
	return &view{selection: selection{nodes: map[string]choice{}}, classic: classic, node: &page.Node{}, overview: page.NewOverview()}
}

// resolve makes the selection one that the Snapshot has, and completes the scene with it.
func (v *view) resolve(s *part.Scene) {
	s.Mine, s.Classic = v.mine, v.classic
	s.Job, s.Node = nil, nil
	at := v.resolveJob(s.Snap)
	if at < 0 {
		return
	}
	s.SetJob(at)
	if order := v.body().Wants(s).Order; order != nil {
		s.Order = order
	}
	if at := v.resolveNode(s.Job.Nodes, s.Order); at >= 0 {
		s.SetNode(at)
	}
}

// body is the page that the keys have led to.
func (v *view) body() Page {
	switch v.screen {
	case screenOverview:
		return v.overview
	case screenDoctor:
		return page.Doctor{}
	}
	return v.node
}

// page is the page that is on.
func (v *view) page(s *part.Scene) Page {
	switch {
	case v.help:
		return page.Help{Of: screenNames[v.screen]}
	case s.Node == nil:
		return page.NoJobs{}
	}
	return v.body()
}

// apply does what a key stands for that is no page's own. Keys that reach beyond the view, to quit or to ask, are the model's.
func (v *view) apply(k tea.KeyPressMsg, s *part.Scene) {
	switch {
	case v.help: // any key leaves it
		v.help = false
	case key.Matches(k, keys.Help):
		v.help = true
	case key.Matches(k, keys.Colours):
		v.classic = !v.classic
	case s.Job != nil: // else a key must not change what nobody sees
		v.move(k, s.Snap.Jobs, s)
		v.turn(k)
	}
}

// move changes the selection.
func (v *view) move(k tea.KeyPressMsg, jobs []cluster.JobView, s *part.Scene) {
	switch {
	case key.Matches(k, keys.PrevJob):
		v.moveJob(jobs, -1)
	case key.Matches(k, keys.NextJob):
		v.moveJob(jobs, +1)
	case key.Matches(k, keys.PrevNode):
		v.moveNode(s.Job.Nodes, s.Order, -1)
	case key.Matches(k, keys.NextNode):
		v.moveNode(s.Job.Nodes, s.Order, +1)
	}
}

// turn leads to another page, or changes what all pages show.
func (v *view) turn(k tea.KeyPressMsg) {
	switch {
	case key.Matches(k, keys.Mine):
		v.mine = !v.mine
	case key.Matches(k, keys.Processes) && v.screen != screenNode:
		v.screen, v.node.Processes = screenNode, true
	case key.Matches(k, keys.Overview) && v.screen != screenOverview:
		v.screen = screenOverview
	case key.Matches(k, keys.Doctor) && v.screen != screenDoctor:
		v.under, v.screen = v.screen, screenDoctor
	case key.Matches(k, keys.Overview), key.Matches(k, keys.Open, keys.Back) && v.screen == screenOverview:
		v.screen = screenNode
	case key.Matches(k, keys.Doctor, keys.Back) && v.screen == screenDoctor:
		v.screen = v.under
	}
}
