package draw

import (
	"strings"
	"testing"
)

// Each terminal gets the sequence that it understands, and no text ends it early.
func TestSequence(t *testing.T) {
	xterm, foot := AlertHost{Name: "xterm-256color"}, AlertHost{Name: "foot"}
	for name, tc := range map[string]struct {
		style       string
		on          AlertHost
		title, text string
		want        string
	}{
		"xterm":     {"auto", xterm, "7: failed", "", "\x1b]9;7: failed\a\a"},
		"with text": {"auto", xterm, "7: failed", "See the log.", "\x1b]9;7: failed. See the log.\a\a"},
		"foot":      {"auto", foot, "a;b", "c;d", "\x1b]777;notify;a,b;c,d\a\a"},
		"chosen":    {"osc9", foot, "a", "", "\x1b]9;a\a\a"},
		"bell":      {"bell", xterm, "a", "b", "\a"},
		"tmux":      {"auto", AlertHost{Name: "tmux-256color", Tmux: true}, "a", "", "\x1bPtmux;\x1b\x1b]9;a\a\x1b\\\a"},
		"screen":    {"auto", AlertHost{Name: "screen", Screen: true}, "a", "", "\x1bP\x1b]9;a\a\x1b\\\a"},
		"hostile":   {"auto", xterm, "a\a\x1b]0;b\x1b\\\nc", "d\u009ce", "\x1b]9;a??c. d?e\a\a"},
	} {
		if got := AlertSequence(tc.style, tc.on, tc.title, tc.text); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
	if got := TitleSequence("größe\a\x1b]0;x"); strings.Count(got, "\a") != 1 || strings.Count(got, "\x1b") != 1 ||
		strings.ContainsFunc(got, func(r rune) bool { return r > 0x7f }) {
		t.Errorf("the title is %q", got)
	}
	env := map[string]string{"TERM": "tmux-256color", "TMUX": "/tmp/x"}
	if got := AlertHostOf(func(name string) string { return env[name] }); got != (AlertHost{Name: "tmux-256color", Tmux: true}) {
		t.Errorf("the terminal is %+v", got)
	}
}
