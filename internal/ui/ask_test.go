package ui

import (
	"slices"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// asker is a page that asks a node for an environment at each key, and copies what it gets.
type asker struct {
	node string
	got  []nav.Result
}

func (*asker) Draw(*part.Frame)            {}
func (*asker) Wants(*part.Scene) nav.Wants { return nav.Wants{} }

func (a *asker) Press(msg tea.Msg, _ *part.Scene) nav.Answer {
	if r, is := msg.(nav.Result); is {
		a.got = append(a.got, r)
		return nav.Answer{Taken: true, Copy: "copied"}
	}
	return nav.Answer{Taken: true, Ask: []nav.Ask{{Node: a.node,
		Request: wire.Request{Environ: &wire.ProcessID{PID: 7}}}}}
}

// A Result goes to the page that has asked, whatever page is on by then.
func TestResultsGoToThePageThatAsked(t *testing.T) {
	for _, test := range []struct {
		node  string
		fails bool
	}{{"gpu-n01", false}, {"gpu-n99", true}} {
		r := newRig(t, uitest.Fixture())
		page := &asker{node: test.node}
		msg := r.runErrands(page, page.Press(nil, r.scene))()
		r.Update(msg)
		if len(page.got) != 1 || (page.got[0].Err != nil) != test.fails ||
			(page.got[0].Reply.Environ == nil) != test.fails {
			t.Errorf("%s: got %+v", test.node, page.got)
		}
		if page.got[0].Node != test.node || page.got[0].Request.Environ.PID != 7 {
			t.Errorf("the result does not say what was asked: %+v", page.got[0].Ask)
		}
	}
}

// A request to SLURM goes to the controls, and its error to the page.
func TestCancelGoesToTheControls(t *testing.T) {
	r := newRig(t, uitest.Fixture())
	page := &asker{}
	r.Update(r.runErrands(page, nav.Answer{Ask: []nav.Ask{{Cancel: &nav.Cancel{Job: "48211", Signal: "USR1"}}}})())
	if len(page.got) != 1 || page.got[0].Err == nil || page.got[0].Cancel == nil ||
		!slices.Equal(r.heard.canceled, []string{"48211 USR1"}) {
		t.Errorf("got %+v, canceled %q", page.got, r.heard.canceled)
	}
}
