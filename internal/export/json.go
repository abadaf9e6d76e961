// Package export writes a Snapshot for programs: as JSON, as CSV and for Prometheus. The JSON is documented by schema.json beside this file,
// whose version is in every document: a field's meaning changes only with the version. The names of metrics are those of package metric. What is
// not known has no key, an empty cell, no sample.
//
// Functions here are pure: they may be called from any goroutine.
package export

import (
	_ "embed"
	"encoding/json"
	"io"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/tally"
)

// Version is the version of the JSON document.
//
//	1  first version
const Version = 1

// Schema is the JSON Schema of the document.
//
//go:embed schema.json
var Schema []byte

// JSON writes the document, indented, with a newline at its end.
func JSON(w io.Writer, s *cluster.Snapshot) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(newDocument(s))
}

func newDocument(s *cluster.Snapshot) document {
	d := document{Version: Version, Time: s.At, Poll: s.Poll.Seconds(), Jobs: []job{}, Nodes: []node{}}
	if disc := &s.Discovery; disc.Command != "" {
		d.Discovery = &discovery{
			Command: disc.Command, User: disc.User, Host: disc.Host,
			Answered: disc.Answered, Took: disc.Took.Seconds(), Failure: newFailure(disc.Failure),
		}
	}
	for i := range s.Jobs {
		d.Jobs = append(d.Jobs, newJob(s, &s.Jobs[i]))
	}
	names, jobs := jobsByNode(s)
	for _, name := range names {
		d.Nodes = append(d.Nodes, newNode(s.Nodes[name], jobs[name]))
	}
	for _, p := range s.Discovery.Pending {
		d.Pending = append(d.Pending, pending(p))
	}
	for i := range s.Discovery.Ended {
		d.Ended = append(d.Ended, newEnded(&s.Discovery.Ended[i]))
	}
	return d
}

func newEnded(e *cluster.EndedJob) ended {
	j := ended{ID: e.ID, Number: e.Number, Name: e.Name, Partition: e.Partition, Nodes: e.Nodes, GPUs: e.GPUs, State: e.State, Start: e.Start, End: e.End}
	if e.Exit != nil {
		j.Code, j.Signal = &e.Exit.Code, e.Exit.Signal
	}
	return j
}

func newJob(s *cluster.Snapshot, v *cluster.JobView) job {
	j := job{
		ID: v.ID, Number: v.Number, Name: v.Name, User: v.User, Partition: v.Partition, Start: v.Start, End: v.End, Limit: v.Limit.Seconds(), Suspended: v.Suspended,
		Nodes: v.Nodes, Minors: minors(s, v), GPUs: v.GPUs, GPUsSeen: v.GPUsSeen, Reporting: v.Reporting, Findings: []finding{},
	}
	j.Ranks = newRanks(s, v)
	for i := range v.Findings {
		if f := newFinding(&v.Findings[i]); v.Findings[i].Holds() {
			words := health.Say(s, &v.Findings[i])
			f.Times, f.Text, f.Hint = 0, &words.Sentence, words.Hint
			if f.Kind == cluster.KindMissing || f.Kind == cluster.KindHidden {
				f.Missing = v.Missing(s.Nodes[f.Node]).Numbers
			}
			j.Findings = append(j.Findings, f)
		} else {
			j.Cleared = append(j.Cleared, f)
		}
	}
	for i := range v.Cleared {
		j.Cleared = append(j.Cleared, newFinding(&v.Cleared[i]))
	}
	return j
}

// minors are the numbers of the job's GPUs by node, where they are known.
func minors(s *cluster.Snapshot, v *cluster.JobView) map[string][]int {
	out := map[string][]int{}
	for name, numbers := range v.Minors {
		if len(numbers) == 0 || v.Share(s.Nodes[name]).Numbers() != nil {
			out[name] = numbers
		}
	}
	return out
}

func newFinding(f *cluster.Finding) finding {
	out := finding{Kind: f.Kind, Class: f.Class, Severity: f.Severity.String(), Since: f.Since, Before: f.Before, Over: f.Over, Times: f.Times, Node: f.Node}
	out.GPU, out.Key = identity(f.GPU, f.Key)
	return out
}

// nameOf is how a GPU is named. A MIG instance has the number of its GPU, and so its key names it.
func nameOf(g *cluster.GPU) (*int, string) {
	if g.Instance() {
		return nil, g.Key
	}
	return identity(g.Number, g.Key)
}

// identity is how a GPU is named: by its number, else by its key.
func identity(number int, key string) (*int, string) {
	if number == cluster.NoNumber {
		return nil, key
	}
	return &number, ""
}

