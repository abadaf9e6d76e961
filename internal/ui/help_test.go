package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/test/raced"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// helpPage is a page with keys of its own, and how it is opened from the node view.
type helpPage struct {
	page keys.Page
	keys []tea.KeyPressMsg
	snap func() *cluster.Snapshot
}

// helpPages are those of the registry.
var helpPages = func() (list []helpPage) {
	list = []helpPage{{page: keys.OnNode}, {page: keys.OnLog, keys: typedKeys("l")},
		{page: keys.OnStacks, keys: typedKeys("b")},
		{page: keys.OnCluster, keys: typedKeys("c")},
		{page: keys.OnReport, keys: append(typedKeys("1G"), pressed("enter")), snap: uitest.JobsFixture},
		{page: keys.OnWaiting, keys: append(typedKeys("1jjj"), pressed("enter")), snap: uitest.JobsFixture},
		{page: keys.OnNoJobs, snap: uitest.NoJobsFixture},
		{page: keys.OnEnviron, keys: typedKeys("5e")}, {page: keys.OnDetails, keys: typedKeys("5v")},
		{page: keys.OnMetrics, keys: append(typedKeys("5"), pressed("enter"))}}
	for _, e := range pages {
		if e.number.Enabled() && e.id != keys.OnNode {
			list = append(list, helpPage{page: e.id, keys: []tea.KeyPressMsg{pressed(e.number.Keys()[0])}})
		}
	}
	return list
}()

func typedKeys(text string) (list []tea.KeyPressMsg) {
	for _, r := range text {
		list = append(list, tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	return list
}

// onPage is a model with that page of helpPages on the screen.
func onPage(t *testing.T, at int) *rig {
	p := helpPages[at]
	snap := uitest.Fixture()
	if p.snap != nil {
		snap = p.snap()
	}
	r := newRig(t, snap)
	for _, k := range p.keys {
		r.send(k)
	}
	return r
}

// The palette of each page has what the keys of that page do, and nothing else, with their keys; at its end is what
// marks and colors mean. The key that opens it closes it. A search there stays there.
func TestThePaletteOfEachPage(t *testing.T) {
	t.Parallel()
	for at, p := range helpPages {
		r := onPage(t, at)
		r.resize(120, 40)
		before := r.text()
		r.press("?")
		if first := strings.Split(r.text(), "\n"); !strings.Contains(strings.Join(first[:6], "\n"), string(p.page)) {
			t.Errorf("%s is not named:\n%s", p.page, r.text())
		}
		has := map[string]bool{}
		for _, it := range plain.paletteSource(p.page, "", false).Here(r.scene) {
			if it.Do == nil {
				continue
			}
			for k := range strings.FieldsSeq(it.Key) {
				has[k] = true
			}
			if it.Not == "" && !slices.ContainsFunc(plain.helpOf(p.page), func(row keys.Row) bool {
				return slices.ContainsFunc(row.Bindings, func(b key.Binding) bool { return keys.AsksFor(it.Do, b) })
			}) {
				t.Errorf("%s: nothing there is done by %s: %s", p.page, it.Do, it.Text)
			}
		}
		for _, row := range plain.helpOf(p.page) {
			if first, _, _ := strings.Cut(row.Shown(), " "); row.Keys == "" && !has[first] {
				t.Errorf("%s: the palette has no key %s: %s", p.page, first, row.Text)
			}
		}
		if r.press("end"); !strings.Contains(r.text(), "version") || !strings.Contains(r.text(), "--theme") {
			t.Errorf("%s: marks, colors and options are not at its end:\n%s", p.page, r.text())
		}
		if r.press("?"); r.text() != before {
			t.Errorf("%s: ? leads to\n%s", p.page, r.text())
		}
		r.press("?")
		for _, k := range typedKeys("gpu-n0") { // things are found by :
			r.send(k)
		}
		if found := strings.Contains(r.text(), "▸ node gpu-n01"); found == (len(r.scene.Snap.Jobs) == 0) && found {
			t.Errorf("%s: a thing is found without a job:\n%s", p.page, r.text())
		}
	}
}

// everyKey is each key that a keyboard has, but for letters of other alphabets.
func everyKey() (list []tea.KeyPressMsg) {
	for r := ' '; r <= '~'; r++ {
		list = append(list, tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	for r := 'a'; r <= 'z'; r++ {
		list = append(list, tea.KeyPressMsg{Code: r, Mod: tea.ModCtrl}, tea.KeyPressMsg{Code: r, Mod: tea.ModAlt},
			tea.KeyPressMsg{Code: r, Mod: tea.ModAlt | tea.ModShift})
	}
	for _, code := range named {
		list = append(list, tea.KeyPressMsg{Code: code}, tea.KeyPressMsg{Code: code, Mod: tea.ModShift})
	}
	for code := tea.KeyF1; code <= tea.KeyF12; code++ {
		list = append(list, tea.KeyPressMsg{Code: code})
	}
	return list
}

// state is all that a key can change, but for the footer, which says where a key works.
func (r *rig) state() string {
	body := r.text()
	body = body[:strings.LastIndex(strings.TrimRight(body, "\n"), "\n")]
	return fmt.Sprint(body, r.where(), r.remembered, r.heard.refreshed, r.heard.looks, r.heard.canceled)
}

// A key that the palette of a page does not have does nothing there.
func TestOtherKeysDoNothing(t *testing.T) {
	raced.Skip(t)
	for at, p := range helpPages {
		t.Run(string(p.page), func(t *testing.T) {
			t.Parallel()
			r := onPage(t, at)
			before := r.state()
			for _, k := range everyKey() {
				if slices.ContainsFunc(plain.helpOf(p.page),
					func(row keys.Row) bool { return key.Matches(k, row.Bindings...) }) {
					continue
				}
				if r.send(k); r.state() != before {
					t.Errorf("%s is in no help, and does something: %s", k, r.where())
					r = onPage(t, at)
					before = r.state()
				}
			}
		})
	}
}
