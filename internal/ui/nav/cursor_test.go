package nav

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// letters is a list of letters with room for five.
func letters(all string) List[byte] {
	return List[byte]{N: len(all), Room: 5, Key: func(i int) byte { return all[i] }}
}

var pressed = map[string]tea.Msg{
	"up": tea.KeyPressMsg{Code: tea.KeyUp}, "down": tea.KeyPressMsg{Code: tea.KeyDown},
	"pgup": tea.KeyPressMsg{Code: tea.KeyPgUp}, "pgdown": tea.KeyPressMsg{Code: tea.KeyPgDown},
	"home": tea.KeyPressMsg{Code: tea.KeyHome}, "end": tea.KeyPressMsg{Code: tea.KeyEnd},
	"wheel": tea.MouseWheelMsg{Button: tea.MouseWheelDown}, "back": tea.MouseWheelMsg{Button: tea.MouseWheelUp},
}

func TestMove(t *testing.T) {
	const all = "abcdefghijkl"
	for _, test := range []struct {
		keys   string
		at     byte
		window string // the rows on the screen
	}{
		{"", 'a', "abcde"},
		{"up", 'a', "abcde"},
		{"down down", 'c', "abcde"},
		{"down down down down down", 'f', "bcdef"},
		{"down down down down down up up", 'd', "bcdef"},
		{"pgdown", 'f', "fghij"},
		{"down pgdown", 'g', "fghij"},
		{"pgdown pgdown", 'k', "hijkl"},
		{"pgdown pgdown pgdown", 'l', "hijkl"},
		{"end", 'l', "hijkl"},
		{"end pgup", 'g', "cdefg"},
		{"end home", 'a', "abcde"},
		{"wheel wheel", 'g', "cdefg"},
		{"wheel back back", 'a', "abcde"},
	} {
		var c Cursor[byte]
		l := letters(all)
		for _, k := range strings.Fields(test.keys) {
			if at, moved := c.Move(pressed[k], l); !moved || at != c.At(l) {
				t.Errorf("%q: %s is not taken, or is at %d, not %d", test.keys, k, at, c.At(l))
			}
		}
		w := c.Window(l)
		if at, shown := all[c.At(l)], all[w.From:w.From+w.Shown]; at != test.at || shown != test.window {
			t.Errorf("%q: on %c of %s, want %c of %s", test.keys, at, shown, test.at, test.window)
		}
	}
	var c Cursor[byte]
	if _, moved := c.Move(tea.KeyPressMsg{Code: 'x', Text: "x"}, letters(all)); moved {
		t.Error("x moves the cursor")
	}
}

// The cursor stays on what it is about when rows come, go and are sorted anew.
func TestTheCursorStays(t *testing.T) {
	var c Cursor[byte]
	if got := c.GoTo(letters("abcdef"), 3); got != 3 || c.On() != 'd' {
		t.Fatalf("on row %d, %c", got, c.On())
	}
	for _, test := range []struct {
		all string
		at  byte
	}{{"zabcdef", 'd'}, {"fedcba", 'd'}, {"abcef", 'e'}, {"ab", 'b'}, {"abcdef", 'd'}} {
		if got := test.all[c.At(letters(test.all))]; got != test.at {
			t.Errorf("in %s on %c, want %c", test.all, got, test.at)
		}
	}
	if at := c.At(letters("")); at != 0 {
		t.Errorf("in an empty list on row %d", at)
	}
	if at := c.GoTo(letters(""), 2); at != -1 {
		t.Errorf("goes to row %d of an empty list", at)
	}
}

func TestTop(t *testing.T) {
	var c Cursor[byte]
	l := letters("abcdefghijkl")
	c.GoTo(l, 11)
	c.GoTo(l, 8)
	if w := c.Window(l); w.From != 7 {
		t.Errorf("from row %d", w.From)
	}
	c.Top()
	if w := c.Window(l); w.From != 4 { // as far as the cursor permits
		t.Errorf("from row %d", w.From)
	}
}

func TestWhere(t *testing.T) {
	var got []string
	for _, w := range []Window{{0, 5, 5}, {0, 5, 12}, {5, 5, 12}, {7, 5, 12}} {
		got = append(got, w.Where())
	}
	want := []string{"", "1–5 of 12  PgDn", "6–10 of 12  PgUp PgDn", "8–12 of 12  PgUp"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if h := (Window{7, 5, 12}).Hidden(); h != 7 {
		t.Errorf("%d are hidden", h)
	}
}