func newFailure(f *reach.Failure) *failure {
	if f == nil {
		return nil
	}
	out := &failure{Class: f.Class, Stage: f.Stage, Summary: f.Summary(), Words: f.Words, Meaning: f.Meaning, Hints: f.Hints}
	for _, t := range f.Doors {
		out.Doors = append(out.Doors, tried(t))
	}
	return out
}

func newNode(n *cluster.Node, jobs []*cluster.JobView) node {
	out := node{Name: n.Name, State: n.State, Since: n.Since, Door: n.Route.Door, Failure: newFailure(n.Failure)}
	if h := n.Hello; h != nil {
		out.Hostname, out.Driver, out.CUDA, out.NVMLFault, out.CPUs = h.Host, h.Driver, h.CUDA, h.Fault, h.CPUs
		out.StandIn = h.StandIn
	}
	if !tally.HasNumbers(n) {
		return out
	}
	age := n.Age.Seconds()
	out.Age, out.Host = &age, object{}.numbers(metric.Host, n.Host.Get)
	byIndex := map[int]*cluster.GPU{}
	for i := range n.GPUs {
		byIndex[n.GPUs[i].Card.Index] = &n.GPUs[i]
		out.GPUs = append(out.GPUs, newGPU(n, &n.GPUs[i], jobs))
	}
	for _, j := range jobs {
		if !j.Share(n).Known {
			out.Unknown = append(out.Unknown, j.ID)
		}
	}
	for _, m := range n.Memory {
		out.Jobs = append(out.Jobs, jobMemory(m.JobMemory))
	}
	for _, f := range n.Faults {
		out.Faults = append(out.Faults, fault{Collector: f.Collector, Error: f.Error, GPUs: numbersOf(byIndex, f.GPUs)})
	}
	for _, x := range n.Xids {
		out.Xids = append(out.Xids, newXid(n, x))
	}
	for i := range n.Processes {
		p := &n.Processes[i]
		if g := byIndex[p.GPU]; g != nil {
			out.Processes = append(out.Processes, newProcess(n, g, p))
		}
	}
	return out
}

// newXid is an Xid of a GPU by its number. One that is not listed any more has a key.
func newXid(n *cluster.Node, x cluster.Xid) xid {
	out := xid{Time: x.At, Key: x.Key, Code: x.Code}
	for i := range n.GPUs {
		if g := &n.GPUs[i]; g.Key == x.Key {
			out.GPU, out.Key = identity(g.Number, g.Key)
		}
	}
	return out
}

// numbersOf are the numbers of the GPUs at these indices, as far as they have any; nil for no indices.
func numbersOf(byIndex map[int]*cluster.GPU, indices []int) []int {
	if len(indices) == 0 {
		return nil
	}
	numbers := []int{}
	for _, i := range indices {
		if g := byIndex[i]; g != nil && g.Number != cluster.NoNumber {
			numbers = append(numbers, g.Number)
		}
	}
	return numbers
}

// newGPU is a GPU by its number on the node, the device's minor number, with the ids of those jobs of the node that own it.
func newGPU(node *cluster.Node, g *cluster.GPU, jobs []*cluster.JobView) object {
	var out object
	if number, key := nameOf(g); number != nil {
		out = out.add("index", *number)
	} else {
		out = out.add("key", key)
	}
	out = out.add("uuid", g.Card.UUID).add("name", g.Card.Name).add("pci_bus", g.Card.PCIBus).add("mig", g.Card.MIG)
	out = out.add("serial", g.Card.Serial).add("vbios", g.Card.VBIOS).add("cuda_capability", g.Card.Capability)
	if i := g.Card.Instance; i != nil {
		out = out.add("mig_instance", migInstance(*i))
	}
	out = out.add("lost", g.Lost).add("lost_class", g.LostID).add("hangs_seconds", seconds(g.HangsMS)).add("hanging_call", g.Call)
	out = out.add("age_seconds", seconds(g.AgeMS)).add("processes_unlisted", g.Unlisted).numbers(metric.GPU, g.Get)
	if len(g.Card.Absent) > 0 {
		out = out.add("absent", g.Card.Absent)
	}
	var ids []string
	for _, j := range owners(node, g, jobs) {
		ids = append(ids, j.ID)
	}
	if len(ids) > 0 {
		out = out.add("jobs", ids)
	}
	return out
}

// seconds is a time in ms, in seconds; "" for none.
func seconds(ms int64) any {
	if ms == 0 {
		return ""
	}
	return float64(ms) / 1000
}
