package keys

import (
	"strings"

	"charm.land/bubbles/v2/key"

	"github.com/nvnodetop/nvnodetop/internal/rows"
)

// The keys of the page of processes.
var (
	CommandLeft  = bind("Alt-←", "command", "alt+left", "alt+h")
	CommandRight = bind("Alt-→", "command", "alt+right", "alt+l")
	CommandStart = bind("^", "start", "^", "ctrl+a")
	CommandEnd   = bind("$", "end", "$", "ctrl+e")
	Tag          = bind("Space", "tag", "space")
	SortBefore   = bind("←", "sort", "left")
	SortAfter    = bind("→", "sort", "right")
	SortBy       = bind("s", "sort", "s")
	FilterRows   = bind("/ F", "filter", "/", "F", "\\")
	Tree         = bind("t", "tree", "t")
	Auto         = unbound("GPUs above: where there is room") // nvitop has keys for them
	Full         = unbound("GPUs above: always")
	Compact      = unbound("GPUs above: never")
	Widen        = bind("w", "scope", "w")
	Narrow       = bind("W", "narrower", "W")
)

var processRows = []Row{
	{Bindings: of(FilterRows), Means: "filter", Group: Arranging, Text: "filter the processes",
		Long: "show only processes that match: words, and comparisons such as sm<50; Esc shows all",
		On:   On(OnProcesses).Without(LikeNvitop)},
	{Bindings: of(SortBy), Means: "sort", Group: Arranging, Text: "sort: sn sp su sr sg ss …",
		Long: "sort: " + lettered(SortBy) + "; capital: reverse", On: On(OnProcesses).Without(LikeNvitop)},
	{Bindings: of(CommandLeft, CommandRight), Group: Moving, Each: commandTexts, Text: "scroll the commands",
		On: On(OnProcesses).Without(LikeNvitop)},
	{Bindings: of(CommandStart, CommandEnd), Group: Moving, Each: []string{"start of the commands",
		"end of the commands"}, Text: "their start / end", Long: "start / end of the commands", On: On(OnProcesses)},
	{Bindings: of(Tag), Group: Acting, Text: "tag, for signals to several",
		Long: "tag/untag and move down; Esc clears all tags", On: On(OnProcesses)},
	{Bindings: of(Widen, Narrow), Group: Arranging, Each: []string{"wider: more processes",
		"narrower: fewer processes"}, Text: "wider / narrower",
		Long: "scope: GPU → node → job → your jobs → everyone on those nodes", On: On(OnProcesses)},
	{Bindings: of(Tree), Group: Arranging, Text: "tree of processes",
		Long: "tree: also their parents and children on the node", On: On(OnProcesses)},
	{Bindings: of(Auto, Full, Compact), Keys: "by name", Group: Arranging, Each: aboveTexts,
		Text: "GPUs above: auto / on / off",
		Long: "GPUs above the processes: where there is room / always / never; found by name",
		On:   On(OnProcesses).Without(LikeNvitop)},
	{Bindings: of(Back), Means: "out", Group: Leaving, Text: "clear tags, filter; back",
		Long: "clear the tags, then the filter, then go back", On: On(OnProcesses)},
}

var (
	commandTexts = []string{"scroll the commands left", "scroll the commands right"}
	aboveTexts   = []string{Auto.Help().Desc, Full.Help().Desc, Compact.Help().Desc}
)

// lettered are the letters of the columns behind a prefix: "sn GPU, sp PID".
func lettered(by key.Binding) string {
	var words []string
	for i := range rows.Processes.Fields {
		if f := &rows.Processes.Fields[i]; f.Letter != 0 {
			words = append(words, by.Help().Key+string(f.Letter)+" "+f.Title)
		}
	}
	return strings.Join(words, ", ")
}
