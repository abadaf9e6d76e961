package ui

import (
	"slices"
	"testing"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/lookback"
)

// A key that a page documents has code there or in the screen, and the code of a page has a key that is documented.
func TestEveryKeyHasCode(t *testing.T) {
	for at, p := range helpPages {
		r := onPage(t, at)
		page, is := r.view.shownPage(r.scene).(interface{ Actions() []key.Binding })
		if !is {
			t.Errorf("%s does not say which actions it has", p.page)
			continue
		}
		rows := documented(p.page)
		code := page.Actions()
		for _, b := range rows {
			if !has(code, b) && !has(ofScreen(p.page), b) && !standsFor(b, code...) {
				t.Errorf("%s: %s (%s) does nothing: no table has its code", p.page, b.Help().Key, b.Help().Desc)
			}
		}
		for _, a := range code {
			isRow := func(b key.Binding) bool { return standsFor(b, a) }
			if !has(rows, a) && !partOf(a, rows) && !slices.ContainsFunc(rows, isRow) {
				t.Errorf("%s: the code of %s (%s) has no row", p.page, a.Help().Key, a.Help().Desc)
			}
		}
	}
}

// documented returns the actions of the rows that a page has with the usual keys, and with those of nvitop.
func documented(on keys.Page) (all []key.Binding) {
	for _, m := range []keymap{{}, {nvitop: true}} {
		for _, row := range m.helpOf(on) {
			for _, b := range row.Bindings {
				if !has(all, b) {
					all = append(all, b)
				}
			}
		}
	}
	return all
}

// standsFor reports whether one of nvitop's keys stands for one of these actions, or is one under another key.
func standsFor(b key.Binding, actions ...key.Binding) bool {
	return slices.ContainsFunc(b.Keys(), func(name string) bool {
		k := keys.Pressed(name)
		msg := keys.FromNvitop(k)
		return slices.ContainsFunc(actions, func(a key.Binding) bool {
			return keys.AsksFor(msg, a) && (msg != tea.Msg(k) || a.Help().Desc == b.Help().Desc)
		})
	})
}

// The screen has code for the keys of a recording, and a row for each key that it has code for.
func TestKeysOfTheScreenHaveRows(t *testing.T) {
	var rows []key.Binding
	for _, r := range slices.Concat(keyRows, keys.ReplayRows) {
		rows = append(rows, r.Bindings...)
	}
	for _, r := range keys.ReplayRows {
		for _, b := range r.Bindings {
			if !has(lookback.TapeActions[:], b) {
				t.Errorf("%s (%s) does nothing in a recording", b.Help().Key, b.Help().Desc)
			}
		}
	}
	for _, a := range slices.Concat(ofScreen(""), lookback.TapeActions[:]) {
		if !has(rows, a) && !partOf(a, rows) {
			t.Errorf("the code of %s (%s) has no row", a.Help().Key, a.Help().Desc)
		}
	}
}

// ofScreen returns the actions with code on all pages, and those that lead from a page to others.
func ofScreen(from keys.Page) []key.Binding {
	all := slices.Concat(anywhere.Actions(), outward.Actions(), selecting.Actions())
	if from != "" && from != keys.OnNode && from != keys.OnConnection { // arrows have another meaning there
		all = slices.DeleteFunc(all, func(a key.Binding) bool { return has([]key.Binding{keys.Left, keys.Right}, a) })
	}
	for _, r := range slices.Concat(always, lookingBack, inPast) {
		all = append(all, r.of)
	}
	for _, e := range pages {
		if e.number.Enabled() {
			all = append(all, e.number)
		}
		if e.key.Enabled() && (from == "" || e.help.On.Is(from, plain.hasOf(from))) {
			all = append(all, e.key)
		}
	}
	return all
}

func has(list []key.Binding, b key.Binding) bool {
	return slices.ContainsFunc(list, func(a key.Binding) bool { return isSame(a, b) })
}

// partOf reports whether all keys of an action are among those of one row.
func partOf(a key.Binding, rows []key.Binding) bool {
	return slices.ContainsFunc(rows, func(b key.Binding) bool {
		return !slices.ContainsFunc(a.Keys(), func(k string) bool { return !slices.Contains(b.Keys(), k) })
	})
}

func isSame(a, b key.Binding) bool { return a.Help() == b.Help() && slices.Equal(a.Keys(), b.Keys()) }
