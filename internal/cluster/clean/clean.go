// Package clean accepts from nodes and SLURM only plausible data: names that are safe to display, and lists and times
// within limits. It returns a copy, or the argument itself if it is clean.
package clean

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// Limits on the memory that one node or SLURM can make us use. They are far above real values, and far below what would
// hurt.
const (
	MaxName   = 256  // bytes of a name, a model, a version
	maxWords  = 4096 // bytes of an error message
	MaxGPUs   = 256  // per node
	MaxFaults = 32   // per report
	MaxXids   = 64   // per node
	maxJobs   = 64   // per node
	maxSpan   = 30 * 24 * time.Hour
)

// cleanNames cleans names in place.
func cleanNames(names ...*string) {
	for _, s := range names {
		*s = safe.Line(*s, MaxName)
	}
}

// copyCleaned copies the elements, but at most the first most, and cleans each of them.
func copyCleaned[T any](in []T, most int, clean func(*T)) []T {
	out := slices.Clone(in[:min(len(in), most)])
	for i := range out {
		clean(&out[i])
	}
	return out
}

// Failure cleans a failure.
func Failure(f *reach.Failure) *reach.Failure {
	if f == nil {
		return nil
	}
	c := *f
	cleanNames(&c.Short, &c.Detail, &c.Cause)
	c.Words, c.Meaning = safe.Lines(f.Words, maxWords), safe.Line(f.Meaning, maxWords)
	c.Hints = copyCleaned(f.Hints, len(f.Hints), func(h *string) { *h = safe.Line(*h, maxWords) })
	c.Doors = copyCleaned(f.Doors, len(f.Doors), cleanTried)
	return &c
}

func cleanTried(t *reach.Tried) {
	cleanNames(&t.Summary)
	t.Hint = safe.Line(t.Hint, maxWords)
}

// Route cleans the route to a node.
func Route(r reach.Route) reach.Route {
	if r.Passed != nil {
		t := *r.Passed
		cleanTried(&t)
		r.Passed = &t
	}
	return r
}

// Node cleans the name of a node. Equal names stay equal, and a name never becomes empty.
func Node(name string) string {
	if c := safe.Line(name, MaxName); c != "" || name == "" {
		return c
	}
	return "?"
}

// cleanNodes cleans the names of a job's nodes. Names that become equal are one node.
func cleanNodes(names []string) []string {
	out := make([]string, 0, len(names))
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if name = Node(name); !seen[name] {
			seen[name] = true
			out = append(out, name)
		}
	}
	return out
}

// cleanMinors cleans the names of the nodes. Nil stays nil: nothing is known about any node.
func cleanMinors(in map[string][]int) map[string][]int {
	if in == nil {
		return nil
	}
	out := make(map[string][]int, len(in))
	for _, name := range slices.Sorted(maps.Keys(in)) {
		c := Node(name)
		out[c] = append(slices.Clip(out[c]), in[name]...)
		if out[c] == nil {
			out[c] = []int{} // known to have no GPU
		}
	}
	return out
}

// cleanCounts cleans the names of the nodes.
func cleanCounts(in map[string]int) map[string]int {
	if in == nil {
		return nil
	}
	out := make(map[string]int, len(in))
	for name, count := range in {
		out[Node(name)] += max(count, 0)
	}
	return out
}

// Discovery cleans the answers of SLURM.
func Discovery(d *cluster.Discovery) cluster.Discovery {
	c := *d
	c.Failure = Failure(d.Failure)
	c.Command, c.Note = safe.Line(d.Command, maxWords), safe.Line(d.Note, maxWords)
	cleanNames(&c.User, &c.Host)
	c.Jobs = copyCleaned(d.Jobs, len(d.Jobs), func(j *cluster.Job) {
		cleanNames(&j.ID, &j.Number, &j.Name, &j.User, &j.Partition)
		j.Nodes, j.Minors = cleanNodes(j.Nodes), cleanMinors(j.Minors)
		j.Counts, j.Configured = cleanCounts(j.Counts), cleanCounts(j.Configured)
	})
	c.Others = copyCleaned(d.Others, len(d.Others), func(number *string) { cleanNames(number) })
	c.Pending = copyCleaned(d.Pending, len(d.Pending),
		func(p *cluster.PendingJob) { cleanNames(&p.ID, &p.Name, &p.Partition, &p.Reason) })
	c.Ended = copyCleaned(d.Ended, len(d.Ended),
		func(e *cluster.EndedJob) {
			cleanNames(&e.ID, &e.Number, &e.Name, &e.Partition, &e.OutOfMemory, (*string)(&e.State))
			e.Cause = safe.Line(e.Cause, maxWords)
		})
	c.Switches = copyCleaned(d.Switches, len(d.Switches), func(s *cluster.Switch) {
		cleanNames(&s.Name)
		s.Nodes = cleanNodes(s.Nodes)
	})
	return c
}

// Hello cleans a probe's Hello. If it is clean, it is returned as it is: it is the largest part of a node's data, and a
// recording that also keeps it then shares its memory.
func Hello(h *wire.Hello) *wire.Hello {
	if c := cleanHello(*h); !reflect.DeepEqual(c, *h) {
		return &c
	}
	return h
}

