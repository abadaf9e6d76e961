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
	{Bindings: of(RowUp, RowDown), Text: "select a process", On: On(OnProcesses)},
	{Bindings: of(RowsUp, RowsDown), Text: "page up / down", On: On(OnProcesses)},
	{Bindings: of(CommandLeft, CommandRight), Text: "scroll the commands", On: On(OnProcesses)},
	{Bindings: of(CommandStart, CommandEnd), Text: "their start / end", Long: "start / end of the commands",
		On: On(OnProcesses)},
	{Bindings: of(Tag), Text: "tag, for signals to several",
		Long: "tag the process, or take its tag away, and go to the next; Esc takes all away", On: On(OnProcesses)},
	{Bindings: of(SortBefore, SortAfter), Text: "sort by another column",
		Long: "sort by the previous / next column; a click on a heading sorts too", On: On(OnProcesses)},
	{Bindings: of(Reverse), Text: "reverse the order", On: On(OnProcesses)},
	{
		Bindings: of(SortBy), Text: "sort: on op ou or og os …", On: On(OnProcesses),
		Long: "sort: " + lettered() + "; capital: reverse",
	},
	{Bindings: of(FilterRows), Text: "filter",
		Long: "show only processes that match: words, and comparisons such as sm<50", On: On(OnProcesses)},
	{Bindings: of(Widen, Narrow), Text: "wider / narrower",
		Long: "wider / narrower: GPU, node, job, all your jobs, all on their nodes", On: On(OnProcesses)},
	{Bindings: of(Tree), Text: "tree of processes", Long: "tree: also their parents and children on the node",
		On: On(OnProcesses)},
	{Bindings: of(Auto, Full, Compact), Text: "GPUs above: auto / on / off",
		Long: "GPUs above the processes: where there is room / always / never", On: On(OnProcesses)},
	{Bindings: of(FreeMouse), Text: "mouse on / off", Long: "mouse support on / off; off lets the terminal select text",
		On: On(OnProcesses)},
	{Bindings: of(Back), Text: "clear tags, filter; back", Long: "clear the tags, then the filter, then go back",
		On: On(OnProcesses)},
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
