package keys

import (
	"cmp"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// Group is the kind of an action.
type Group uint8

// The groups, in the order of the palette.
const (
	Acting    Group = iota + 1 // it does something outside the screen, or to the thing under the cursor
	Looking                    // it shows something else
	Arranging                  // it shows the same things in another way
	Moving                     // it moves the cursor or the selection
	Leaving                    // it leads back, or out
)

// Groups names the groups.
var Groups = map[Group]string{Acting: "act", Looking: "look", Arranging: "arrange", Moving: "move", Leaving: "leave"}

// Need is a condition without which an action has no effect.
type Need uint16

// The needs. Package footer says whether a scene meets them, and if not, why.
const (
	NeedsJob      Need = 1 << iota // a running job
	NeedsJobs                      // a second job
	NeedsNodes                     // a second node
	NeedsProblem                   // a problem in one of the jobs
	NeedsSharing                   // GPUs of other jobs, or hidden ones
	NeedsSignals                   // signals and cancels are allowed
	NeedsProcess                   // the process under the cursor takes the user's signals, and shows its environment
	NeedsOwnJob                    // the process under the cursor belongs to one of the user's jobs
	NeedsRecorder                  // the screen shows a live cluster
	NeedsPast                      // earlier samples of a live cluster are kept
)

// OfCursor are the needs that the row under the cursor meets or not. An action of another page asks for its subject.
const OfCursor = NeedsProcess | NeedsOwnJob

// Action is one thing that the user can do on a page.
type Action struct {
	ID         string // the same on all pages that have it
	Group      Group
	Text, Long string // in few words, and in full
	Keys       string // as a screen writes them: "! 7"; "": it has no key
	Binding    key.Binding
	Needs      Need
	Own        bool // few pages have it: it comes before the actions that all pages have
	Also       string
	Subject    Subject
}

// Subject is what an action acts on. From another page, the palette asks for it.
type Subject uint8

// The subjects.
const (
	OfProcess Subject = iota + 1 // a process; its rank
	OfJob                        // a job that runs
	OfLog                        // any job that has a log: it may have ended
	OfNode                       // a node of the job
	OfRow                        // the row under the cursor: only its page can say which
)

// Do is the message that does the action: its key is pressed, or if it has no key, the action is requested by name.
func (a *Action) Do() tea.Msg { return doing(a.Binding) }

// Do requests an action without a key by its name, as the palette does.
type Do struct{ Name string }

// AsksFor reports whether a message requests an action: by one of its keys, or by its name if it has no key.
func AsksFor(msg tea.Msg, action key.Binding) bool {
	switch m := msg.(type) {
	case tea.KeyPressMsg:
		return key.Matches(m, action)
	case Do:
		return len(action.Keys()) == 0 && action.Help().Desc == m.Name
	}
	return false
}

func doing(action key.Binding) tea.Msg {
	if k := action.Keys(); len(k) > 0 {
		return Pressed(k[0])
	}
	return Do{action.Help().Desc}
}

// Actions returns the actions of rows, group by group. A row with several texts has an action for each binding. Rows
// that do the same thing become one action.
func Actions(rows []Row) (all []Action) {
	for i := range rows {
		for _, a := range rows[i].rowActions() {
			if at := slices.IndexFunc(all, func(b Action) bool { return a.ID == b.ID }); at >= 0 {
				all[at].Keys += " " + a.Keys // arrows that do the same as other keys elsewhere
				continue
			}
			all = append(all, a)
		}
	}
	for i := range rows { // a letter that does the same as a digit
		if rows[i].Same == nil {
			continue
		}
		at := slices.IndexFunc(all, func(a Action) bool { return a.Binding.Help() == rows[i].Same.Help() })
		if at >= 0 {
			all[at].Keys += " " + rows[i].Shown()
		}
	}
	everywhere := func(a Action) int { return map[bool]int{false: 1}[a.Own] }
	slices.SortStableFunc(all, func(a, b Action) int {
		return cmp.Or(int(a.Group)-int(b.Group), everywhere(a)-everywhere(b))
	})
	return all
}

func (r *Row) rowActions() (all []Action) {
	a := Action{ID: r.Text, Group: r.Group, Text: r.Text, Long: r.Long, Keys: r.Shown(), Needs: r.Needs,
		Own: r.On.only, Also: r.Also, Subject: r.Subject}
	if a.Long == "" {
		a.Long = a.Text
	}
	switch {
	case r.Same != nil:
		return nil
	case len(r.Each) == 0:
		a.Binding = r.Bindings[0]
		return []Action{a}
	}
	for i, text := range r.Each {
		a.Binding, a.Keys, a.ID, a.Text, a.Long = r.Bindings[i], r.Bindings[i].Help().Key, text, text, text
		if len(r.EachAlso) > 0 {
			a.Also = r.EachAlso[i]
		}
		all = append(all, a)
	}
	return all
}

// codes are the keys that have names.
var codes = map[string]rune{
	"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight, "tab": tea.KeyTab,
	"enter": tea.KeyEnter, "esc": tea.KeyEscape, "space": tea.KeySpace, "backspace": tea.KeyBackspace,
	"home": tea.KeyHome, "end": tea.KeyEnd, "delete": tea.KeyDelete, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
	"f1": tea.KeyF1, "f2": tea.KeyF2, "f5": tea.KeyF5, "f10": tea.KeyF10, "f63": tea.KeyF63, "f12": tea.KeyF12,
}

var mods = map[string]tea.KeyMod{"ctrl": tea.ModCtrl, "alt": tea.ModAlt, "shift": tea.ModShift}

// shownAs maps the names of keys that a screen writes differently.
var shownAs = strings.NewReplacer("Ctrl-", "ctrl+", "Shift-", "shift+", "Alt-", "alt+", "↑", "up", "↓", "down", "←",
	"left", "→", "right")

// Shown is the message of a key as a screen writes it: "Enter", "Ctrl-S", "T"; false if it is not one key, such as
// "1-9".
func Shown(shown string) (k tea.KeyPressMsg, is bool) {
	name := shownAs.Replace(shown)
	if len([]rune(name)) > 1 {
		name = strings.ToLower(name)
	}
	if rest := name[strings.LastIndex(name, "+")+1:]; len([]rune(rest)) > 1 && codes[rest] == 0 {
		return k, false
	}
	return Pressed(name), true
}

// Pressed is the message of a key by Bubble Tea's name of it: "ctrl+k", "pgup", "G".
func Pressed(name string) tea.KeyPressMsg {
	k := tea.KeyPressMsg{}
	for {
		mod, rest, found := strings.Cut(name, "+")
		if !found || mods[mod] == 0 {
			break
		}
		k.Mod, name = k.Mod|mods[mod], rest
	}
	if code, is := codes[name]; is {
		k.Code = code
		return k
	}
	if k.Code = []rune(name)[0]; k.Mod == 0 {
		k.Text = name
	}
	return k
}
