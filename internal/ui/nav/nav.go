// Package nav has the messages between pages and their caller: Wants, Answer, Go, Ask and Result. It also has the
// cursor of a list.
//
// Nothing here draws. A Cursor belongs to the page that has it, and to one goroutine.
package nav

import (
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Wants is a page's demand on the rest of the program.
type Wants struct {
	// the job's nodes that can be selected, in the order in which the keys go through them; nil: all, in SLURM's
	Order     []string
	Selected  bool // the selected node alone is looked at
	Processes bool // of the selected node

	Everywhere bool // the processes of all nodes
}

// Answer is a page's answer to a key, a paste or the mouse. The zero Answer means that the message is not for this
// page.
type Answer struct {
	Taken bool // nobody else looks at the message
	Go         // where it leads

	Ask  []Ask  // send these requests; each brings a Result
	Copy string // into the clipboard of the user's terminal

	// Still asks for Scene.Still: a key that answers a question counts only from then on. Before that nobody can have
	// read the question, and the key is another one's, or part of a paste.
	Still bool

	Notice string // stands in place of the footer until the next key
}

// Taken answers a message that changed only the page.
var Taken = Answer{Taken: true}

// Go is the destination of an answer: a page, and the selection there. The zero Go leads nowhere.
type Go struct {
	Page    keys.Page // "": the one that is on
	Job     string    // its ID; "": the selected one
	Node    string    // of that job; "": the selected one
	GPU     string    // on the page of one: its key; "": the one with the worst problem
	Process *Process  // on the page of processes: the one under the cursor; nil: that of the cursor until now
	Filter  string    // on the page of processes: those of all nodes that match; "": all of the scope
	Key     tea.Msg   // the page answers this key too, if it lists the process; nil: none
}

// To answers a message that leads to another page.
func To(g Go) Answer { return Answer{Taken: true, Go: g} }

// Start is the page on which a job of so many nodes begins.
func Start(nodes int) keys.Page {
	if nodes > 1 {
		return keys.OnOverview
	}
	return keys.OnNode
}

// Process names a process on a GPU: its node, what identifies it there, and the index of the GPU.
type Process struct {
	Node string
	wire.ProcessID
	GPU int
}

// Ask is a request to the probe of a node, or one to SLURM.
type Ask struct {
	Node    string
	Request wire.Request
	Cancel  *Cancel // to SLURM; Node and Request do not count then
}

// Cancel asks SLURM to end a job, or to send a signal to it.
type Cancel struct {
	Job    string // its ID, as squeue prints it
	Signal string // "TERM", "USR1"; "": end the job
}

// Result is the message with the result of an Ask. It goes to the page that has asked, even when another page is on the
// screen.
type Result struct {
	Ask
	Reply wire.Reply // may be a refusal; its strings are as the node sent them: clean them before they go to a screen
	Err   error      // there is no reply; of a Cancel: why SLURM did not do it, nil if it did
}
