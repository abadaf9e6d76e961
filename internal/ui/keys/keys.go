// Package keys is the single list of nvnodetop's keys. The keyboard, the footers, the palette and docs/KEYS.md all come
// from it.
//
// The rows of the list are also the table of actions: Actions turns the rows of a page into grouped actions, each with
// its key and its needs. To do an action, send Action.Do to the screen. It is the action's key, if it has one: an
// action never does more than its key. The code of the actions is in tables of the pages (package action). Package hint
// says which needs a scene does not meet, and why.
//
// A Binding's help is its name in a footer: the keys, as a screen writes them, and a verb. Movement keys have different
// meanings on different pages, so each row of the list names its pages. Nothing here changes after the start, so it may
// be read concurrently.
package keys

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"

	"github.com/nvnodetop/nvnodetop/internal/rows"
)

// The bindings, with Bubble Tea's names of the keys.
var (
	Up       = newBinding("↑ k", "up", "up", "k")
	Down     = newBinding("↓ j", "down", "down", "j")
	Left     = newBinding("←", "left", "left")
	Right    = newBinding("→", "right", "right")
	PageUp   = newBinding("PgUp", "page up", "pgup", "ctrl+u")
	PageDown = newBinding("PgDn", "page down", "pgdown", "ctrl+d")
	First    = newBinding("Home g", "first", "home", "g")
	Last     = newBinding("End G", "last", "end", "G")

	JobAbove = newBinding("↑ k K", "job", "up", "k", "K") // where there is no cursor
	JobBelow = newBinding("↓ j J", "job", "down", "j", "J")

	JobAboveCursor = newBinding("K", "job", "K") // beside a cursor, which has the arrows: keys of the bash script
	JobBelowCursor = newBinding("J", "job", "J")

	PrevJob     = newBinding("[", "job", "[")
	NextJob     = newBinding("]", "job", "]")
	PrevNode    = newBinding(",", "node", ",", "<")
	NextNode    = newBinding(".", "node", ".", ">")
	NextProblem = newBinding("n", "problem", "n")
	PrevProblem = newBinding("N", "previous problem", "N")

	Overview    = newBinding("o Tab", "overview", "o", "O", "tab")
	Open        = newBinding("Enter", "open", "enter")
	GPU         = newBinding("Enter", "GPU", "enter")
	Processes   = newBinding("p P", "procs", "p", "P")
	Connection  = newBinding("d", "connection", "d", "D")
	Problems    = newBinding("!", "problems", "!")
	Mine        = newBinding("a", "hide others", "a", "A")
	Grid        = newBinding("v", "view", "v", "V")
	Gauge       = newBinding("u", "metric", "u")
	Worst       = newBinding("s", "sort", "s")
	ReverseRows = newBinding("i", "reverse", "i")
	Filter      = newBinding("/", "filter", "/")
	Colors      = newBinding("C", "colors", "C")
	Ranks       = newBinding("m", "ranks", "m")
	Users       = newBinding("U", "users", "U")
	Cluster     = newBinding("c", "cluster", "c")
	Mouse       = newBinding("M", "mouse", "M")
	Refresh     = newBinding("r", "refresh", "r", "ctrl+r", "f5")
	Settings    = newBinding("F2", "settings", "f2")
	Back        = newBinding("Esc", "back", "esc")
	Help        = newBinding("? h", "all", "?", "h", "H", "f1")
	Palette     = newBinding(": Ctrl-P", "find", ":", "ctrl+p")
	Quit        = newBinding("q", "quit", "q", "Q", "f10")
	Interrupt   = newBinding("Ctrl-C", "quit", "ctrl+c") // on pages where q is text, or closes something, too
	Repaint     = newBinding("Ctrl-L", "redraw", "ctrl+l")
	Suspend     = newBinding("Ctrl-Z", "suspend", "ctrl+z")
)

// The keys of a prompt, which has the keyboard while it is open.
var (
	Keep   = newBinding("Enter", "keep", "enter")
	Cancel = newBinding("Esc", "clear", "esc")

	Complete     = newBinding("Tab", "complete", "tab")
	CompleteBack = newBinding("S-Tab", "complete", "shift+tab")
	Older        = newBinding("↑", "history", "up")
	Newer        = newBinding("↓", "history", "down")
)

func newBinding(shown, verb string, names ...string) key.Binding {
	return key.NewBinding(key.WithKeys(names...), key.WithHelp(shown, verb))
}

// unbound is an action without a key; users find it by its name.
func unbound(name string) key.Binding { return key.NewBinding(key.WithHelp("", name)) }

