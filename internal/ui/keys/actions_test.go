package keys

import (
	"slices"
	"testing"
)

// Each action has a group, a text of its own, and a key that does it.
func TestActions(t *testing.T) {
	rows := slices.DeleteFunc(slices.Concat(list, ReplayRows), func(r Row) bool { return len(r.Bindings) == 0 })
	for _, r := range rows {
		if len(r.Each) > 0 && len(r.Each) != len(r.Bindings) {
			t.Errorf("%s has %d texts for %d keys", r.Text, len(r.Each), len(r.Bindings))
		}
		actions := Actions([]Row{r})
		for _, a := range actions {
			if Groups[a.Group] == "" || a.Text == "" || a.ID == "" || a.Long == "" {
				t.Errorf("%s has the action %+v", r.Text, a)
			}
			if !AsksFor(a.Do(), a.Binding) {
				t.Errorf("%s is done by %s, which is not one of %s", a.Text, a.Do(), a.Binding.Keys())
			}
		}
	}
	for shown, want := range map[string]string{"Enter": "enter", "Ctrl-S": "ctrl+s", "Shift-↓": "shift+down", "T": "T",
		"←": "left", "F2": "f2", "?": "?", "Space": "space", "1-9": "", "←→": "", "Backspace": "backspace"} {
		if k, is := Shown(shown); is != (want != "") || is && k.String() != want {
			t.Errorf("%s is %s, %t", shown, k, is)
		}
	}
	for _, name := range []string{"ctrl+k", "alt+shift+k", "pgup", "G", "space", "+", "shift+tab", "f12", "?"} {
		if got := Pressed(name).String(); got != name {
			t.Errorf("%s is pressed as %s", name, got)
		}
	}
}

// A letter and a digit that lead to one page are one action.
func TestActionsOfAPage(t *testing.T) {
	letter := Row{Bindings: bindingList(Problems), Text: "all problems", Group: Looking, Same: &ToProblems}
	actions := Actions([]Row{numberRows[0], letter})
	at := slices.IndexFunc(actions, func(a Action) bool { return a.Keys == "7 !" })
	if len(actions) != len(Numbers) || at < 0 {
		t.Errorf("the actions are %+v", actions)
	}
}
