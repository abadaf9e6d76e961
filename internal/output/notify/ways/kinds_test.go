package ways

import (
	"errors"
	"slices"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/health/newsworthy"
)

// A way that lacks its setting says which; a way without one is the terminal's.
func TestNew(t *testing.T) {
	for _, name := range Names() {
		want := "notify." + name + " is not set"
		if name == newsworthy.WayTerminal {
			want = ErrNoTerminal.Error()
		}
		if _, err := New(name, &Settings{}); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	if _, err := New("pigeon", &Settings{}); err == nil || errors.Is(err, ErrNoTerminal) {
		t.Errorf("by pigeon: %v", err)
	}
	w, err := New("command", &Settings{Command: []string{"true"}})
	if err != nil || w.Name != "command" || !slices.Contains(Names(), w.Name) {
		t.Errorf("%v, %v", w.Name, err)
	}
}

// What a terminal shows has no title twice.
func TestOnTerminal(t *testing.T) {
	var title, text string
	w, err := New(newsworthy.WayTerminal, &Settings{Terminal: func(a, b string) { title, text = a, b }})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Send(t.Context(), &Document{Title: "lost", Text: "lost\nmore"}); err != nil || title != "lost" || text != "more" {
		t.Errorf("%q, %q, %v", title, text, err)
	}
}

// The settings offer all ways, and no others.
func TestWaysOfSettings(t *testing.T) {
	if !slices.Equal(Names(), newsworthy.Ways) {
		t.Errorf("%q, settings have %q", Names(), newsworthy.Ways)
	}
}
