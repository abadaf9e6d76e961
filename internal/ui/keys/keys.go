// Package keys is the one list of the keys of nvnodetop. The keyboard, the footers, the help and the table in README.md
// all come from it.
//
// A Binding's help is its name in a footer: the key, or the keys, as a screen writes them, and a verb. Keys that move
// mean different things on different pages, so a row of the list says which pages it is for. Nothing here changes after
// the start, so it may be read concurrently.
package keys

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
)

// The bindings, with Bubble Tea's names of the keys. Letters work in both cases, except C (c is too close to Ctrl-C),
// J, K, G, M, N, P, S and U.
var (
	Up       = bind("↑ k", "up", "up", "k")
	Down     = bind("↓ j", "down", "down", "j")
	Left     = bind("←", "left", "left")
	Right    = bind("→", "right", "right")
	PageUp   = bind("PgUp", "page up", "pgup", "ctrl+u")
	PageDown = bind("PgDn", "page down", "pgdown", "ctrl+d")
	First    = bind("Home g", "first", "home", "g")
	Top      = bind("Home", "first", "home") // where g opens a GPU
	Last     = bind("End G", "last", "end", "G")

	PrevJob     = bind("[", "job", "[")
	NextJob     = bind("]", "job", "]")
	PrevNode    = bind(",", "node", ",", "<")
	NextNode    = bind(".", "node", ".", ">")
	NextProblem = bind("n", "next problem", "n")
	PrevProblem = bind("N", "previous problem", "N")

	Overview    = bind("o Tab", "overview", "o", "O", "tab")
	Open        = bind("Enter", "open", "enter")
	GPU         = bind("Enter g", "GPU", "enter", "g")
	Processes   = bind("p", "procs", "p")
	Manager     = bind("P", "processes", "P")
	Doctor      = bind("d", "connection", "d", "D")
	Problems    = bind("!", "problems", "!")
	Mine        = bind("a", "hide others", "a", "A")
	Grid        = bind("v", "heat map", "v", "V")
	Gauge       = bind("u", "metric", "u")
	Time        = bind("t", "time", "t", "T")
	Worst       = bind("s", "sort", "s")
	ReverseRows = bind("i", "reverse", "i")
	Filter      = bind("/", "filter", "/")
	Colors      = bind("C", "colors", "C")
	Ranks       = bind("m", "ranks", "m")
	AllJobs     = bind("J", "jobs", "J")
	Users       = bind("U", "users", "U")
	Mouse       = bind("M", "mouse", "M")
	Refresh     = bind("r", "refresh", "r", "R", "ctrl+r", "f5")
	Settings    = bind("F2", "settings", "f2")
	Back        = bind("Esc", "back", "esc")
	Help        = bind("? h", "help", "?", "h", "H", "f1")
	Quit        = bind("q", "quit", "q", "Q", "f10")
	Interrupt   = bind("Ctrl-C", "quit", "ctrl+c") // also where q is text, or closes something
	Repaint     = bind("Ctrl-L", "redraw", "ctrl+l")
	Suspend     = bind("Ctrl-Z", "suspend", "ctrl+z")
)

// The keys of a prompt, which has the keyboard while it is open.
var (
	Keep   = bind("Enter", "keep", "enter")
	Cancel = bind("Esc", "clear", "esc")

	Complete     = bind("Tab", "complete", "tab")
	CompleteBack = bind("S-Tab", "complete", "shift+tab")
	Older        = bind("↑", "history", "up")
	Newer        = bind("↓", "history", "down")
)

func bind(shown, verb string, names ...string) key.Binding {
	return key.NewBinding(key.WithKeys(names...), key.WithHelp(shown, verb))
}

// Page is a page that has keys of its own, by its name in the help.
type Page string

// The pages.
const (
	OnNode      Page = "node view"
	OnOverview  Page = "overview"
	OnGPU       Page = "GPU"
	OnDoctor    Page = "connection details"
	OnProblems  Page = "problems"
	OnRanks     Page = "ranks"
	OnProcesses Page = "processes"
	OnEnviron   Page = "environment"
	OnMetrics   Page = "process metrics"
	OnJobs      Page = "jobs"
	OnUsers     Page = "users"
	OnSettings  Page = "settings"
	OnNoJobs    Page = "no running jobs"
)

// Row is a line of the help: a binding, or two that belong together.
type Row struct {
	Bindings []key.Binding
	Text     string // in the help
	Long     string // where there is more room: README.md, the help of a wide terminal; "": as Text
	On       []Page // the pages that have these keys; nil: all
}

