package ui

import (
	"cmp"
	"os"
	"slices"
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"
	gocmp "github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
)

// names are those of Bubble Tea for what a screen writes otherwise.
var names = map[string]string{
	"↑": "up", "↓": "down", "←": "left", "→": "right", "Tab": "tab", "Enter": "enter", "Esc": "esc", "Ctrl-C": "ctrl+c",
	"Ctrl-L": "ctrl+l", "Ctrl-P": "ctrl+p", "Alt-↑": "alt+up", "Alt-↓": "alt+down", "Ctrl-Z": "ctrl+z",
	"PgUp": "pgup", "Ctrl-K": "ctrl+k", "Alt-←": "alt+left", "Alt-→": "alt+right", "PgDn": "pgdown", "Home": "home",
	"End": "end", "Space": "space", "Backspace": "backspace", "Ctrl-R": "ctrl+r", "Ctrl-A": "ctrl+a",
	"Ctrl-E": "ctrl+e", "Alt-H": "alt+h", "Alt-L": "alt+l", "Alt-K": "alt+k", "Alt-J": "alt+j",
	"Shift-Tab": "shift+tab", "Alt-Shift-K": "alt+shift+k", "Alt-Shift-J": "alt+shift+j",
	"Ctrl-U": "ctrl+u", "Ctrl-D": "ctrl+d", "F1": "f1", "F2": "f2", "F5": "f5", "F10": "f10", "F12": "f12",
}

// What a screen says of a key must be one of its keys, and no key may stand for two things on a page.
func TestRows(t *testing.T) {
	for _, p := range pages {
		t.Run(string(p.id), func(t *testing.T) { checkRows(t, helpOf(p.id)) })
		t.Run(string(p.id)+" in a recording", func(t *testing.T) { checkRows(t, keys.InReplay(helpOf(p.id))) })
	}
}

func checkRows(t *testing.T, rows []keys.Row) {
	of := map[string]string{}
	for _, row := range rows {
		for _, b := range row.Bindings {
			for shown := range strings.FieldsSeq(b.Help().Key) {
				name := shown
				if n, ok := names[shown]; ok {
					name = n
				}
				if !slices.Contains(b.Keys(), name) {
					t.Errorf("%q is no key of %q, which has %q", shown, b.Help().Desc, b.Keys())
				}
			}
			for _, k := range b.Keys() {
				if of[k] != "" {
					t.Errorf("%s stands for %s and for %s", k, of[k], b.Help().Desc)
				}
				of[k] = b.Help().Desc
			}
		}
	}
	for _, b := range []key.Binding{keys.Cancel, keys.Interrupt} { // a prompt's: the names of keys that are no text
		if k := b.Keys()[0]; of[k] == "" || len(k) == 1 {
			t.Errorf("%s cannot be a prompt's", k)
		}
	}
}

func TestHelpOf(t *testing.T) {
	has := func(page keys.Page) bool {
		return slices.ContainsFunc(helpOf(page), func(r keys.Row) bool { return r.Shown() == "/" })
	}
	if has(keys.OnConnection) || !has(keys.OnOverview) {
		t.Errorf("the filter is in the help of the connection: %v, of the overview: %v", has(keys.OnConnection),
			has(keys.OnOverview))
	}
	for _, row := range keyRows {
		for _, b := range row.Bindings {
			if !slices.ContainsFunc(pages, func(p entry) bool {
				return slices.ContainsFunc(helpOf(p.id), func(r keys.Row) bool { return r.Shown() == row.Shown() })
			}) {
				t.Errorf("%s is in no help", b.Help().Key)
			}
		}
	}
}

// The table of keys in README.md is made of the list.
func TestReadme(t *testing.T) {
	const path, head = "../../README.md", "| key | | where |\n|---|---|---|\n"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), head)
	at := strings.Index(rest, "\n\n")
	if !found || at < 0 {
		t.Fatal("README.md has no table of keys")
	}
	var want strings.Builder
	for _, row := range keyRows {
		want.WriteString("| " + cell(row) + " | " + cmp.Or(row.Long, row.Text) + " | " + where(row) + " |\n")
	}
	if *update {
		if err := os.WriteFile(path, []byte(before+head+want.String()+rest[at+1:]), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := gocmp.Diff(want.String(), rest[:at+1]); diff != "" {
		t.Errorf("README.md has another table (-list +README.md); run the test with -update:\n%s", diff)
	}
}

// cell is all keys of a row, each letter once.
func cell(r keys.Row) string {
	if r.Keys != "" {
		return "`" + r.Keys + "`"
	}
	var bindings []string
	for _, b := range r.Bindings {
		var all []string
		for _, k := range b.Keys() {
			if lower := strings.ToLower(k); lower != k && slices.Contains(b.Keys(), lower) {
				continue
			}
			for shown, name := range names {
				if name == k {
					k = shown
				}
			}
			all = append(all, "`"+k+"`")
		}
		bindings = append(bindings, strings.Join(all, " "))
	}
	return strings.Join(bindings, " / ")
}

// where names the pages that have the row's keys, where those are not most.
func where(r keys.Row) string {
	var names []string
	for _, p := range pages {
		if r.On.Is(p.id, p.has) {
			names = append(names, string(p.id))
		}
	}
	if len(names) > len(pages)/2 {
		return ""
	}
	return strings.Join(names, ", ")
}
