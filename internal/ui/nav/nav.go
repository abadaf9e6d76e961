// Package nav has the messages between pages and their caller: Wants, Answer, Go, Ask and Result. It also has the
// cursor of a list. It also gives the actions of package keys their code.
//
// Nothing here draws. A Cursor belongs to one page, and to one goroutine.
package nav

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/hang/nccl"
	"github.com/nvnodetop/nvnodetop/internal/hang/nccl/ask"
	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/slurm/capacity"
	"github.com/nvnodetop/nvnodetop/internal/slurm/queue"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// Wants is what a page needs from the rest of the program.
type Wants struct {
	// the job's selectable nodes, in the order in which the keys go through them; nil: all nodes, in SLURM's order
	Order     []string
	Selected  bool // the page shows only the selected node
	Processes bool // the processes of the selected node

	Everywhere bool // the processes of all nodes
	Jobs       bool // new answers from SLURM about the jobs
}

// Answer is a page's answer to a key, a paste or the mouse. The zero Answer means that the message is not for this
// page.
type Answer struct {
	Taken bool // nobody else gets the message
	Go         // the destination

	Ask  []Ask  // send these requests; each brings a Result
	Copy string // text for the clipboard of the user's terminal

	// Still asks for Scene.Still: only from then on can a key answer a question. Before, nobody can have read the
	// question, so a key was meant for something else, or is part of a paste.
	Still bool

	Do []tea.Msg // done next, on the page below the palette: keys, or actions without one

	Notice string // shown in place of the footer until the next key

	Stacks *rankstacks.Verdict // what the ranks of a job do, for other outputs
}

// Taken answers a message that changed only the page.
var Taken = Answer{Taken: true}

// Go is the destination of an answer: a page, and the selection there. The zero Go leads nowhere.
type Go struct {
	Page    keys.Page // "": the present page
	Job     string    // ID of the job; "": the selected one
	Node    string    // a node of that job; "": the selected one
	GPU     string    // key of a GPU, for its page; "": the GPU with the worst problem
	Process *Process  // for the page of processes: the process under the cursor; nil: unchanged
	Filter  string    // for the page of processes: a filter over all nodes; "": all processes of the scope
	Key     tea.Msg   // a key that the page then also answers, if it lists the process; nil: none
	At      time.Time // for the page of the log: the time to show; zero: its end
	Log     string    // for the page of the log: ID of a job that may have ended, or wait; "": the selected one
	Report  string    // for the page of the report: ID of a job that has ended
	// on the pages of settings, jobs and the overview: the name of what is chosen; on that of a waiting job: its ID; on
	// that of ranks: the column that sorts them; "": nothing is
	Choice string
}

// To answers a message that leads to another page.
func To(g Go) Answer { return Answer{Taken: true, Go: g} }

// Start is the first page for a job with this many nodes.
func Start(nodes int) keys.Page {
	if nodes > 1 {
		return keys.OnOverview
	}
	return keys.OnNode
}

// Process identifies a process on a GPU: its node, its ID there, and the index of the GPU.
type Process struct {
	Node string
	wire.ProcessID
	GPU int
}

// Ask is a request to the probe of a node, or to SLURM.
type Ask struct {
	Node    string
	Request wire.Request
	Cancel  *Cancel // a request to SLURM; Node and Request are then ignored

	Log *joblog.Query // a question for a piece of a job's log; likewise

	Cluster *Cluster // a question for the GPUs of the cluster; likewise

	NCCL *NCCL // a question to the library of a job; likewise

	Report *Report // a request for the report of a job; likewise

	Waiting *Waiting // a question why a job waits; likewise
}

// Cancel asks SLURM to end a job, or to send a signal to it.
type Cancel struct {
	Job    string // ID of the job, as squeue prints it
	Signal string // "TERM", "USR1"; "": the job ends
}

// Cluster asks for the GPUs that SLURM can give to jobs.
type Cluster struct {
	Fresh bool // the user wants a new answer
}

// NCCL asks NCCL's RAS about a job.
type NCCL struct {
	Job    string       // ID
	Places []nccl.Place // its processes
}

// Report asks for the report of a job that has ended.
type Report struct {
	Job string // ID
}

// Waiting asks SLURM why a job waits.
type Waiting struct {
	Job string // ID
}

// Result is the message with the result of an Ask. It goes to the page that asked, even if another page is on the
// screen by then.
type Result struct {
	Ask
	Log     joblog.Piece
	GPUs    *capacity.Cluster // for a Cluster
	Verdict *ask.Result       // for an NCCL
	Report  *report.Report    // for a Report
	Wait    *queue.Wait       // for a Waiting
	Reply   wire.Reply        // may be a refusal; clean its strings before drawing them: they are unchecked
	Err     error             // why there is no reply; for a Cancel, why SLURM did not do it, nil if it did
}