// Rows is the list.
var Rows = slices.Concat(moving, processRows, signalRows, inspectRows, settingsRows, rows, recordRows)

// moving are the keys that move, and rows the others that are not those of one page.
var moving = []Row{
	{Bindings: of(Up, Down), Text: "previous / next job", On: on(OnNode, OnDoctor)},
	{Bindings: of(Left, Right), Text: "previous / next node", On: on(OnNode, OnDoctor)},
	{Bindings: of(Up, Down), Text: "previous / next node", Long: "previous / next node, the GPU with the same number",
		On: on(OnGPU)},
	{Bindings: of(Left, Right), Text: "previous / next GPU", On: on(OnGPU)},
	{Bindings: of(Up, Down), Text: "move the cursor", On: on(OnOverview, OnProblems, OnRanks, OnJobs, OnUsers,
		OnSettings)},
	{Bindings: of(Left, Right), Text: "next column of the map",
		Long: "move the cursor to the next column of the heat map", On: on(OnOverview)},
	{Bindings: of(Up, Down), Text: "scroll the pending jobs", On: on(OnNoJobs)},
	{Bindings: of(PageUp, PageDown), Text: "page up / down",
		Long: "page up / down, where a list is longer than the screen", On: ordinary},
	{Bindings: of(First, Last), Text: "first / last", On: on(OnOverview, OnDoctor, OnProblems, OnRanks, OnProcesses,
		OnJobs, OnUsers, OnSettings, OnNoJobs)},
	{Bindings: of(Top, Last), Text: "first / last", On: on(OnNode, OnGPU)},
	{Bindings: of(PrevJob, NextJob), Text: "previous / next job", On: everyJob},
	{
		Bindings: of(PrevNode, NextNode), Text: "previous / next node",
		Long: "previous / next node; the node is remembered for each job",
		On:   on(OnNode, OnGPU, OnDoctor, OnOverview),
	},
}

var rows = []Row{
	{Bindings: of(NextProblem, PrevProblem), Text: "next / prev problem",
		Long: "next / previous problem; in this job, or the next job that has one", On: everyJob},
	{Bindings: of(Problems), Text: "all problems", Long: "all problems of the job, worst first", On: toProblems},
	{Bindings: of(Ranks), Text: "ranks of the job",
		Long: "ranks of the job: the processes of all its nodes in one list", On: withJob},
	{Bindings: of(AllJobs), Text: "all jobs", Long: "all jobs: running, pending, and just ended", On: lists},
	{Bindings: of(Users), Text: "users", Long: "users: who holds what on the nodes of your jobs", On: lists},
	{Bindings: of(Overview), Text: "overview / node view", Long: "overview of all nodes / node view; remembered",
		On: toOverview},
	{Bindings: of(Open), Text: "open the node", On: on(OnOverview)},
	{Bindings: of(Open), Text: "open the GPU or the node", On: on(OnProblems, OnRanks)},
	{Bindings: of(Open), Text: "open the job", On: on(OnJobs)},
	{Bindings: of(Open), Text: "processes of the user", Long: "processes of the user, on all nodes of your jobs",
		On: on(OnUsers)},
	{Bindings: of(GPU), Text: "one GPU in full", Long: "one GPU in full: the first with a problem", On: on(OnNode)},
	{Bindings: of(Processes), Text: "processes", Long: "show or hide the node's processes", On: withJob},
	{Bindings: of(Manager), Text: "process manager",
		Long: "process manager: the processes of the GPU, the node or the job", On: everyJob},
	{Bindings: of(Doctor), Text: "connection details", Long: "connection details, stage by stage", On: withJob},
	{Bindings: of(Mine), Text: "hide other jobs' GPUs", Long: "hide or show GPUs of other jobs", On: withGPUs},
	{Bindings: of(Grid), Text: "table / heat map", On: on(OnOverview)},
	{Bindings: of(Time), Text: "nodes over time",
		Long: "nodes over time: the lowest GPU of each node in the last 10 minutes", On: on(OnOverview)},
	{
		Bindings: of(Gauge), Text: "metric of the cells", On: on(OnOverview),
		Long: "metric of the cells: utilization, power, SM clock, memory, temperature",
	},
	{Bindings: of(Worst), Text: "sort: name / worst first", On: on(OnOverview)},
	{Bindings: of(Worst), Text: "sort the ranks",
		Long: "sort: rank, lowest %SM first, lowest %CPU first, highest GPU memory first", On: on(OnRanks)},
	{Bindings: of(Worst), Text: "sort the jobs",
		Long: "sort: id, worst problem first, lowest utilization first, least time left first", On: on(OnJobs)},
	{Bindings: of(Worst), Text: "sort the users",
		Long: "sort: most GPUs first, most GPU memory first, longest first, name", On: on(OnUsers)},
	{Bindings: of(Worst), Text: "sort the problems", Long: "sort: worst first, by node, newest first", On: on(OnProblems)},
	{Bindings: of(SortBefore, SortAfter), Text: "sort by another column",
		Long: "sort by the previous / next column; a click on a heading sorts too", On: sorted},
	{Bindings: of(ReverseRows), Text: "reverse the order", On: sorted},
	{
		Bindings: of(Filter), Text: "filter the rows", On: on(OnNode, OnOverview, OnRanks, OnProblems, OnJobs, OnUsers),
		Long: "show only rows with these words or numbers: train util<50 node~n0[1-4]; Tab completes, Enter keeps, " +
			"Esc clears",
	},
	{Bindings: of(Colors), Text: "colors: job / classic",
		Long: "colors: job (amber = warning) or classic (green, yellow, red); remembered"},
	{Bindings: of(Settings), Text: "settings", Long: "settings: theme, colors, thresholds, columns", On: configured},
	{Bindings: of(Mouse), Text: "mouse on / off", Long: "mouse support on / off; off lets the terminal select text",
		On: ordinary},
	{Bindings: of(Refresh), Text: "refresh jobs, retry nodes", Long: "query SLURM and retry failed nodes now"},
	{Bindings: of(Back), Text: "back, one level up", Long: "go back: closes help or details, then node view → overview",
		On: ordinary},
	{Bindings: of(Help, Quit), Text: "help / quit", Long: "help / quit; in the help both close it", On: configured},
	{Bindings: of(Interrupt), Text: "quit, from anywhere"},
	{Bindings: of(Repaint), Text: "redraw the screen"},
	{Bindings: of(Suspend), Text: "suspend (fg resumes)"},
}

