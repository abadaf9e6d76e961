package keys

import (
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/rows"
)

// The keys of the page of processes are nvitop's where it has them.
var (
	RowUp        = bind("↑ k", "select", "up", "k", "shift+tab", "alt+k")
	RowDown      = bind("↓ j", "select", "down", "j", "tab", "alt+j")
	RowsUp       = bind("PgUp", "page up", "pgup", "ctrl+u", "alt+shift+k")
	RowsDown     = bind("PgDn", "page down", "pgdown", "ctrl+d", "alt+shift+j")
	CommandLeft  = bind("←", "command", "left", "alt+h")
	CommandRight = bind("→", "command", "right", "alt+l")
	CommandStart = bind("^", "start", "^", "ctrl+a")
	CommandEnd   = bind("$", "end", "$", "ctrl+e")
	Tag          = bind("Space", "tag", "space")
	SortBefore   = bind(",", "sort", ",", "<")
	SortAfter    = bind(".", "sort", ".", ">")
	Reverse      = bind("/", "reverse", "/")
	SortBy       = bind("o", "sort by", "o")
	FilterRows   = bind("F \\", "filter", "F", "\\")
	Tree         = bind("t", "tree", "t")
	Auto         = bind("a", "auto", "a")
	Full         = bind("f", "full", "f")
	Compact      = bind("c", "compact", "c")
	Widen        = bind("w", "wider", "w")
	Narrow       = bind("W", "narrower", "W")
	FreeMouse    = bind("m", "mouse", "m")
)

var processRows = []Row{
	{Bindings: of(RowUp, RowDown), Group: Moving, Text: "select a process", On: On(OnProcesses)},
	{Bindings: of(RowsUp, RowsDown), Group: Moving, Each: []string{"page up", "page down"}, Text: "page up / down",
		On: On(OnProcesses)},
	{Bindings: of(CommandLeft, CommandRight), Group: Moving, Each: []string{"scroll the commands left",
		"scroll the commands right"}, Text: "scroll the commands", On: On(OnProcesses)},
	{Bindings: of(CommandStart, CommandEnd), Group: Moving,
		Each: []string{"start of the commands", "end of the commands"}, Text: "their start / end",
		Long: "start / end of the commands",
		On:   On(OnProcesses)},
	{Bindings: of(Tag), Group: Acting, Text: "tag, for signals to several",
		Long: "tag/untag and move down; Esc clears all tags", On: On(OnProcesses)},
	{Bindings: of(SortBefore, SortAfter), Group: Arranging, Each: []string{"sort by the previous column",
		"sort by the next column"}, Text: "sort by another column",
		Long: "sort by the previous / next column; a click on a heading sorts too", On: On(OnProcesses)},
	{Bindings: of(Reverse), Group: Arranging, Text: "reverse the order", On: On(OnProcesses)},
	{
		Bindings: of(SortBy), Group: Arranging, Text: "sort: on op ou or og os …", On: On(OnProcesses),
		Long: "sort: " + lettered() + "; capital: reverse",
	},
	{Bindings: of(FilterRows), Group: Arranging, Text: "filter",
		Long: "show only processes that match: words, and comparisons such as sm<50", On: On(OnProcesses)},
	{Bindings: of(Widen, Narrow), Group: Arranging,
		Each: []string{"wider: more processes", "narrower: fewer processes"}, Text: "wider / narrower",
		Long: "scope: GPU → node → job → your jobs → everyone on those nodes", On: On(OnProcesses)},
	{Bindings: of(Tree), Group: Arranging, Text: "tree of processes",
		Long: "tree: also their parents and children on the node",
		On:   On(OnProcesses)},
	{Bindings: of(Auto, Full, Compact), Group: Arranging, Each: []string{"GPUs above: where there is room",
		"GPUs above: always", "GPUs above: never"}, Text: "GPUs above: auto / on / off",
		Long: "GPUs above the processes: where there is room / always / never", On: On(OnProcesses)},
	{Bindings: of(FreeMouse), Group: Arranging, Text: "mouse on / off",
		Long: "mouse support on / off; off lets the terminal select text",
		On:   On(OnProcesses)},
	{Bindings: of(Back), Group: Leaving, Text: "clear tags, filter; back",
		Long: "clear the tags, then the filter, then go back",
		On:   On(OnProcesses)},
}

// lettered are the letters of the columns behind SortBy: "on GPU, op PID".
func lettered() string {
	var words []string
	for i := range rows.Processes.Fields {
		if f := &rows.Processes.Fields[i]; f.Letter != 0 {
			words = append(words, SortBy.Help().Key+string(f.Letter)+" "+f.Title)
		}
	}
	return strings.Join(words, ", ")
}
