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

// Each action of a row changes something on one of the row's pages: the screen above the footer, a question to a node
// or to SLURM, or what Bubble Tea gets to do.
func TestEveryActionHasAnEffect(t *testing.T) {
	raced.Skip(t)
	works := map[string]bool{}
	for at, p := range helpPages {
		shown := slices.DeleteFunc(slices.Clone(shots), func(s shot) bool { return !s.shows(t, p.page) })
		for _, row := range plain.helpOf(p.page) {
			for _, b := range row.Bindings {
				name := b.Help().Key + " " + b.Help().Desc
				in := name + " (" + row.Text + ")"
				works[in] = works[in] || triedElsewhere[name] != "" || changesRig(t, at, attempt{b, row.Needs}) ||
					slices.ContainsFunc(shown, func(s shot) bool { return s.changes(t, attempt{b, row.Needs}) })
			}
		}
	}
	for in, does := range works {
		if !does {
			t.Errorf("%s does nothing on its pages: neither the screen changes nor is anything asked. Give its code an "+
				"effect; if only another screen shows it, add the keys that lead there to places, or a shot to shots", in)
		}
	}
}

// shows reports whether a shot shows a page, where a key without an action does nothing: any key closes some dialogs.
func (s shot) shows(t *testing.T, page keys.Page) bool {
	v, sc := s.scene(120, 40)
	return !v.palette.IsOpen() && v.focusedKeys(sc) == page && !s.changes(t, attempt{Binding: unused})
}

var unused = key.NewBinding(key.WithKeys("f9"))

// places are keys that lead to where another key has an effect.
var places = [][]string{nil, {"down"}, {"end"}, {"home"}, {"right"}, {"alt+right"}}

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
	return fmt.Sprint(body[:strings.LastIndex(body, "\n")], asked, r.remembered, r.mouse)
}
