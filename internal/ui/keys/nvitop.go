package keys

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// The keys that nvitop has in other places than the usual map. They work on the page of processes and the pages about
// one process.
var (
	nvitopUp      = newBinding("↑ k", "select", "up", "k", "shift+tab", "alt+k")
	nvitopDown    = newBinding("↓ j", "select", "down", "j", "tab", "alt+j")
	nvitopPageUp  = newBinding("PgUp", "page up", "pgup", "ctrl+u", "alt+shift+k")
	nvitopPageDn  = newBinding("PgDn", "page down", "pgdown", "ctrl+d", "alt+shift+j")
	nvitopLeft    = newBinding("←", "command", "left", "alt+h")
	nvitopRight   = newBinding("→", "command", "right", "alt+l")
	nvitopBefore  = newBinding(",", "sort", ",", "<")
	nvitopAfter   = newBinding(".", "sort", ".", ">")
	nvitopReverse = newBinding("/", "reverse", "/")
	nvitopSort    = newBinding("o", "sort by", "o")
	nvitopFilter  = newBinding("F \\", "filter", "F", "\\")
	nvitopAuto    = newBinding("a", "auto", "a")
	nvitopFull    = newBinding("f", "full", "f")
	nvitopCompact = newBinding("c", "compact", "c")
	FreeMouse     = newBinding("m", "mouse", "m")
)

// usual maps nvitop's keys to the usual ones.
var usual = []struct{ nvitop, usual key.Binding }{
	{nvitopUp, Up}, {nvitopDown, Down}, {nvitopPageUp, PageUp}, {nvitopPageDn, PageDown}, {nvitopLeft, CommandLeft},
	{nvitopRight, CommandRight}, {nvitopBefore, SortBefore}, {nvitopAfter, SortAfter}, {nvitopReverse, ReverseRows},
	{nvitopSort, SortBy}, {nvitopFilter, FilterRows}, {nvitopAuto, Auto}, {nvitopFull, Full},
	{nvitopCompact, Compact},
}

// FromNvitop returns the message that usually has the meaning of one of nvitop's keys. Keys without such a meaning stay
// unchanged.
func FromNvitop(k tea.KeyPressMsg) tea.Msg {
	for _, u := range usual {
		if key.Matches(k, u.nvitop) {
			return doing(u.usual)
		}
	}
	return k
}

// nvitopRows are the rows of the page of processes with nvitop's keys.
var nvitopRows = []Row{
	{Bindings: bindingList(nvitopUp, nvitopDown), Group: Moving, Text: "select a process", On: onNvitop},
	{Bindings: bindingList(nvitopPageUp, nvitopPageDn), Group: Moving, Each: []string{"page up", "page down"},
		Text: "page up / down", On: onNvitop},
	{Bindings: bindingList(nvitopLeft, nvitopRight), Group: Moving, Each: commandTexts, Text: "scroll the commands",
		On: onNvitop},
	{Bindings: bindingList(nvitopBefore, nvitopAfter), Group: Arranging, Each: []string{"sort by the previous column",
		"sort by the next column"}, Text: "sort by another column",
		Long: "sort by the previous / next column; a click on a heading sorts too", On: onNvitop},
	{Bindings: bindingList(nvitopReverse), Group: Arranging, Text: "reverse the order", On: onNvitop},
	{Bindings: bindingList(nvitopSort), Group: Arranging, Text: "sort: on op ou or og os …",
		Long: "sort: " + prefixLetters(nvitopSort) + "; capital: reverse", On: onNvitop},
	{Bindings: bindingList(nvitopFilter), Group: Arranging, Text: "filter",
		Long: "show only processes that match: words, and comparisons such as sm<50", On: onNvitop},
	{Bindings: bindingList(nvitopAuto, nvitopFull, nvitopCompact), Group: Arranging, Each: aboveTexts,
		Text: "GPUs above: auto / on / off",
		Long: "GPUs above the processes: where there is room / always / never", On: onNvitop},
	{Bindings: bindingList(FreeMouse), Group: Arranging, Text: "mouse on / off",
		Long: "mouse support on / off; off lets the terminal select text", On: With(LikeNvitop)},
}

var onNvitop = On(OnProcesses).With(LikeNvitop)
