package nav

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// tall is a list of letters with room for five lines. A capital has three, "X" has eight.
func tall(all string) List[byte] {
	l := letters(all)
	l.Lines = func(i int) int {
		switch {
		case all[i] == 'X':
			return 8
		case all[i] < 'a':
			return 3
		}
		return 1
	}
	return l
}

// Rows of several lines are shown whole, and a page begins or ends with the row of the cursor.
func TestRowsOfSeveralLines(t *testing.T) {
	for _, test := range []struct {
		all, keys string
		at        byte
		window    string
	}{
		{"aBcDefGh", "", 'a', "aBc"},
		{"aBcDefGh", "down down down", 'D', "cDe"},
		{"aBcDefGh", "down down down up", 'c', "cDe"},
		{"aBcDefGh", "pgdown", 'D', "Def"},
		{"aBcDefGh", "pgdown pgdown", 'G', "fGh"},
		{"aBcDefGh", "down pgdown", 'D', "Def"},
		{"aBcDefGh", "end", 'h', "fGh"},
		{"aBcDefGh", "end up pgup", 'e', "cDe"},
		{"aBcDefGh", "end pgup", 'e', "cDe"},
		{"aBcDefGh", "end pgup pgup", 'B', "aBc"},
		{"aXbcD", "down", 'X', "X"},
		{"aXbcD", "down down", 'b', "bcD"},
		{"bcX", "", 'b', "bc"},
		{"bcX", "end", 'X', "X"},
	} {
		var c Cursor[byte]
		l := tall(test.all)
		for _, k := range strings.Fields(test.keys) {
			c.Move(pressed[k], l)
		}
		w := c.Window(l)
		if at, shown := test.all[c.At(l)], test.all[w.From:w.From+w.Shown]; at != test.at || shown != test.window {
			t.Errorf("%s, %q: on %c of %s, want %c of %s", test.all, test.keys, at, shown, test.at, test.window)
		}
	}
	var c Cursor[byte]
	for _, k := range []string{"down", "pgdown", "pgup", "end"} {
		if at, moved := c.Move(pressed[k], tall("")); at != -1 || !moved || c.Window(tall("")) != (Window{}) {
			t.Errorf("%s goes to row %d of an empty list", k, at)
		}
	}
}

// A click is on the row whose lines are under the mouse.
func TestClick(t *testing.T) {
	const all, top = "aBcDefGh", 3
	for _, test := range []struct {
		y      int
		button tea.MouseButton
		at     int
		again  bool
	}{
		{2, tea.MouseLeft, -1, false}, {3, tea.MouseLeft, 0, true}, {4, tea.MouseLeft, 1, false},
		{6, tea.MouseLeft, 1, false}, {7, tea.MouseLeft, 2, false},
		{8, tea.MouseLeft, -1, false}, {0, tea.MouseLeft, -1, false}, {4, tea.MouseRight, -1, false},
	} {
		var c Cursor[byte]
		l := tall(all)
		at, again := c.Click(tea.MouseClickMsg{X: 9, Y: test.y, Button: test.button}, l, top)
		if at != test.at || again != test.again || c.At(l) != max(at, 0) {
			t.Errorf("line %d: row %d, again: %v, the cursor is on %d, want row %d, %v", test.y, at, again, c.At(l),
				test.at, test.again)
		}
	}
	var c Cursor[byte]
	l := letters("abcdefghijkl")
	c.GoTo(l, 11)
	if at, again := c.Click(tea.MouseClickMsg{Y: top + 1, Button: tea.MouseLeft}, l, top); at != 8 || again {
		t.Errorf("row %d, again: %v", at, again)
	}
	if at, again := c.Click(tea.MouseClickMsg{Y: top, Button: tea.MouseLeft}, letters(""), top); at != -1 || again {
		t.Errorf("row %d of an empty list, again: %v", at, again)
	}
}

func TestNext(t *testing.T) {
	const all = "aBcdE"
	for _, test := range []struct{ at, by, want int }{{0, +1, 1}, {1, +1, 4}, {4, +1, 1}, {0, -1, 4}, {4, -1, 1},
		{2, -1, 1}} {
		if got := Next(len(all), test.at, test.by, func(i int) bool { return all[i] < 'a' }); got != test.want {
			t.Errorf("from %d by %d: %d, want %d", test.at, test.by, got, test.want)
		}
	}
	if got := Next(len(all), 0, +1, func(i int) bool { return all[i] == 'E' }); got != 4 {
		t.Errorf("the last place is %d", got)
	}
	for n, at := range map[int]int{0: 0, 1: 0, 5: 3} {
		if got := Next(n, at, +1, func(int) bool { return false }); got != at {
			t.Errorf("of %d, none of which is: %d", n, got)
		}
	}
}
