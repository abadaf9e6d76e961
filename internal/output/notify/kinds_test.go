package notify

import (
	"errors"
	"slices"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/health/say"
)

// A way that lacks its setting says which; a way without one is the terminal's.
func TestNew(t *testing.T) {
	for _, name := range WayNames() {
		want := "notify." + name + " is not set"
		if name == say.WayTerminal {
			want = ErrNoTerminal.Error()
		}
		if _, err := NewWay(name, &WaySettings{}); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	if _, err := NewWay("pigeon", &WaySettings{}); err == nil || errors.Is(err, ErrNoTerminal) {
		t.Errorf("by pigeon: %v", err)
	}
	w, err := NewWay("command", &WaySettings{Command: []string{"true"}})
	if err != nil || w.Name != "command" || !slices.Contains(WayNames(), w.Name) {
		t.Errorf("%v, %v", w.Name, err)
	}
}

// What a terminal shows has no title twice.
func TestOnTerminal(t *testing.T) {
	var title, text string
	w, err := NewWay(say.WayTerminal, &WaySettings{Terminal: func(a, b string) { title, text = a, b }})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Send(t.Context(), &MessageDocument{Title: "lost", Text: "lost\nmore"}); err != nil || title != "lost" || text != "more" {
		t.Errorf("%q, %q, %v", title, text, err)
	}
}

// The settings offer all ways, and no others.
func TestWaysOfSettings(t *testing.T) {
	if !slices.Equal(WayNames(), say.NewsWays) {
		t.Errorf("%q, settings have %q", WayNames(), say.NewsWays)
	}
}