// Row is a line of docs/KEYS.md: a binding, or several that belong together.
type Row struct {
	Bindings []key.Binding
	Text     string        // in few words, for the palette
	Long     string        // where there is more room, and in docs/KEYS.md; "": as Text
	Keys     string        // replaces the keys that Shown names
	On       PageSelection // the pages with these keys; the zero Where: all

	Also     string   // other names that users may type for it, separated by commas
	EachAlso []string // the same for Each
	Subject  Subject  // what it acts on

	Means string // the meaning of the keys, where rows with one meaning have several texts; "": Text
	Group Group
	Each  []string     // texts of the bindings, where each is an action of its own
	Needs Need         // otherwise the keys have no effect
	Same  *key.Binding // a digit that leads to the same page; nil: there is none

	Slot Slot // for a row whose keys lead to a page; a row without keys marks where such rows go
}

// Slot is a place in the list for rows whose keys lead to pages.
type Slot uint8

// The slots.
const (
	Lists   Slot = iota + 1 // pages with rows
	Details                 // pages about less than a job
	Choices                 // pages about the screen itself
)

// list has all rows except those whose keys lead to pages.
var list = slices.Concat(numberRows, moving, nvitopRows, processRows, signalRows, inspectRows, logRows, stackRows,
	settingsRows, others, recordRows)

// moving are the keys that move; others are the remaining keys that belong to no single page.
var moving = []Row{
	{Bindings: bindingList(JobAbove, JobBelow), Group: Moving, Each: []string{"previous job", "next job"},
		Needs: NeedsJobs,
		Text:  "previous / next job", On: On(OnNode, OnConnection)},
	{Bindings: bindingList(JobAboveCursor, JobBelowCursor), Group: Moving,
		Each: []string{"previous job", "next job"}, Needs: NeedsJobs, Text: "previous / next job", On: On(OnOverview)},
	{Bindings: bindingList(Left, Right), Means: "sibling", Group: Moving, Each: []string{"previous node", "next node"},
		Needs: NeedsNodes,
		Text:  "previous / next node", On: On(OnNode, OnConnection)},
	{Bindings: bindingList(Up, Down), Group: Moving, Each: []string{"previous node", "next node"}, Needs: NeedsNodes,
		Text: "previous / next node", Long: "previous / next node, the GPU with the same number",
		On: On(OnGPU)},
	{Bindings: bindingList(Left, Right), Group: Moving, Each: []string{"previous GPU", "next GPU"}, Means: "sibling",
		Text: "previous / next GPU",
		On:   On(OnGPU)},
	{Bindings: bindingList(Up, Down), Group: Moving, Text: "move the cursor", On: With(HasCursor)},
	{Bindings: bindingList(Left, Right), Group: Moving, Means: "sibling", Text: "GPU of the node",
		Long: "GPU of the node; in the heat map, the next column", On: On(OnOverview)},
	{Bindings: bindingList(Up, Down), Group: Moving, Means: "scroll", Text: "scroll the pending jobs",
		On: On(OnNoJobs)},
	{Bindings: bindingList(Up, Down), Group: Moving, Each: []string{"scroll up", "scroll down"},
		Text: "scroll", On: On(OnReport)},
	{Bindings: bindingList(PageUp, PageDown), Group: Moving, Each: []string{"page up", "page down"},
		Text: "page up / down",
		Long: "page up / down, where a list is longer than the screen", On: Ordinary.Except(OnWaiting)},
	{Bindings: bindingList(First, Last), Group: Moving, Each: []string{"first", "last"}, Text: "first / last",
		On: With(HasCursor).And(OnConnection, OnProcesses, OnNoJobs, OnNode, OnGPU, OnReport)},
	{Bindings: bindingList(PrevJob, NextJob), Means: "job", Group: Moving, Each: []string{"previous job", "next job"},
		EachAlso: []string{"", "switch job, other job, change the job"},
		Needs:    NeedsJobs,
		Text:     "previous / next job", On: With(HasJob)},
	{
		Bindings: bindingList(PrevNode, NextNode), Means: "node", Group: Moving, Each: []string{"previous node", "next node"},
		Needs: NeedsNodes, Text: "previous / next node",
		Long: "previous / next node; on lists, its first row; the node is remembered for each job",
		On:   With(HasNode),
	},
}

