package keys

import (
	"strings"

	"charm.land/bubbles/v2/key"

	"github.com/nvnodetop/nvnodetop/internal/rows"
)

// The keys of the page of processes.
var (
	CommandLeft  = newBinding("Alt-←", "command", "alt+left", "alt+h")
	CommandRight = newBinding("Alt-→", "command", "alt+right", "alt+l")
	CommandStart = newBinding("^", "start", "^", "ctrl+a")
	CommandEnd   = newBinding("$", "end", "$", "ctrl+e")
	Tag          = newBinding("Space", "tag", "space")
	SortBefore   = newBinding("←", "sort", "left")
	SortAfter    = newBinding("→", "sort", "right")
	SortBy       = newBinding("s", "sort", "s")
	FilterRows   = newBinding("/ F", "filter", "/", "F", "\\")
	Tree         = newBinding("t", "tree", "t")
	Auto         = unbound("GPUs above: where there is room") // nvitop has keys for this and its alternatives
	Full         = unbound("GPUs above: always")
	Compact      = unbound("GPUs above: never")
	Widen        = newBinding("w", "scope", "w")
	Narrow       = newBinding("W", "narrower", "W")
)

var processRows = []Row{
	{Bindings: bindingList(FilterRows), Means: "filter", Group: Arranging, Text: "filter the processes",
		Long: "show only processes that match: words, and comparisons such as sm<50; Esc shows all",
		Also: "search processes, grep, pgrep", On: On(OnProcesses).Without(LikeNvitop)},
	{Bindings: bindingList(SortBy), Means: "sort", Group: Arranging, Text: "sort: sn sp su sr sg ss …",
		Long: "sort: " + prefixLetters(SortBy) + "; capital: reverse", On: On(OnProcesses).Without(LikeNvitop)},
	{Bindings: bindingList(CommandLeft, CommandRight), Group: Moving, Each: commandTexts, Text: "scroll the commands",
		On: On(OnProcesses).Without(LikeNvitop)},
	{Bindings: bindingList(CommandStart, CommandEnd), Group: Moving, Each: []string{"start of the commands",
		"end of the commands"}, Text: "their start / end", Long: "start / end of the commands", On: On(OnProcesses)},
	{Bindings: bindingList(Tag), Group: Acting, Means: "mark", Text: "tag, for signals to several",
		Long: "tag/untag and move down; Esc clears all tags", Also: "mark, select several, several processes",
		Subject: OfRow, On: On(OnProcesses)},
	{Bindings: bindingList(Widen, Narrow), Group: Arranging, Each: []string{"wider: more processes",
		"narrower: fewer processes"}, Text: "wider / narrower",
		EachAlso: []string{"all processes, everyone, scope", "only this gpu, only this node"},
		Long:     "scope: GPU → node → job → your jobs → everyone on those nodes", On: On(OnProcesses)},
	{Bindings: bindingList(Tree), Group: Arranging, Text: "tree of processes",
		Long: "tree: also their parents and children on the node", Also: "pstree, parents, children, parent process",
		On: On(OnProcesses)},
	{Bindings: bindingList(Auto, Full, Compact), Keys: "by name", Group: Arranging, Each: aboveTexts,
		Text: "GPUs above: auto / on / off",
		Long: "GPUs above the processes: where there is room / always / never; found by name",
		On:   On(OnProcesses).Without(LikeNvitop)},
	{Bindings: bindingList(Back), Means: "out", Group: Leaving, Text: "clear tags, filter; back",
		Long: "clear the tags, then the filter, then go back", On: On(OnProcesses)},
}

var (
	commandTexts = []string{"scroll the commands left", "scroll the commands right"}
	aboveTexts   = []string{Auto.Help().Desc, Full.Help().Desc, Compact.Help().Desc}
)

// prefixLetters lists the letters of the columns after a prefix key: "sn GPU, sp PID".
func prefixLetters(by key.Binding) string {
	var words []string
	for i := range rows.Processes.Fields {
		if f := &rows.Processes.Fields[i]; f.Letter != 0 {
			words = append(words, by.Help().Key+string(f.Letter)+" "+f.Title)
		}
	}
	return strings.Join(words, ", ")
}
