package rows

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/field"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Process is a row about a process on a GPU, or about a rank. Process is nil for a rank without a process.
type Process struct {
	Snapshot *cluster.Snapshot
	Node     *cluster.Node
	Process  *wire.Process
	GPU      *cluster.GPU // nil: not among the node's present GPUs
	Number   int          // of the GPU; cluster.NoNumber: unknown
	Rank     *wire.Rank
	State    string             // of a rank without a process
	Job      string             // its ID; "": use tally.JobOf for the process
	Findings []*cluster.Finding // present findings of the node
}

// Set sets the row to a process of a node.
func (r *Process) Set(s *cluster.Snapshot, n *cluster.Node, p *tally.Process) *Process {
	r.Snapshot, r.Node, r.Process, r.GPU, r.Number, r.Rank, r.State = s, n, p.Process, p.On, p.Number, p.Rank, ""
	return r
}

// Processes has the fields of a process on a GPU, of a rank, and of the GPU, in the order of the columns.
var Processes = field.Table[Process]{Name: "processes and ranks", Words: (*Process).appendWords, Fields: slices.Concat(
	[]field.Field[Process]{
		{Key: "node", Also: []string{"host"}, Title: "node", Width: 10, Place: 2, Example: "gpu-n01",
			Help: "name of the node", Text: func(r *Process) string { return r.Node.Name }},
		{Key: "gpu", Also: numberOfGPU.Also, Unit: field.Count, Title: "GPU", Width: 3, Place: 1, Example: "3",
			Letter: 'n', Help: numberOfGPU.Help,
			Number: func(r *Process) (float64, bool) { return gpuNumber(r.Number) }},
		ofProcess(pid),
		{Key: "type", Title: "T", Width: 3, Place: 1, Example: "C", Help: "C compute, G graphics, M MPS client",
			Each: (*Process).appendTypes},
		ofProcess(user),
		{Key: "job", Title: "job", Width: 8, Place: 3, Example: "48211", Help: "job ID", Text: (*Process).jobID},
		{Key: "rank", Unit: field.Count, Title: "rank", Width: 4, Place: 8, Example: "13", Help: "rank of the process",
			Letter: 'r', Number: (*Process).rankNumber},
		ofProcess(affinity),
	},
	numberFields(),
	[]field.Field[Process]{
		ofProcess(command),
		{Key: "driver_version", Also: []string{"driver"}, Example: "550.54.15", Help: "version of the driver",
			Text: func(r *Process) string { return driverVersion(r.Node) }},
	},
	field.Of(ofGPU, func(r *Process) *cluster.GPU { return r.GPU }),
	problemFields((*Process).gpuFindings),
)}

// Fields that identify a process, and the program that it runs.
var (
	pid = field.Field[wire.Process]{Key: "pid", Unit: field.Count, Title: "PID", Width: 7, Place: 1, Example: "358811",
		Help: "process ID", Letter: 'p', Number: func(p *wire.Process) (float64, bool) { return knownNumber(p.PID) }}
	user = field.Field[wire.Process]{Key: "user", Title: "user", Width: 8, Place: 5, Example: "alice",
		Help: "user name", Letter: 'u', Text: func(p *wire.Process) string { return p.User }}
	command = field.Field[wire.Process]{Key: "command", Also: []string{"cmd"}, Title: "command", Width: 12, Place: 4,
		Example: "train.py", Help: "command line", Text: commandOf}
	affinity = field.Field[wire.Process]{Key: "cpu_affinity", Title: "affinity", Width: 8, Example: "0-15",
		Help: "the CPUs on which the kernel may run it", Text: func(p *wire.Process) string { return p.CPUAffinity }}
)

func ofProcess(f field.Field[wire.Process]) field.Field[Process] {
	return field.Of([]field.Field[wire.Process]{f}, (*Process).wireProcess)[0]
}

// numberFields returns the fields of a process that are numbers, each followed by its related fields.
func numberFields() (fields []field.Field[Process]) {
	behind := map[string]field.Field[Process]{
		"gpu_memory_bytes": {Key: "gpu_memory_percent", Unit: field.Percent, Decimals: 1, Title: "%GMEM", Width: 5,
			Example: "50", Help: "share of the GPU's memory that the process has", DownFirst: true, OnGPU: true,
			Number: (*Process).shareOfGPU},
		"rss_bytes": {Key: "host_memory_percent", Also: []string{"host_mem"}, Unit: field.Percent, Decimals: 1,
			Title: "%MEM", Width: 5, Place: 12, Example: "10", Help: "share of the node's memory that the process has",
			DownFirst: true, Letter: 'm', Number: (*Process).shareOfHost},
		"elapsed_seconds": {Key: "state", Title: "S", Width: 1, Place: 13, Example: "R",
			Help: "state of the process, as in ps; gone or missing: of a rank", Text: (*Process).processState},
	}
	for _, f := range field.Of(wire.Numbers(), (*Process).wireProcess) {
		fields = append(fields, f)
		if more, has := behind[f.Key]; has {
			fields = append(fields, more)
		}
	}
	return fields
}

