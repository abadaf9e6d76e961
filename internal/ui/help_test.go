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
)

// helpPage is a page with keys of its own, and how it is opened from the node view.
type helpPage struct {
	page keys.Page
	keys []tea.KeyPressMsg
	snap func() *cluster.Snapshot
}

// helpPages are those of the registry.
var helpPages = func() (list []helpPage) {
	list = []helpPage{{page: keys.OnNode}, {page: keys.OnNoJobs, snap: noJobsFixture},
		{page: keys.OnEnviron, keys: typedKeys("5e")},
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
	snap := fixture()
	if p.snap != nil {
		snap = p.snap()
	}
	r := newRig(t, snap)
	for _, k := range p.keys {
		r.send(k)
	}
	return r
}

// The help of each page has the keys of that page and no others, and leads back to it.
func TestTheHelpOfEachPage(t *testing.T) {
	for at, p := range helpPages {
		r := onPage(t, at)
		r.resize(120, 100)
		before := r.text()
		r.press("?")
		lines := strings.Split(r.text(), "\n")
		if want := "── Help: " + string(p.page) + " ─"; !strings.HasPrefix(lines[2], want) {
			t.Errorf("the help says %q, want %q", lines[2], want)
		}
		var want []string
		for _, row := range plain.helpOf(p.page) {
			want = append(want, row.Shown())
		}
		if got := namesIn(lines); !slices.EqualFunc(got, want,
			func(got, want string) bool { return strings.HasPrefix(want, strings.TrimSuffix(got, "…")) }) {
			t.Errorf("%s: the help has %q, want %q", p.page, got, want)
		}
		r.press("?")
		if after := r.text(); after != before {
			t.Errorf("%s: ? leads to\n%s", p.page, after)
		}
	}
}

// namesIn are the keys that the left half of a help lists.
func namesIn(lines []string) (names []string) {
	for _, line := range lines[4:] {
		cells := []rune(line)
		if len(cells) < 18 {
			continue
		}
		if name := strings.TrimSpace(string(cells[2:18])); name != "" && string(cells[:2]) == "  " {
			names = append(names, name)
		}
	}
	return names
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

// A key that the help of a page does not have does nothing there.
func TestOtherKeysDoNothing(t *testing.T) {
	raced.Skip(t)
	for at, p := range helpPages {
		r := onPage(t, at)
		for _, k := range everyKey() {
			if slices.ContainsFunc(plain.helpOf(p.page),
				func(row keys.Row) bool { return key.Matches(k, row.Bindings...) }) {
				continue
			}
			before := r.state()
			if r.send(k); r.state() != before {
				t.Errorf("%s: %s is in no help, and does something: %s", p.page, k, r.where())
				r = onPage(t, at)
			}
		}
	}
}
