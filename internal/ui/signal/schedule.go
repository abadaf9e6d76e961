package signal

import (
	"strconv"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// scheduleForm asks for a nice value or for CPUs.
type scheduleForm struct {
	typedText
	cpus  bool  // CPUs are asked for
	wrong error // about the text when Enter was pressed
}

// NewSchedule asks for a nice value or for CPUs, and then whether the process at, or the tagged processes if there are
// any, should get it.
func NewSchedule(at tally.Target, tagged []tally.Target, s *part.Scene) (*Dialog, nav.Answer) {
	d, a := NewDialog(at, tagged, 0, s)
	d.picker, d.form = nil, &scheduleForm{}
	return d, a
}

// handleKey answers a key, and returns the change when the user has chosen it.
func (p *scheduleForm) handleKey(k tea.KeyPressMsg) *wire.Schedule {
	switch {
	case key.Matches(k, keys.Other):
		*p = scheduleForm{cpus: !p.cpus}
	case key.Matches(k, keys.Choose):
		var to *wire.Schedule
		if to, p.wrong = p.schedule(); p.wrong == nil {
			return to
		}
	default:
		p.editText(k)
		p.wrong = nil
	}
	return nil
}

// schedule returns what the text asks for.
func (p *scheduleForm) schedule() (*wire.Schedule, error) {
	to := &wire.Schedule{CPUs: p.text}
	if !p.cpus {
		to = &wire.Schedule{Nice: new(100)} // out of range
		if n, err := strconv.Atoi(p.text); err == nil {
			*to.Nice = n
		}
	} else if p.text == "" {
		to.CPUs = "-"
	}
	return to, to.Check()
}

// box returns the box with the text.
func (p *scheduleForm) box(s *part.Scene, processes string) boxText {
	title, before, about, other := "Change the nice value of "+processes, "nice value: ",
		"From -20 (first) to 19 (last). The default is 0; only root may lower it.", "CPUs instead"
	if p.cpus {
		title, before, about, other = "Choose the CPUs of "+processes, "CPUs: ",
			"For example 0-15,32.", "nice value instead"
	}
	b := boxText{title: title, head: [][]part.Piece{p.textPieces(before)}, at: -1,
		foot:  wrapSentence(s, part.Dim(about)),
		focus: keys.HintOf(keys.Leave),
		keys:  []keys.Hint{keys.HintOf(keys.Choose), keys.HintOf(keys.Other).As(other)}}
	if p.wrong != nil {
		b.foot = append(b.foot, wrapSentence(s, part.Piece{Text: p.wrong.Error(), Role: draw.Warn})...)
	}
	return b
}
