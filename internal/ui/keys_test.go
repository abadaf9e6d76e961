package ui

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"

	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/test/golden"
)

// names are those of Bubble Tea for what a screen writes otherwise.
var names = map[string]string{
	"↑": "up", "↓": "down", "←": "left", "→": "right", "Tab": "tab", "Enter": "enter", "Esc": "esc", "Ctrl-C": "ctrl+c",
	"Ctrl-L": "ctrl+l", "Ctrl-P": "ctrl+p", "Alt-↑": "alt+up", "Alt-↓": "alt+down", "Ctrl-Z": "ctrl+z",
	"Ctrl-S": "ctrl+s", "Shift-↑": "shift+up", "Shift-↓": "shift+down", "Ctrl-←": "ctrl+left", "Ctrl-→": "ctrl+right",
	"Ctrl-Home": "ctrl+home", "Ctrl-End": "ctrl+end",
	"PgUp": "pgup", "Ctrl-K": "ctrl+k", "Alt-←": "alt+left", "Alt-→": "alt+right", "PgDn": "pgdown", "Home": "home",
	"End": "end", "Space": "space", "Backspace": "backspace", "Ctrl-R": "ctrl+r", "Ctrl-A": "ctrl+a",
	"Ctrl-E": "ctrl+e", "Alt-H": "alt+h", "Alt-L": "alt+l", "Alt-K": "alt+k", "Alt-J": "alt+j",
	"Shift-Tab": "shift+tab", "Alt-Shift-K": "alt+shift+k", "Alt-Shift-J": "alt+shift+j",
	"Delete": "delete", "Ctrl-↑": "ctrl+up", "Ctrl-↓": "ctrl+down",
	"Ctrl-U": "ctrl+u", "Ctrl-D": "ctrl+d", "F1": "f1", "F2": "f2", "F5": "f5", "F10": "f10", "F12": "f12",
}

// plain has the usual keys.
var plain keymap

// meaning is what a key means on some pages.
type meaning struct {
	means string
	which int       // of the keys of a row
	on    keys.Page // the first
}

func (m meaning) isSame(o meaning) bool { return m.means == o.means && m.which == o.which }

// meanings has all meanings of each key of the usual map.
func meanings() map[string][]meaning {
	of := map[string][]meaning{}
	for _, p := range pages {
		for _, row := range keys.InReplay(plain.helpOf(p.id)) {
			for i, b := range row.Bindings {
				for _, k := range b.Keys() {
					m := meaning{cmp.Or(row.Means, row.Text), i, p.id}
					if !slices.ContainsFunc(of[k], m.isSame) {
						of[k] = append(of[k], m)
					}
				}
			}
		}
	}
	return of
}

// In the usual map a key has one meaning on all pages, but for the table of exceptions, which has no others, and counts
// the meanings of each.
func TestOneMeaning(t *testing.T) {
	of, counted := meanings(), map[string]int{}
	for _, e := range keys.Exceptions {
		if e.Meanings < 2 {
			t.Errorf("%s is an exception in keys/exceptions.go with %d meanings: delete its row", e.Keys, e.Meanings)
		}
		for k := range strings.FieldsSeq(e.Keys) {
			if counted[k] = e.Meanings; len(of[k]) == 0 {
				t.Errorf("no page has %s: delete it in keys/exceptions.go", k)
			}
		}
	}
	for _, k := range slices.Sorted(maps.Keys(of)) {
		switch {
		case len(of[k]) == max(counted[k], 1):
		case counted[k] == 0:
			t.Errorf("%s means%s: take a free key, give the rows the same Means in the same place of their Bindings, "+
				"or add a row with the reason to keys/exceptions.go", k, listed(of[k]))
		default:
			t.Errorf("%s has %d meanings, and its row in keys/exceptions.go counts %d:%s. Take a free key for a new "+
				"one, or let the row count it and say the reason", k, len(of[k]), counted[k], listed(of[k]))
		}
	}
	free := ""
	for k := '!'; k <= '~'; k++ {
		if len(of[string(k)]) == 0 {
			free += " " + string(k)
		}
	}
	t.Logf("keys that are free:%s; an action may also be unbound: users find it by its name", free)
}

// listed names meanings, each with a page.
func listed(of []meaning) (list string) {
	for _, m := range of {
		list += fmt.Sprintf(" %q (%s)", m.means, m.on)
	}
	return list
}