var others = []Row{
	{Bindings: bindingList(NextProblem, PrevProblem), Group: Moving, Each: []string{"next problem", "previous problem"},
		EachAlso: []string{"next warning, next error", "previous warning, previous error"},
		Needs:    NeedsProblem, Text: "next / prev problem",
		Long: "next / previous problem; in this job, or the next job that has one", On: With(HasJob).Except(OnLog)},
	{Slot: Lists},
	{Bindings: bindingList(Open), Group: Looking, Means: "into", Text: "open the node or the GPU", On: On(OnOverview),
		Subject: OfRow},
	{Bindings: bindingList(Open), Group: Looking, Means: "into", Text: "open the node",
		Long: "open the node, with its last values if it is dead", Subject: OfRow, On: On(OnConnection)},
	{Bindings: bindingList(Open), Group: Looking, Means: "into", Text: "open the GPU or the node",
		Subject: OfRow, On: On(OnProblems, OnRanks)},
	{Bindings: bindingList(Open), Group: Looking, Means: "into", Text: "open the job",
		Long: "open the job: its nodes, the report of one that has ended, why one waits", Subject: OfRow,
		On: On(OnJobs)},
	{Bindings: bindingList(Open), Group: Looking, Means: "into", Text: "processes of the user",
		Long: "processes of the user, on all nodes of your jobs", Subject: OfRow,
		On: On(OnUsers)},
	{Bindings: bindingList(Open), Group: Looking, Means: "into", Text: "open the partition or node",
		Long: "nodes of the partition; a node of your jobs", Subject: OfRow, On: On(OnCluster)},
	{Slot: Details},
	{Bindings: bindingList(Mine), Group: Arranging, Needs: NeedsSharing, Text: "hide other jobs' GPUs",
		Also: "mine, only mine, my gpus, others",
		Long: "hide or show GPUs of other jobs", On: With(HasGPUs)},
	{Bindings: bindingList(Grid), Group: Arranging, Means: "view", Text: "table / heat map / time",
		Long: "table, heat map, or nodes over time: the lowest GPU of each node in the last 10 minutes",
		Also: "heatmap, graph, chart, plot, over time, timeline", On: On(OnOverview)},
	{Bindings: bindingList(Grid), Group: Arranging, Means: "view", Text: "graphs of the GPUs / host / steps",
		Long: "graphs of the GPUs, of the host (CPU, load, memory, swap), or of the steps and the loss in the log",
		Also: "graph, chart, plot, load, swap", On: On(OnNode)},
	{Bindings: bindingList(Grid), Group: Arranging, Means: "view", Text: "partitions / nodes",
		Long: "GPUs by partition, with your pending jobs, or by node; for admins jobs of all users, idle GPUs",
		On:   On(OnCluster)},
	{
		Bindings: bindingList(Gauge), Group: Arranging, Text: "metric shown in the cells", On: On(OnOverview),
		Also: "gauge, metrics, what the cells show",
		Long: "metric shown in the cells: utilization, power, SM clock, memory, temperature",
	},
	{Bindings: bindingList(Worst), Group: Arranging, Means: "sort", Text: "sort: name / worst first", On: On(OnOverview)},
	{Bindings: bindingList(Worst), Group: Arranging, Means: "sort", Text: "sort the ranks", Long: rankOrders(),
		On: On(OnRanks)},
	{Bindings: bindingList(Worst), Group: Arranging, Means: "sort", Text: "sort the jobs",
		Long: "sort: id, worst problem first, lowest utilization first, least time left first", On: On(OnJobs)},
	{Bindings: bindingList(Worst), Group: Arranging, Means: "sort", Text: "sort the users",
		Long: "sort: most GPUs first, most GPU memory first, longest first, name", On: On(OnUsers)},
	{Bindings: bindingList(Worst), Group: Arranging, Means: "sort", Text: "sort the GPUs",
		Long: "sort: name, most free first, most used first", On: On(OnCluster)},
	{Bindings: bindingList(Worst), Group: Arranging, Means: "sort", Text: "sort the problems",
		Long: "sort: worst first, by node, newest first",
		On:   On(OnProblems)},
	{Bindings: bindingList(SortBefore, SortAfter), Group: Arranging, Each: []string{"sort by the previous column",
		"sort by the next column"}, Means: "sibling", Text: "sort by another column",
		Long: "sort by the previous / next column; a click on a heading sorts too", On: With(HasOrders)},
	{Bindings: bindingList(ReverseRows), Group: Arranging, Text: "reverse the order", On: With(HasOrders)},
	{
		Bindings: bindingList(Filter), Group: Arranging, Means: "filter", Text: "filter the rows",
		Also: "search, grep, find, show only, where",
		On:   With(HasFilter).Except(OnProcesses),
		Long: "show only rows with these words or numbers: train util<50 node~n0[1-4]; Tab completes, Enter keeps, " +
			"Esc clears",
	},
	{Bindings: bindingList(Colors), Group: Arranging, Text: "colors: job / classic",
		Also: "color, traffic lights, green",
		Long: "colors: job (amber = warning) or classic (green, yellow, red); remembered"},
	{Slot: Choices},
	{Bindings: bindingList(Help), Group: Looking, Text: "all that can be done here",
		Also: "help, keys, shortcuts, key bindings, legend, marks, manual",
		Long: "all that can be done here, and what marks and colors mean; typing filters it, Enter runs it"},
	{Bindings: bindingList(Palette), Group: Looking, Text: "find anything, do anything",
		Also: "palette, commands",
		Long: "find an action, page, job, node, rank, PID, user or setting by a part of its name, and go there"},
	{Bindings: bindingList(Mouse), Group: Arranging, Text: "mouse on / off", Also: "select text, touchpad",
		Long: "mouse support on / off; off lets the terminal select text",
		On:   Without(LikeNvitop)},
	{Bindings: bindingList(Refresh), Group: Acting, Text: "refresh jobs, retry nodes",
		Also: "reload, update, reconnect, try again",
		Long: "query SLURM and retry failed nodes now"},
	{Bindings: bindingList(Back), Group: Leaving, Means: "out", Text: "back",
		Long: "clear the filter, then go back to where you came from: the footer names the page",
		On:   Ordinary.Except(OnProcesses)},
	{Bindings: bindingList(Quit), Group: Leaving, Text: "quit", Also: "exit, close, leave, bye",
		On: Without(OfOneProcess)},
	{Bindings: bindingList(Interrupt), Group: Leaving, Text: "quit, from anywhere"},
	{Bindings: bindingList(Repaint), Group: Arranging, Text: "redraw the screen", Also: "repaint, garbage, clear"},
	{Bindings: bindingList(Suspend), Group: Leaving, Text: "suspend (fg resumes)", Also: "background"},
}