func cleanHello(c wire.Hello) wire.Hello {
	cleanNames(&c.Build, &c.System, &c.Program, &c.Host, &c.Kernel, &c.Job, &c.Driver, &c.CUDA)
	c.FaultID, c.Fault = cleanID(c.FaultID, c.Fault, faultIDs), safe.Line(c.Fault, maxWords)
	c.StandIn = safe.Line(c.StandIn, maxWords)
	c.GPUs = copyCleaned(c.GPUs, MaxGPUs, cleanCard)
	wire.ShareAbsent(c.GPUs)
	c.NUMA = copyCleaned(c.NUMA, wire.MaxNUMA, func(n *wire.NUMANode) { cleanNames(&n.CPUs) })
	c.Missing = copyCleaned(c.Missing, MaxFaults, func(symbol *string) { cleanNames(symbol) })
	return c
}

func cleanCard(g *wire.Card) {
	cleanNames(&g.UUID, &g.Name, &g.PCIBus, &g.Lost, &g.Serial, &g.VBIOS, &g.Capability,
		&g.FabricDomain)
	g.Absent = cleanAbsent(g.Absent)
	if g.Instance != nil {
		instance := *g.Instance
		cleanNames(&instance.Parent)
		g.Instance = &instance
	}
	g.LostID = cleanID(g.LostID, g.Lost, lostIDs)
	g.Index = max(g.Index, 0)
	if g.Minor != nil && *g.Minor < 0 {
		g.Minor = nil
	}
}

// cleanAbsent cleans the reasons, and drops unknown keys.
func cleanAbsent(in map[string][]string) map[string][]string {
	if len(in) == 0 {
		return nil
	}
	out := map[string][]string{}
	for _, reason := range slices.Sorted(maps.Keys(in))[:min(len(in), MaxFaults)] {
		keys := slices.DeleteFunc(slices.Clone(in[reason]), func(key string) bool {
			return key != wire.AbsentXids &&
				!metric.Known(key, metric.GPU)
		})
		out[safe.Line(reason, MaxName)] = keys[:min(len(keys), MaxGPUs)]
	}
	return out
}

// The error classes that a probe may use. An unknown class becomes the last one.
var (
	faultIDs = []string{wire.FaultNoLibrary, wire.FaultMismatch, wire.FaultNoDriver, wire.FaultNoNVML, wire.FaultHangs,
		wire.FaultOther}
	lostIDs = []string{wire.LostFellOff, wire.LostReset, wire.LostPower, wire.LostIRQ, wire.LostTimeout,
		wire.LostOther}
)

// cleanID returns a known class, or none if there are no words.
func cleanID(id, words string, known []string) string {
	switch {
	case words == "":
		return ""
	case slices.Contains(known, id):
		return id
	}
	return known[len(known)-1]
}

// Span limits a duration in ms that a node reports.
func Span(ms int64) int64 { return min(max(ms, 0), maxSpan.Milliseconds()) }

// GPU cleans a GPU. If it is clean, it is returned as it is: a large cluster has thousands of them.
func GPU(g *wire.GPU) *wire.GPU {
	lost, call, unlisted := safe.Line(g.Lost, MaxName), safe.Line(g.Call, MaxName), safe.Line(g.Unlisted, MaxName)
	id, hangs, age := cleanID(g.LostID, lost, lostIDs), Span(g.HangsMS), Span(g.AgeMS)
	if lost == g.Lost && call == g.Call && unlisted == g.Unlisted && id == g.LostID && hangs == g.HangsMS &&
		age == g.AgeMS {
		return g
	}
	c := *g
	c.Lost, c.Call, c.Unlisted, c.LostID, c.HangsMS, c.AgeMS = lost, call, unlisted, id, hangs, age
	return &c
}

// Processes drops entries that cannot be processes, and GPU values that are impossible on the GPUs with these cards.
func Processes(in []wire.Process, cards []wire.Card) []wire.Process {
	out := copyCleaned(in, wire.MaxProcesses, func(p *wire.Process) {
		cleanNames(&p.Type, &p.State, &p.User, &p.Job, &p.Step, &p.Name, &p.Directory, &p.NoRank)
		p.Command = safe.Line(p.Command, wire.MaxCommand)
		memoryOf(p, cards)
		if p.Rank != nil {
			p.Rank = cleanRank(*p.Rank)
		}
	})
	return slices.DeleteFunc(out, func(p wire.Process) bool { return p.PID < 1 || p.PID > wire.MaxPID })
}

// maxProgram is the length of the longest Rank.Program.
const maxProgram = 16

// cleanRank returns a plausible rank, or nil.
func cleanRank(r wire.Rank) *wire.Rank {
	if r.Rank < 0 || r.World != nil && *r.World <= r.Rank {
		return nil
	}
	cleanNames(&r.From)
	if len(r.Program) > maxProgram || strings.Trim(r.Program, "0123456789abcdef") != "" {
		r.Program = ""
	}
	return &r
}

// Memory cleans the host memory of jobs.
func Memory(in []wire.JobMemory) []wire.JobMemory {
	return copyCleaned(in, maxJobs, func(m *wire.JobMemory) { cleanNames(&m.Job) })
}

// Faults cleans the faults of collectors.
func Faults(in []wire.Fault) []wire.Fault {
	return copyCleaned(in, MaxFaults, func(f *wire.Fault) {
		cleanNames(&f.Collector, &f.Error)
		f.GPUs = slices.Clone(f.GPUs[:min(len(f.GPUs), MaxGPUs)])
	})
}
