package signal

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Dialog asks whether to send a signal to processes, or to change their schedule, and which ones. Then it shows the
// results.
type Dialog struct {
	by     command
	picker *picker       // asks for the signal; nil: by is chosen, or there is a form
	form   *scheduleForm // asks for the schedule
	whom   recipients

	list   []target      // the recipients
	blind  unlistedNodes // nodes without a process list at that time
	from   int           // the first recipient on the screen
	family *kin          // the process and its children; nil: the node was not asked
	errand *sentSignal   // nil: nothing was sent
}

// NewDialog asks whether to send a signal to the process at, or to the tagged processes, if there are any. With signal
// 0, the user chooses one.
func NewDialog(at tally.Target, tagged []tally.Target, by Signal, s *part.Scene) (*Dialog, nav.Answer) {
	d := &Dialog{by: command{signal: by}, whom: recipients{at: at, tagged: tagged}}
	if by == 0 {
		d.picker = &picker{}
	}
	if len(tagged) > 0 {
		d.whom.kind = theTagged
	}
	d.setRecipients(s)
	return d, nav.Answer{Taken: true, Still: true}
}

// Wants asks for the processes of all nodes if the recipients are a job. Otherwise it returns nothing, and the page
// behind the dialog decides.
func (d *Dialog) Wants(*part.Scene) nav.Wants {
	if d.whom.kind == theRank || d.whom.kind == theJob {
		return nav.Wants{Everywhere: true}
	}
	return nav.Wants{}
}

// Press answers a key or the mouse, or the result of a request. It takes everything except the keys that have the same
// meaning on all pages, and the results of other requests.
func (d *Dialog) Press(msg tea.Msg, s *part.Scene) (a nav.Answer, open bool) {
	a, open = d.handleMessage(msg, s)
	return askForStill(a, msg, open), open
}

// askForStill asks for Scene.Still again after anything that may have changed the question.
func askForStill(a nav.Answer, msg tea.Msg, open bool) nav.Answer {
	_, told := msg.(nav.Result)
	a.Still = open && (a.Taken || !told)
	return a
}

func (d *Dialog) handleMessage(msg tea.Msg, s *part.Scene) (a nav.Answer, open bool) {
	switch m := msg.(type) {
	case nav.Result:
		return nav.Answer{Taken: d.handleResult(m, s)}, true
	case tea.MouseWheelMsg:
		d.scrollList(s, nav.Notches(m)*nav.WheelRows)
	case tea.KeyPressMsg:
		if key.Matches(m, keys.Interrupt, keys.Repaint) {
			return nav.Answer{}, true
		}
		return d.key(m, s)
	}
	return nav.Taken, true
}

func (d *Dialog) key(k tea.KeyPressMsg, s *part.Scene) (a nav.Answer, open bool) {
	switch {
	case d.picker != nil, d.form != nil:
		return nav.Taken, d.pickCommand(k, s)
	case key.Matches(k, keys.Dismiss):
		return nav.Taken, false
	case key.Matches(k, keys.PageUp):
		d.scrollList(s, -d.rowsOnScreen(s))
	case key.Matches(k, keys.PageDown):
		d.scrollList(s, d.rowsOnScreen(s))
	case key.Matches(k, keys.Up):
		d.scrollList(s, -1)
	case key.Matches(k, keys.Down):
		d.scrollList(s, +1)
	case d.errand != nil: // the signal was sent
	case key.Matches(k, keys.Send) && s.Still:
		return d.sendSignal(), true
	case key.Matches(k, keys.Whom):
		return d.switchRecipients(s, +1), true
	case key.Matches(k, keys.WhomBefore):
		return d.switchRecipients(s, -1), true
	case key.Matches(k, keys.OtherSignal):
		d.chooseAgain()
	}
	return nav.Taken, true
}

// chooseAgain asks for another signal, or another schedule.
func (d *Dialog) chooseAgain() {
	if d.by.schedule != nil {
		d.form = &scheduleForm{cpus: d.by.schedule.Nice == nil}
		return
	}
	d.picker = &picker{}
}

// pickCommand passes a key to the list of signals, or to the form. Esc closes the dialog, or only these if something
// was chosen before.
func (d *Dialog) pickCommand(k tea.KeyPressMsg, s *part.Scene) (open bool) {
	if key.Matches(k, keys.Leave) {
		d.picker, d.form = nil, nil
		return d.by.isChosen()
	}
	var by command
	if d.form != nil {
		by.schedule = d.form.handleKey(k)
	} else {
		by.signal = d.picker.handleKey(k, s)
	}
	if by.isChosen() {
		d.by, d.picker, d.form = by, nil, nil
	}
	return true
}

// switchRecipients goes to another choice of recipients.
func (d *Dialog) switchRecipients(s *part.Scene, by int) nav.Answer {
	d.whom.nextChoice(s, by)
	d.from = 0
	a := nav.Taken
	if d.whom.kind == theFamily && d.family == nil {
		at := d.whom.at
		d.family = &kin{asked: &wire.Family{PIDs: []int{at.PID}}}
		a.Ask = []nav.Ask{{Node: at.Node, Request: wire.Request{Family: d.family.asked}}}
	}
	d.setRecipients(s)
	return a
}

// setRecipients fixes the recipients according to the choice.
func (d *Dialog) setRecipients(s *part.Scene) {
	d.list = nil
	for _, t := range d.whom.listTargets(s, d.family) {
		d.list = append(d.list, target{Target: t})
	}
	d.blind = d.whom.countBlindNodes(s)
}

// handleResult stores the result of a request if this dialog has made it.
func (d *Dialog) handleResult(r nav.Result, s *part.Scene) bool {
	switch {
	case d.family != nil && d.family.asked == r.Request.Family:
		d.family.handleAnswer(r, s, d.whom.at)
		if d.whom.kind == theFamily && d.errand == nil {
			d.setRecipients(s)
		}
	case d.errand != nil && d.errand.parts[r.Request.Signal] != nil:
		d.errand.handleResult(r, d.list)
	default:
		return false
	}
	return true
}

// countSignalable counts the recipients that may be signaled.
func (d *Dialog) countSignalable() (n int) {
	for i := range d.list {
		if d.list[i].Refusal() == "" {
			n++
		}
	}
	return n
}

// sendSignal sends the signal to the recipients that may be signaled.
func (d *Dialog) sendSignal() nav.Answer {
	a := nav.Taken
	if d.countSignalable() == 0 {
		return a
	}
	d.errand, a.Ask = newErrand(d.by, d.list)
	d.from = 0
	return a
}

// rowsOnScreen returns the number of the list's rows on the screen.
func (d *Dialog) rowsOnScreen(s *part.Scene) int { return d.dialogBox(s).visibleRows(s).Shown }

func (d *Dialog) scrollList(s *part.Scene, by int) {
	b := d.dialogBox(s)
	b.from = d.from + by
	d.from = b.visibleRows(s).From
}
