package ui

import (
	"slices"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/terminal"
)

// reaching is the code of an action that reaches beyond the view.
type reaching struct {
	of key.Binding
	do func(m *model) tea.Cmd
}

// always are the actions that reach beyond the view. lookingBack move the live screen through the last minutes; inPast
// are those of a screen that shows the past.
var (
	always = []reaching{
		{keys.Interrupt, (*model).quit}, {keys.Quit, (*model).quit}, {keys.Repaint, (*model).repaint},
		{keys.Suspend, (*model).suspend}, {keys.Record, (*model).switchRecording}, {keys.Refresh, (*model).refresh},
	}
	lookingBack = []reaching{
		{keys.StepBack, lookBack(-1)}, {keys.StepOn, lookBack(+1)},
		{keys.LongBack, lookBack(-time.Minute)}, {keys.LongOn, lookBack(+time.Minute)},
	}
	inPast = []reaching{{keys.Back, (*model).leavePast}, {keys.Refresh, (*model).refusePast}}
)

// reach answers a key that reaches beyond the view.
func (m *model) reach(k tea.KeyPressMsg) (after tea.Cmd, known bool) {
	if m.turnTape(k) {
		return nil, true
	}
	var all []reaching
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

// quit quits after the terminal has answered, or has not in time.
func (m *model) quit() tea.Cmd { return m.terminal.Hush(tea.Quit) }

func (m *model) repaint() tea.Cmd {
	m.terminal.Forget()
	m.resolveScene()
	return m.updateWants()
}

// suspend asks for what Ctrl-Z does: the key itself never comes here.
func (m *model) suspend() tea.Cmd { return func() tea.Msg { return terminal.Suspend{} } }

// refresh asks SLURM and the failed nodes now.
func (m *model) refresh() tea.Cmd {
	m.Controls.Refresh()
	m.resolveScene()
	m.notifyLook()
	return m.hurryTicks(m.scene, "")
}