// Each key on a screen must be a binding, and no key may stand for two things on a page.
func TestRows(t *testing.T) {
	for _, m := range []keymap{{}, {nvitop: true}} {
		for _, p := range pages {
			t.Run(string(p.id), func(t *testing.T) { checkRows(t, m.helpOf(p.id)) })
			t.Run(string(p.id)+" in a recording", func(t *testing.T) { checkRows(t, keys.InReplay(m.helpOf(p.id))) })
		}
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
		return slices.ContainsFunc(plain.helpOf(page), func(r keys.Row) bool { return r.Shown() == "/" })
	}
	if has(keys.OnConnection) || !has(keys.OnOverview) {
		t.Errorf("the filter is in the help of the connection: %v, of the overview: %v", has(keys.OnConnection),
			has(keys.OnOverview))
	}
	for _, row := range keyRows {
		for _, b := range row.Bindings {
			if !onlyNvitop(&row) && !slices.ContainsFunc(pages, func(p pageEntry) bool {
				return slices.ContainsFunc(plain.helpOf(p.id),
					func(r keys.Row) bool { return r.Shown() == row.Shown() })
			}) {
				t.Errorf("%s is in no help", b.Help().Key)
			}
		}
	}
}

// Each need is that of some action.
func TestNeedsAreUsed(t *testing.T) {
	var used keys.Need
	for _, row := range keyRows {
		used |= row.Needs
	}
	for need := keys.NeedsJob; need <= keys.NeedsPast; need <<= 1 {
		if used&need == 0 {
			t.Errorf("no row has the need %b (ui/keys/actions.go): remove it, and its row of WhyNoEffect", need)
		}
	}
}

// docs/KEYS.md is made of the list.
func TestPageOfKeys(t *testing.T) {
	const path = "../../docs/KEYS.md"
	var want strings.Builder
	want.WriteString(aboutKeys)
	for group := keys.Acting; group <= keys.Leaving; group++ {
		fmt.Fprintf(&want, "\n## %s\n\n| key | | where |\n|---|---|---|\n", headings[group])
		for _, row := range keyRows {
			if row.Group == group && !onlyNvitop(&row) {
				want.WriteString("| " + cell(row) + " | " + cmp.Or(row.Long, row.Text) + " | " + where(row) + " |\n")
			}
		}
	}
	want.WriteString("\n## In a recording\n\n| key | |\n|---|---|\n")
	want.WriteString(replayTable())
	want.WriteString(aboutExceptions)
	for _, e := range keys.Exceptions {
		var shown []string
		for k := range strings.FieldsSeq(e.Keys) {
			shown = append(shown, "`"+shownAs(k)+"`")
		}
		want.WriteString("| " + strings.Join(shown, " ") + " | " + e.Reason + " |\n")
	}
	want.WriteString(aboutNvitop)
	for _, row := range keyRows {
		if onlyNvitop(&row) {
			want.WriteString("| " + cell(row) + " | " + cmp.Or(row.Long, row.Text) + " |\n")
		}
	}
	golden.Equal(t, path, want.String())
}

// replayTable has the keys of a recording.
func replayTable() (table string) {
	for _, row := range keys.ReplayRows {
		table += "| " + cell(row) + " | " + cmp.Or(row.Long, row.Text) + " |\n"
	}
	return table
}

// onlyNvitop reports whether only nvitop's keys have a row.
func onlyNvitop(r *keys.Row) bool {
	return !slices.ContainsFunc(pages, func(p pageEntry) bool { return r.On.Is(p.id, p.has) })
}

var headings = map[keys.Group]string{keys.Acting: "Act", keys.Looking: "Look", keys.Arranging: "Arrange",
	keys.Moving: "Move", keys.Leaving: "Leave"}

const (
	aboutKeys = `# Keys

Arrows, Enter and Esc reach everything: ↑↓ move the cursor, Enter goes into the row, Esc goes back out, ←→ go to the
sibling (node, GPU, column). The digits lead to the pages. Each key has one meaning on all pages that have it, but for a
[few exceptions](#exceptions). The column "where" names pages only where a key is not on most of them. Most capital
letters work like lower-case ones unless they have a meaning of their own.
`
	aboutExceptions = `
## Exceptions

| key | reason |
|---|---|
`
	aboutNvitop = "\n## The keys of nvitop\n\nWith `keys = \"nvitop\"`, or `--keys nvitop`, the page of processes and " +
		"the pages about one process have these keys of nvitop\nin place of the usual ones.\n\n| key | |\n|---|---|\n"
)

// cell is all keys of a row, each letter once.
func cell(r keys.Row) string {
	if r.Keys != "" {
		return "`" + r.Keys + "`"
	}
	var bindings []string
	for _, b := range r.Bindings {
		var all []string
		for _, k := range b.Keys() {
			if lower := strings.ToLower(k); lower != k && slices.Contains(b.Keys(), lower) || k == " " {
				continue // a terminal has two names for Space
			}
			all = append(all, "`"+shownAs(k)+"`")
		}
		bindings = append(bindings, strings.Join(all, " "))
	}
	return strings.Join(bindings, " / ")
}

// shownAs is a key as a screen writes it.
func shownAs(k string) string {
	for shown, name := range names {
		if name == k {
			return shown
		}
	}
	return k
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