// InOrder returns the fields of Processes with a place from 1 on, sorted by place.
func InOrder(place func(f *field.Field[Process]) int) (fields []*field.Field[Process]) {
	for i := range Processes.Fields {
		if f := &Processes.Fields[i]; place(f) > 0 {
			fields = append(fields, f)
		}
	}
	slices.SortStableFunc(fields, func(a, b *field.Field[Process]) int { return place(a) - place(b) })
	return fields
}

// RankNumbers are the numbers in a list of ranks.
var RankNumbers = InOrder(func(f *field.Field[Process]) int { return f.AtRank })

// RankOrders are those by which users sort ranks most: which one runs out of memory, and which one is slow.
var RankOrders = []*field.Field[Process]{Processes.Field("memory_peak_percent"), Processes.Field("sm_percent"),
	Processes.Field("cpu_percent")}

func (r *Process) wireProcess() *wire.Process { return r.Process }

func (r *Process) rankNumber() (float64, bool) {
	if r.Rank == nil {
		return 0, false
	}
	return knownNumber(r.Rank.Rank)
}

// shareOfGPU is the process's share of its GPU's memory, in percent.
func (r *Process) shareOfGPU() (float64, bool) {
	if r.Process == nil || r.GPU == nil {
		return 0, false
	}
	return tally.GPUShare(r.GPU, r.Process)
}

// shareOfHost is the process's share of the node's memory, in percent.
func (r *Process) shareOfHost() (float64, bool) {
	if r.Process == nil {
		return 0, false
	}
	return tally.HostPercent(r.Node, r.Process)
}

// appendTypes appends the type of a process; for a process that both computes and draws, also each of these types.
func (r *Process) appendTypes(to []field.Value) []field.Value {
	if r.Process == nil {
		return to
	}
	to = field.Word(to, r.Process.Type)
	if r.Process.Type == "C+G" {
		to = field.Word(field.Word(to, "C"), "G")
	}
	return to
}

func (r *Process) processState() string {
	if r.State == "" && r.Process != nil {
		return r.Process.State
	}
	return r.State
}

// jobID returns the ID of the process's job. It is looked up only when a filter needs it: there may be a thousand jobs.
func (r *Process) jobID() string {
	if r.Job != "" || r.Process == nil {
		return r.Job
	}
	return tally.JobOf(r.Snapshot, r.Process)
}

// gpuFindings returns the problems of its GPU.
func (r *Process) gpuFindings() (on []*cluster.Finding) {
	for _, f := range r.Findings {
		if r.GPU != nil && f.Of(r.GPU) {
			on = append(on, f)
		}
	}
	return on
}

// appendWords appends node, user, PID, command and job.
func (r *Process) appendWords(to []string) []string {
	to = append(to, r.Node.Name, r.State, r.jobID())
	if p := r.Process; p != nil {
		to = append(to, p.User, strconv.Itoa(p.PID), commandOf(p), p.Job)
	}
	return to
}

// commandOf returns the command line of a process as the pages show it.
func commandOf(p *wire.Process) string { return cmp.Or(p.Command, p.Name) }

func driverVersion(n *cluster.Node) string {
	if n.Hello == nil {
		return ""
	}
	return n.Hello.Driver
}

// rankStates are the words for ranks without a process.
var rankStates = map[tally.RankState]string{tally.RankGone: "gone", tally.RankUnseen: "missing",
	tally.RankUnknown: "unknown"}

// Rank makes rows of ranks. Their fields are Processes.
type Rank struct {
	Snapshot *cluster.Snapshot
	Job      *cluster.JobView
	Findings map[string][]*cluster.Finding // present findings, by node

	process Process
}

// Of sets the row to a rank.
func (r *Rank) Of(row *tally.RankRow) *Process {
	n, gpu := tally.Node(r.Snapshot, row.Node), row.GPU
	if !tally.HasNumbers(n) {
		gpu = nil
	}
	r.process = Process{
		Snapshot: r.Snapshot, Node: n, Process: row.Process, GPU: gpu, Number: row.Number, Rank: row.Rank,
		State: rankStates[row.State], Job: r.Job.ID, Findings: r.Findings[row.Node],
	}
	return &r.process
}
