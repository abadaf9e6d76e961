// Package keys is the one list of the keys of nvnodetop. The keyboard, the footers, the help and the table in README.md all come from it.
//
// A Binding's help is how a footer names it: the key, or the keys, as a screen writes them, and a verb. Nothing here changes after the
// start, so it may be read concurrently.
package keys

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
)

// The bindings, by the names that Bubble Tea gives to keys. Letters work in both cases; C does not, as c is too easily pressed on the
// way to Ctrl-C.
var (
	PrevJob   = bind("↑ k", "job", "up", "k", "K")
	NextJob   = bind("↓ j", "job", "down", "j", "J")
	PrevNode  = bind("← ,", "node", "left", ",", "<")
	NextNode  = bind("→ .", "node", "right", ".", ">")
	Overview  = bind("o Tab", "overview", "o", "O", "tab")
	Open      = bind("Enter", "open", "enter")
	Processes = bind("p", "procs", "p", "P")
	Doctor    = bind("d", "doctor", "d", "D")
	Mine      = bind("a", "only mine", "a", "A")
	Grid      = bind("v", "heat map", "v", "V")
	Worst     = bind("s", "worst first", "s", "S")
	Filter    = bind("/", "filter", "/")
	Colours   = bind("C", "colours", "C")
	Refresh   = bind("r", "refresh", "r", "R")
	Back      = bind("Esc", "back", "esc")
	Help      = bind("? h", "help", "?", "h", "H")
	Quit      = bind("q", "quit", "q", "Q", "ctrl+c")
	Repaint   = bind("Ctrl-L", "draw anew", "ctrl+l")
	Suspend   = bind("Ctrl-Z", "suspend", "ctrl+z")
)

// The keys of a prompt, which has the keyboard while it is open.
var (
	Keep   = bind("Enter", "keep", "enter")
	Cancel = bind("Esc", "clear", "esc")
	Abort  = bind("Ctrl-C", "quit", "ctrl+c") // of Quit's keys the one that is not text
)

func bind(shown, verb string, names ...string) key.Binding {
	return key.NewBinding(key.WithKeys(names...), key.WithHelp(shown, verb))
}

// Row is a line of the help: a binding, or two that belong together.
type Row struct {
	Bindings []key.Binding
	Text     string // in the help; "": it is not there
	Long     string // in README.md, which has more room; "": as Text
	Of       string // the page whose help has it; "": every page's
}

// Rows is the list.
var Rows = []Row{
	{Bindings: of(PrevJob, NextJob), Text: "previous / next job"},
	{Bindings: of(PrevNode, NextNode), Text: "previous / next node", Long: "previous / next node; the node is remembered per job"},
	{Bindings: of(Overview), Text: "overview", Long: "overview of all nodes"},
	{Bindings: of(Open), Text: "open the node"},
	{Bindings: of(Processes), Text: "processes"},
	{Bindings: of(Doctor), Text: "how the node is reached", Long: "the way to this node, stage by stage"},
	{Bindings: of(Mine), Text: "only my GPUs", Long: "hide the GPUs of other jobs"},
	{Bindings: of(Grid), Text: "rows / heat map"},
	{Bindings: of(Worst), Text: "worst first", Long: "worst nodes first"},
	{
		Bindings: of(Filter), Text: "filter nodes by name", Of: "overview",
		Long: "in the overview: only nodes whose names have all these words in them; `Enter` keeps the filter, `Esc` clears it",
	},
	{Bindings: of(Colours), Text: "colours: job / classic", Long: "colours: amber means look, or the classic green, yellow, red; remembered"},
	{Bindings: of(Refresh), Text: "ask SLURM, retry nodes", Long: "ask SLURM now, try failed nodes now"},
	{Bindings: of(Back), Text: "back"},
	{Bindings: of(Help, Quit), Text: "help / quit"},
	{Bindings: of(Repaint), Long: "draw the screen anew"},
	{Bindings: of(Suspend), Long: "suspend"},
}

func of(bindings ...key.Binding) []key.Binding { return bindings }

// Shown is how the help names the keys of a row: "↑ k / ↓ j".
func (r *Row) Shown() string {
	var names []string
	for _, b := range r.Bindings {
		names = append(names, b.Help().Key)
	}
	return strings.Join(names, " / ")
}

// HelpOf is the rows of a page's help.
func HelpOf(page string) []Row {
	return slices.DeleteFunc(slices.Clone(Rows), func(r Row) bool { return r.Text == "" || r.Of != "" && r.Of != page })
}

// Hint is a key, or several that belong together, and what it does: a piece of a footer.
type Hint struct{ Key, Verb string }

// HintOf is the hint of bindings that belong together, with the verb of the first: "↑↓ job".
func HintOf(bindings ...key.Binding) Hint {
	h := Hint{Verb: bindings[0].Help().Desc}
	for _, b := range bindings {
		name, _, _ := strings.Cut(b.Help().Key, " ")
		h.Key += name
	}
	return h
}

// As is the hint with another verb, where the key does something else.
func (h Hint) As(verb string) Hint { return Hint{h.Key, verb} }

// Hints of what most pages have.
var (
	Job  = HintOf(PrevJob, NextJob)
	Node = HintOf(PrevNode, NextNode)
)
