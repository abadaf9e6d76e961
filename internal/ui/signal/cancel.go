package signal

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// Cancel asks whether SLURM should end a job, which requires typing the job's ID, or send a signal to its steps. Then
// it shows SLURM's answer.
type Cancel struct {
	job   string // its ID
	typed typedText
	wrong bool // Enter was pressed, and the typed text is not the ID

	steps  bool // a signal for the steps is chosen
	by     Signal
	picker *picker // asks for the signal; nil: the signal is by

	asked *nav.Cancel // nil: no request to SLURM yet
	said  []slurmLine // the result; nil: it has not arrived
}

// slurmLine is a line of SLURM's error message, or of its explanation.
type slurmLine struct {
	text string
	role draw.Role
}

// NewCancel asks how to cancel the job with that ID.
func NewCancel(job string, _ *part.Scene) (*Cancel, nav.Answer) { return &Cancel{job: job}, nav.Taken }

// Wants returns nothing: the page behind the dialog decides.
func (c *Cancel) Wants(*part.Scene) nav.Wants { return nav.Wants{} }

// Press answers a key, or SLURM's answer. It takes everything except the keys that have the same meaning on all pages,
// and the results of other requests.
func (c *Cancel) Press(msg tea.Msg, s *part.Scene) (a nav.Answer, open bool) {
	a, open = c.handleMessage(msg, s)
	return askForStill(a, msg, open), open
}

func (c *Cancel) handleMessage(msg tea.Msg, s *part.Scene) (a nav.Answer, open bool) {
	switch m := msg.(type) {
	case nav.Result:
		return nav.Answer{Taken: c.handleResult(m)}, true
	case tea.KeyPressMsg:
		if key.Matches(m, keys.Interrupt, keys.Repaint) {
			return nav.Answer{}, true
		}
		return c.key(m, s)
	}
	return nav.Taken, true
}

func (c *Cancel) key(k tea.KeyPressMsg, s *part.Scene) (a nav.Answer, open bool) {
	switch {
	case key.Matches(k, keys.Leave):
		return nav.Taken, false
	case c.asked != nil:
		return nav.Taken, !key.Matches(k, keys.Dismiss)
	case key.Matches(k, keys.Other):
		c.switchChoice()
	case c.picker != nil:
		if by := c.picker.handleKey(k, s); by != 0 {
			c.by, c.picker = by, nil
		}
	case c.steps:
		return c.confirmSignal(k, s)
	case key.Matches(k, keys.Choose):
		if c.wrong = c.typed.text != c.job; !c.wrong {
			return c.requestCancel(""), true
		}
	default:
		c.typed.editText(k)
		c.wrong = false
	}
	return nav.Taken, true
}

// switchChoice switches between the two choices. SIGKILL is left out, because SLURM ends the job on it, and that
// requires typing the ID.
func (c *Cancel) switchChoice() {
	c.steps, c.picker = !c.steps, nil
	if c.steps {
		c.picker = &picker{about: "to the steps of job " + c.job + " that srun started, on all nodes", not: Kill}
	}
}

// confirmSignal answers a key while the signal is chosen: only y sends it.
func (c *Cancel) confirmSignal(k tea.KeyPressMsg, s *part.Scene) (a nav.Answer, open bool) {
	switch {
	case key.Matches(k, keys.Send) && s.Still:
		return c.requestCancel(c.by.Name()), true
	case key.Matches(k, keys.OtherSignal):
		c.steps = false
		c.switchChoice()
	}
	return nav.Taken, !key.Matches(k, keys.Dismiss)
}

// requestCancel returns the request to SLURM.
func (c *Cancel) requestCancel(signal string) nav.Answer {
	c.asked = &nav.Cancel{Job: c.job, Signal: signal}
	return nav.Answer{Taken: true, Ask: []nav.Ask{{Cancel: c.asked}}}
}

// scancelCommand is the SLURM command that is run.
func (c *Cancel) scancelCommand(signal string) string {
	if signal == "" {
		return "scancel " + c.job
	}
	return "scancel --signal=" + signal + " " + c.job
}

// handleResult stores SLURM's answer if it is for this dialog.
func (c *Cancel) handleResult(r nav.Result) bool {
	if c.asked == nil || r.Cancel != c.asked {
		return false
	}
	if r.Err == nil {
		text := "SLURM has accepted this: the job is ending."
		if c.asked.Signal != "" {
			text = "SLURM has accepted this: the steps of the job get SIG" + c.asked.Signal + "."
		}
		c.said = []slurmLine{{text, draw.Text}}
		return true
	}
	c.said = failureLines(reach.AsFailure(r.Err, reach.ClassSlurm))
	return true
}

// mostWords limits SLURM's error message, in lines.
const mostWords = 4

// failureLines describes a failure in lines: SLURM's error message, its meaning, and remedies.
func failureLines(f *reach.Failure) []slurmLine {
	lines := []slurmLine{{safe.Line(f.Summary(), mostText), draw.Warn}}
	for i, text := range strings.Split(safe.Lines(f.Words, mostWords*mostText), "\n") {
		if text != "" && i < mostWords && !strings.Contains(lines[0].text, text) {
			lines = append(lines, slurmLine{text, draw.Text})
		}
	}
	if f.Meaning != "" {
		lines = append(lines, slurmLine{safe.Line(f.Meaning, mostText), draw.Text})
	}
	for _, hint := range f.Hints {
		lines = append(lines, slurmLine{"→ " + safe.Line(hint, mostText), draw.Dim})
	}
	return lines
}