// withJob are the pages that show a job or select one, but for those whose keys are nvitop's, withGPUs those of them
// that show its GPUs, and everyJob all that do. others are all but those, and ordinary are they and the settings. lists
// are all but the pages about one process, and configured are they and the settings. toProblems and toOverview are
// those from which a key leads there: without a job there is nothing to see.
var (
	withGPUs = on(OnNode, OnGPU, OnOverview)
	withJob  = append(slices.Clone(withGPUs), OnDoctor, OnProblems, OnRanks, OnJobs)
	everyJob = append(slices.Clone(withJob), OnProcesses)
	others   = append(slices.Clone(withJob), OnUsers, OnNoJobs)
	lists    = append(slices.Clone(everyJob), OnUsers, OnNoJobs)

	sorted     = on(OnProblems, OnRanks, OnJobs, OnUsers)
	ordinary   = append(slices.Clone(others), OnSettings)
	configured = append(slices.Clone(lists), OnSettings)

	toProblems = append(slices.Clone(everyJob), OnUsers)
	toOverview = append(slices.Clone(withJob), OnUsers)
)

func on(pages ...Page) []Page { return pages }

func of(bindings ...key.Binding) []key.Binding { return bindings }

// Shown names the keys of a row as the help does: "↑ k / ↓ j".
func (r *Row) Shown() string {
	var names []string
	for _, b := range r.Bindings {
		names = append(names, b.Help().Key)
	}
	return strings.Join(names, " / ")
}

// HelpOf returns the rows of a page's help.
func HelpOf(p Page) []Row {
	return slices.DeleteFunc(slices.Clone(Rows), func(r Row) bool { return r.On != nil && !slices.Contains(r.On, p) })
}

// Hint is a piece of a footer: a key, or several that belong together, and a verb.
type Hint struct{ Key, Verb string }

// HintOf is the hint of bindings that belong together, with the verb of the first: "[] job".
func HintOf(bindings ...key.Binding) Hint {
	h := Hint{Verb: bindings[0].Help().Desc}
	for _, b := range bindings {
		name, _, _ := strings.Cut(b.Help().Key, " ")
		h.Key += name
	}
	return h
}

// As is the hint with another verb.
func (h Hint) As(verb string) Hint { return Hint{h.Key, verb} }

// Hints that several pages have.
var (
	Job     = HintOf(Up, Down).As("job")     // where there is no cursor
	Node    = HintOf(Left, Right).As("node") // where there is no cursor
	NextGPU = HintOf(Left, Right).As("GPU")  // on the page of a GPU

	NodeDown = HintOf(Up, Down).As("node") // likewise
	Jobs     = HintOf(PrevJob, NextJob)
	Problem  = HintOf(NextProblem)
)
