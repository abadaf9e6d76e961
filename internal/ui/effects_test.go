package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/test/raced"
)

// triedElsewhere are the actions that do nothing on the screens of this test, each with the test that tries it.
var triedElsewhere = map[string]string{
	"( step": "TestLookBack", ") step": "TestLookBack", "{ 1 min": "TestLookBack", "} 1 min": "TestLookBack",
	"Ctrl-K record": "TestRecordKey", "Ctrl-S F12 write": "TestSettingsAreWrittenWhenAsked",
	" GPUs above: where there is room": "TestMonitor", // it is so at first
}

// attempt is an action of a page, as a row has it.
type attempt struct {
	key.Binding
	needs keys.Need
}

// noEffectOn are the actions without an effect on a page, each with the reason.
var noEffectOn = map[keys.Page]map[string]string{
	keys.OnOverview: {"Esc back": "the way out ends here"},
	keys.OnNoJobs:   {"Esc back": "the way out ends here", "Ctrl-L redraw": "no part of the screen is in disorder"},
}

// Each action of a row changes something on each of the row's pages: the screen above the footer, the selection, a
// question to a node or to SLURM, or what Bubble Tea gets to do.
func TestEveryActionHasAnEffect(t *testing.T) {
	t.Parallel()
	raced.Skip(t)
	for at, p := range helpPages {
		t.Run(string(p.page), func(t *testing.T) {
			t.Parallel()
			shown := slices.DeleteFunc(slices.Clone(shots), func(s shot) bool { return !s.shows(t, p.page) })
			for _, row := range plain.helpOf(p.page) {
				for _, b := range row.Bindings {
					a := attempt{b, row.Needs}
					onShot := func(s shot) bool { return s.changes(t, a) }
					does := func() bool { return changesRig(t, at, a) || slices.ContainsFunc(shown, onShot) }
					checkEffect(t, p.page, a, does)
				}
			}
		})
	}
}

// checkEffect tries an action of a page, if the page should have it.
func checkEffect(t *testing.T, on keys.Page, a attempt, does func() bool) {
	name := a.Help().Key + " " + a.Help().Desc
	if triedElsewhere[name] != "" || isNoTurn(on, a.Binding) {
		return
	}
	switch excepted, done := noEffectOn[on][name] != "", does(); {
	case done && excepted:
		t.Errorf("%s has an effect here: delete its row in noEffectOn", name)
	case !done && !excepted:
		t.Errorf("%s does nothing here: neither the screen nor the selection changes, and nothing is asked. Give its "+
			"code an effect, or let its row name other pages (On). If only another screen shows it, add the keys that "+
			"lead there to places, or a shot to shots; if it can have none, add it to noEffectOn with the reason", name)
	}
}

// isNoTurn reports whether an action is the digit of the page itself, or of a page that does not exist without a job.
func isNoTurn(on keys.Page, b key.Binding) bool {
	to := pageOfDigit(attempt{Binding: b}.message())
	return to != nil && (to.id == on || on == keys.OnNoJobs && to.has&needsNoJob == 0)
}

// shows reports whether a shot shows a page, where a key without an action does nothing: any key closes some dialogs.
func (s shot) shows(t *testing.T, page keys.Page) bool {
	v, sc := s.scene(120, 40)
	return !v.palette.IsOpen() && v.focusedKeys(sc) == page && !s.changes(t, attempt{Binding: unused})
}

var unused = key.NewBinding(key.WithKeys("f9"))

// places are keys that lead to where another key has an effect.
var places = [][]string{nil, {"down"}, {"end"}, {"home"}, {"right"}, {"alt+right"}, {"down", "end"}, {"]"}}

// changes tries an action on a shot.
func (s shot) changes(t *testing.T, a attempt) bool {
	return slices.ContainsFunc(places, func(to []string) bool {
		return slices.ContainsFunc([][2]int{{80, 10}, {80, 16}, {120, 40}}, func(size [2]int) bool {
			d := newDesk(t, s, size[0], size[1])
			for _, k := range append(slices.Clone(to), "f9") { // the first key may close a notice
				d.send(pressed(k))
			}
			before := string(d.frame())
			if footer.WhyNoEffect(d.sc, a.needs) != "" {
				return false
			}
			does := d.v.passMessage(a.message(), d.sc)
			if k, is := a.message().(tea.KeyPressMsg); is && !does.Taken {
				d.v.handleGlobalKey(k, d.sc)
			}
			d.v.resolveSelection(d.sc)
			does.Taken = false
			return !cmp.Equal(does, nav.Answer{}) || string(d.frame()) != before
		})
	})
}

// changesRig tries an action on a page of the whole screen.
func changesRig(t *testing.T, at int, a attempt) bool {
	return slices.ContainsFunc(places, func(to []string) bool {
		r := onPage(t, at)
		r.press(append(slices.Clone(to), "f9")...)
		before := r.noticed()
		return footer.WhyNoEffect(r.scene, a.needs) == "" && (r.send(a.message()) != nil || r.noticed() != before)
	})
}

// message asks for the action, as its key or the palette does.
func (a attempt) message() tea.Msg {
	if names := a.Keys(); len(names) > 0 {
		return pressed(names[0])
	}
	return keys.Do{Name: a.Help().Desc}
}

// noticed is what a user, a node or SLURM notices. The footer says where else a key works.
func (r *rig) noticed() string {
	asked := r.heard
	asked.touched = 0
	body := strings.TrimRight(r.screen.Render(), "\n")
	return fmt.Sprint(body[:strings.LastIndex(body, "\n")], asked, r.remembered, r.mouse, r.where())
}