// rankOrders are "sort: rank, lowest %CPU first, …".
func rankOrders() string {
	text := "sort: rank"
	for _, f := range rows.RankOrders {
		first := ", highest "
		if f.Pace {
			first = ", lowest "
		}
		text += first + f.Title + " first"
	}
	return text
}

// Rows returns all rows, with the rows of pages in their slots.
func Rows(pages []Row) (all []Row) {
	for _, r := range list {
		if len(r.Bindings) > 0 {
			all = append(all, r)
			continue
		}
		for _, to := range pages {
			if to.Slot == r.Slot {
				all = append(all, to)
			}
		}
	}
	return all
}

func bindingList(bindings ...key.Binding) []key.Binding { return bindings }

// Shown returns the keys of a row as docs/KEYS.md writes them: "↑ k / ↓ j".
func (r *Row) Shown() string {
	if r.Keys != "" {
		return r.Keys
	}
	var names []string
	for _, b := range r.Bindings {
		names = append(names, b.Help().Key)
	}
	return strings.Join(names, " / ")
}

// HelpOf returns the rows that a page has.
func HelpOf(rows []Row, page Page, has Has) []Row {
	return slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return !r.On.Is(page, has) })
}

// Hint is a piece of a footer: a key, or several that belong together, and a verb.
type Hint struct{ Key, Verb string }

// HintOf returns the hint of bindings that belong together, with the verb of the first: "[] job".
func HintOf(bindings ...key.Binding) Hint {
	h := Hint{Verb: bindings[0].Help().Desc}
	for _, b := range bindings {
		name, _, _ := strings.Cut(b.Help().Key, " ")
		h.Key += name
	}
	return h
}

// Name is the name of a key in a sentence: the first of an action's keys, as a screen writes it.
func Name(action key.Binding) string { return HintOf(action).Key }

// PageName names a page and its digit in a sentence: "processes (5)".
func PageName(to key.Binding) string { return to.Help().Desc + " (" + Name(to) + ")" }

// As returns the hint with another verb.
func (h Hint) As(verb string) Hint { return Hint{h.Key, verb} }

// At returns the hint with another key.
func (h Hint) At(key string) Hint { return Hint{key, h.Verb} }

// Hints that several pages have.
var (
	Job     = HintOf(JobAbove, JobBelow)
	Node    = HintOf(Left, Right).As("node") // without a cursor
	NextGPU = HintOf(Left, Right).As("GPU")  // on the page of a GPU

	NodeDown = HintOf(Up, Down).As("node") // likewise
	Jobs     = HintOf(PrevJob, NextJob)
	Problem  = HintOf(NextProblem)
)
