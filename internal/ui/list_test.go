package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// Each list sorts by the next and the previous column, in reverse, and by the heading that is clicked.
func TestEachListIsSorted(t *testing.T) {
	for _, list := range []struct {
		page             string
		next, at, column string // the mark after the key for the next column, the heading that is clicked, and its mark
	}{
		{"m", "NODE↑", "%SM", "%SM↑"}, {"1", "NAME↑", "GPUS", "GPUS↓"}, {"U", "PROCS↓", "POWER", "POWER↓"},
	} {
		d := newDesk(t, shot{snap: uitest.JobsFixture, view: func(*view) {}}, 200, 40)
		d.press(list.page)
		at := strings.TrimRight(d.lines()[3], " ")
		d.press("right")
		if got := d.lines()[3]; !strings.Contains(got, list.next) {
			t.Errorf("%s: the next column: %s", list.page, got)
		}
		d.press("i")
		flipped := strings.NewReplacer("↑", "↓", "↓", "↑").Replace(list.next)
		if got := d.lines()[3]; !strings.Contains(got, flipped) {
			t.Errorf("%s: in reverse: %s", list.page, got)
		}
		if d.press("left"); strings.TrimRight(d.lines()[3], " ") != at {
			t.Errorf("%s: back: %s, not %s", list.page, d.lines()[3], at)
		}
		x := draw.Width(at[:strings.Index(at, list.at)])
		d.send(tea.MouseClickMsg{X: x, Y: 3, Button: tea.MouseLeft})
		if got := d.lines()[3]; !strings.Contains(got, list.column) {
			t.Errorf("%s: a click on %s: %s", list.page, list.at, got)
		}
	}
}

// Problems are sorted by node and age, too. A key leads from the worst to the end of the list and back.
func TestProblemsAreSorted(t *testing.T) {
	d := newDesk(t, shot{snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnOverview }}, 200, 40)
	d.press("!", "home")
	worst := strings.Join(d.lines()[3:20], "\n")
	for _, want := range []string{"by node", "newest first", "worst first"} {
		if d.press("s"); !strings.Contains(d.lines()[2], want) {
			t.Errorf("the title is %q, want %q", d.lines()[2], want)
		}
	}
	if got := strings.Join(d.lines()[3:20], "\n"); got != worst {
		t.Errorf("the worst are\n%s\nwant\n%s", got, worst)
	}
	d.press("i")
	if got := strings.Join(d.lines()[3:20], "\n"); got == worst || !strings.Contains(d.lines()[2], "worst last") {
		t.Errorf("in reverse:\n%s", got)
	}
}

// The footer names each order of each list.
func TestEachOrderHasAName(t *testing.T) {
	for _, page := range []string{"m", "1", "U", "!"} {
		d := newDesk(t, shot{snap: uitest.JobsFixture, view: func(*view) {}}, 200, 40)
		d.press(page)
		names := map[string]bool{}
		for range 10 {
			_, name, _ := strings.Cut(d.lines()[38], "s sort: ")
			name, _, _ = strings.Cut(name, "  ")
			if name == "" {
				t.Fatalf("%s: an order has no name: %s", page, d.lines()[38])
			}
			names[name] = true
			d.press("right")
		}
		if len(names) < 4 {
			t.Errorf("%s is sorted by %v only", page, names)
		}
	}
}
