package keys

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// The keys that nvitop has in other places, on the page of processes and the pages about one process.
var (
	nvitopUp      = bind("↑ k", "select", "up", "k", "shift+tab", "alt+k")
	nvitopDown    = bind("↓ j", "select", "down", "j", "tab", "alt+j")
	nvitopPageUp  = bind("PgUp", "page up", "pgup", "ctrl+u", "alt+shift+k")
	nvitopPageDn  = bind("PgDn", "page down", "pgdown", "ctrl+d", "alt+shift+j")
	nvitopLeft    = bind("←", "command", "left", "alt+h")
	nvitopRight   = bind("→", "command", "right", "alt+l")
	nvitopBefore  = bind(",", "sort", ",", "<")
	nvitopAfter   = bind(".", "sort", ".", ">")
	nvitopReverse = bind("/", "reverse", "/")
	nvitopSort    = bind("o", "sort by", "o")
	nvitopFilter  = bind("F \\", "filter", "F", "\\")
	nvitopAuto    = bind("a", "auto", "a")
	nvitopFull    = bind("f", "full", "f")
	nvitopCompact = bind("c", "compact", "c")
	FreeMouse     = bind("m", "mouse", "m")
)

// usual are the usual keys of nvitop's keys.
var usual = []struct{ nvitop, usual key.Binding }{
	{nvitopUp, Up}, {nvitopDown, Down}, {nvitopPageUp, PageUp}, {nvitopPageDn, PageDown}, {nvitopLeft, CommandLeft},
	{nvitopRight, CommandRight}, {nvitopBefore, SortBefore}, {nvitopAfter, SortAfter}, {nvitopReverse, ReverseRows},
	{nvitopSort, SortBy}, {nvitopFilter, FilterRows}, {nvitopAuto, Auto}, {nvitopFull, Full},
	{nvitopCompact, Compact},
}

// FromNvitop returns the message that usually has the meaning of one of nvitop's keys. Keys without such a meaning
// stay.
func FromNvitop(k tea.KeyPressMsg) tea.Msg {
	for _, u := range usual {
		if key.Matches(k, u.nvitop) {
			return doing(u.usual)
		}
	}
	return k
}

// UsualOf returns the action that one of nvitop's keys does, and any other action as it is.
func UsualOf(action key.Binding) key.Binding {
	for _, u := range usual {
		if IsSame(action, u.nvitop) {
			return u.usual
		}
	}
	return action
}

// nvitopRows are the rows of the page of processes with nvitop's keys.
var nvitopRows = []Row{
	{Bindings: of(nvitopUp, nvitopDown), Group: Moving, Text: "select a process", On: onNvitop},
	{Bindings: of(nvitopPageUp, nvitopPageDn), Group: Moving, Each: []string{"page up", "page down"},
		Text: "page up / down", On: onNvitop},
	{Bindings: of(nvitopLeft, nvitopRight), Group: Moving, Each: commandTexts, Text: "scroll the commands",
		On: onNvitop},
	{Bindings: of(nvitopBefore, nvitopAfter), Group: Arranging, Each: []string{"sort by the previous column",
		"sort by the next column"}, Text: "sort by another column",
		Long: "sort by the previous / next column; a click on a heading sorts too", On: onNvitop},
	{Bindings: of(nvitopReverse), Group: Arranging, Text: "reverse the order", On: onNvitop},
	{Bindings: of(nvitopSort), Group: Arranging, Text: "sort: on op ou or og os …",
		Long: "sort: " + lettered(nvitopSort) + "; capital: reverse", On: onNvitop},
	{Bindings: of(nvitopFilter), Group: Arranging, Text: "filter",
		Long: "show only processes that match: words, and comparisons such as sm<50", On: onNvitop},
	{Bindings: of(nvitopAuto, nvitopFull, nvitopCompact), Group: Arranging, Each: aboveTexts,
		Text: "GPUs above: auto / on / off",
		Long: "GPUs above the processes: where there is room / always / never", On: onNvitop},
	{Bindings: of(FreeMouse), Group: Arranging, Text: "mouse on / off",
		Long: "mouse support on / off; off lets the terminal select text", On: With(LikeNvitop)},
}

var onNvitop = On(OnProcesses).With(LikeNvitop)
