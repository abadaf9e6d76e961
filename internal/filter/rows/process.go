package rows

import (
	"slices"
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/filter"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// ProcessFields are the fields of a process on a GPU, and of that GPU.
var ProcessFields = filter.Of(slices.Concat(
	[]filter.Key{
		filter.User, filter.PID, filter.Rank, filter.Node, filter.Memory, filter.SM, filter.MemRW, filter.CPU,
		filter.RSS, filter.Time, filter.Command, filter.Kind, filter.State,
		filter.Job,
	}, ofGPUs, []filter.Key{filter.Problem, filter.Letter, filter.Severity},
)...)

// Process is a process as a filter.Subject. Process is nil for a rank that has none.
type Process struct {
	Snapshot *cluster.Snapshot
	Node     *cluster.Node
	Process  *wire.Process
	GPU      *cluster.GPU // nil: not among the GPUs that the node has now
	Number   int          // of the GPU; cluster.NoNumber: not known
	Rank     *wire.Rank
	State    string             // of a rank without a process
	Job      string             // its ID; "": tally.JobOf the process
	Findings []*cluster.Finding // of the node, those that hold
}

// Set makes it a process of a node.
func (r *Process) Set(s *cluster.Snapshot, n *cluster.Node, p *tally.Process) {
	r.Snapshot, r.Node, r.Process, r.GPU, r.Number, r.Rank, r.State = s, n, p.Process, p.On, p.Number, p.Rank, ""
}

// Values implements filter.Subject.
func (r *Process) Values(key filter.Key, to []filter.Value) []filter.Value {
	switch key {
	case filter.Node:
		return word(to, r.Node.Name)
	case filter.Rank:
		if r.Rank != nil {
			return number(to, float64(r.Rank.Rank))
		}
		return to
	case filter.Problem, filter.Letter, filter.Severity:
		for _, f := range r.Findings {
			if r.GPU != nil && f.Of(r.GPU) {
				to = finding(to, key, f)
			}
		}
		return to
	case filter.GPU:
		return gpuNumber(to, r.Number)
	case filter.Job:
		return word(to, r.job())
	case filter.State:
		to = word(to, r.State)
	}
	if r.Process != nil {
		to = ofProcess(to, key, r.Process)
	}
	if r.GPU != nil {
		to = gpuValues(to, key, r.Node, []*cluster.GPU{r.GPU})
	}
	return to
}

// job is the ID of its job. It is looked for only where a filter asks: there may be a thousand jobs.
func (r *Process) job() string {
	if r.Job != "" || r.Process == nil {
		return r.Job
	}
	return tally.JobOf(r.Snapshot, r.Process)
}

// ofProcess appends what a process itself has in a field.
func ofProcess(to []filter.Value, key filter.Key, p *wire.Process) []filter.Value {
	switch key {
	case filter.User:
		return word(to, p.User)
	case filter.PID:
		return number(to, float64(p.PID))
	case filter.Memory:
		return known(to, p.GPUMemory)
	case filter.SM:
		return known(to, p.SMPercent)
	case filter.MemRW:
		return known(to, p.MemPercent)
	case filter.CPU:
		return known(to, p.CPUPercent)
	case filter.RSS:
		return known(to, p.RSS)
	case filter.Time:
		return known(to, p.ElapsedSec)
	case filter.Command:
		return word(to, command(p))
	case filter.Kind:
		return kinds(to, p.Type)
	case filter.State:
		return word(to, p.State)
	}
	return to
}

// kinds appends the type of a process, and of one that computes and draws also each of these.
func kinds(to []filter.Value, t string) []filter.Value {
	to = word(to, t)
	if t == "C+G" {
		to = word(word(to, "C"), "G")
	}
	return to
}

// command is the command line of a process as the pages show it.
func command(p *wire.Process) string {
	if p.Command != "" {
		return p.Command
	}
	return p.Name
}

// Texts implements filter.Subject: node, user, PID, command and job.
func (r *Process) Texts(to []string) []string {
	to = append(to, r.Node.Name, r.State, r.job())
	if p := r.Process; p != nil {
		to = append(to, p.User, strconv.Itoa(p.PID), command(p), p.Job)
	}
	return to
}

// rankStates are the words for ranks without a process.
var rankStates = map[tally.RankState]string{tally.RankGone: "gone", tally.RankUnseen: "missing",
	tally.RankUnknown: "unknown"}

// Rank is a row of the table of ranks as a filter.Subject.
type Rank struct {
	Snapshot *cluster.Snapshot
	Job      *cluster.JobView
	Findings map[string][]*cluster.Finding // those that hold, by node

	process Process
}

// Of is that row.
func (r *Rank) Of(row *tally.RankRow) filter.Subject {
	n, gpu := tally.Node(r.Snapshot, row.Node), row.GPU
	if !tally.HasNumbers(n) {
		gpu = nil
	}
	r.process = Process{
		Snapshot: r.Snapshot, Node: n, Process: row.Process, GPU: gpu, Number: row.Number, Rank: row.Rank,
		State: rankStates[row.State], Job: r.Job.ID,
		Findings: r.Findings[row.Node],
	}
	return &r.process
}
