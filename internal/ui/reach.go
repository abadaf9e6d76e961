package ui

import (
	"slices"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/terminal"
)

// globalAction is the code of an action that reaches beyond the view.
type globalAction struct {
	of key.Binding
	do func(m *model) tea.Cmd
}

// always are the actions that reach beyond the view. lookingBack move the live screen through the last minutes, and
// inPast work while the screen shows the past.
var (
	always = []globalAction{
		{keys.Interrupt, quitProgram}, {keys.Quit, quitProgram}, {keys.Repaint, repaint},
		{keys.Suspend, suspendProgram}, {keys.Record, (*model).switchRecording}, {keys.Refresh, refreshNow},
	}
	lookingBack = []globalAction{
		{keys.StepBack, lookBack(-1)}, {keys.StepOn, lookBack(+1)},
		{keys.LongBack, lookBack(-time.Minute)}, {keys.LongOn, lookBack(+time.Minute)},
	}
	inPast = []globalAction{{keys.Back, leavePast}, {keys.Refresh, refusePast}}
)

// reach answers a key that reaches beyond the view.
func (m *model) reach(k tea.KeyPressMsg) (after tea.Cmd, known bool) {
	if m.turnTape(k) {
		return nil, true
	}
	var all []globalAction
	if m.Tape == nil && m.view.handlesKey(k, m.scene) {
		if all = lookingBack; !m.past.Live() {
			all = slices.Concat(all, inPast)
		}
	}
	for _, r := range slices.Concat(all, always) {
		if key.Matches(k, r.of) {
			return r.do(m), true
		}
	}
	return nil, false
}

// quitProgram quits when the terminal has answered, or has taken too long.
func quitProgram(m *model) tea.Cmd { return m.terminal.Hush(tea.Quit) }

func repaint(m *model) tea.Cmd {
	m.terminal.Forget()
	m.resolveScene()
	return m.updateWants()
}

// suspendProgram requests what Ctrl-Z does: the key itself never arrives here.
func suspendProgram(m *model) tea.Cmd { return func() tea.Msg { return terminal.Suspend{} } }

// refreshNow asks SLURM and the failed nodes now.
func refreshNow(m *model) tea.Cmd {
	m.Controls.Refresh()
	m.resolveScene()
	m.notifyLook()
	return m.hurryTicks(m.scene, "")
}
