// Package export writes a Snapshot for programs: as JSON, as CSV and for Prometheus. The JSON has the types of the
// public package schema, and schema.json beside this file documents it. Each document contains the version of that
// schema. The meaning of a field changes only with the version. Package metric has the names of metrics. An unknown
// value has no key in JSON, an empty cell in CSV, and no sample for Prometheus.
//
// The functions are pure: they may be called from any goroutine.
package export

import (
	_ "embed"
	"io"
	"iter"
	"math/bits"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
	"github.com/nvnodetop/nvnodetop/pkg/schema"
)

// Schema is the JSON Schema of the document.
//
//go:embed schema.json
var Schema []byte

// JSON writes the document, indented, with a newline at its end.
func JSON(w io.Writer, doc *schema.Snapshot) error { return text.WriteJSON(w, "  ", doc) }

// Narrowed returns the document of a Snapshot, with the processes of a narrower Snapshot, which may be the same.
func Narrowed(s, narrow *cluster.Snapshot) *schema.Snapshot {
	doc := Document(s)
	if narrow != s {
		for i, chosen := range Document(narrow).Nodes {
			n := &doc.Nodes[i]
			n.Processes = chosen.Processes
			if n.Past != nil {
				n.Past.Processes = chosen.Past.Processes
			}
		}
	}
	return doc
}

func newEnded(e *cluster.EndedJob) schema.EndedJob {
	j := schema.EndedJob{ID: e.ID, Number: e.Number, Name: e.Name, Partition: e.Partition, Nodes: e.Nodes, GPUs: e.GPUs,
		State: string(e.State), Start: e.Start, End: e.End, OutOfMemoryStep: e.OutOfMemory, Cause: e.Cause}
	if tally.EndOf(e).Code == tally.NewState { // the schema lists all other states
		j.State = ""
	}
	if e.Exit != nil {
		j.ExitCode, j.Signal = &e.Exit.Code, e.Exit.Signal
	}
	return j
}

func newJob(s *cluster.Snapshot, v *cluster.JobView) schema.Job {
	j := schema.Job{
		ID: v.ID, Number: v.Number, Name: v.Name, User: v.User, Partition: v.Partition, Start: v.Start, End: v.End,
		LimitSeconds: v.Limit.Seconds(), Suspended: v.Suspended,
		Nodes: v.Nodes, GPUs: v.GPUs, GPUsSeen: v.GPUsSeen, NodesReporting: v.Reporting, Findings: []schema.Finding{},
		Totals: newTotals(s, v), Progress: newProgress(v, s.At),
	}
	for _, r := range v.Roles {
		j.Groups = append(j.Groups, schema.Group{GPUs: r.GPUs, UtilPercent: roundedOrNil(float64(r.Util))})
	}
	for i := range v.Findings {
		if f := newFinding(&v.Findings[i]); v.Findings[i].Holds() {
			words := say.Finding(s, &v.Findings[i])
			f.Last, f.Text, f.Hint, f.AllGPUs = v.Findings[i].Last, &words.Sentence, words.Hint, v.Findings[i].Every
			if c := v.Findings[i].Compared; c != nil {
				f.Coupling = c.By.String()
			}
			if kind := v.Findings[i].Kind; kind == cluster.KindMissing || kind == cluster.KindHidden {
				f.GPUs = v.Missing(s.Nodes[f.Node]).Numbers
			}
			for _, at := range tally.AwaitedPlaces(s, &v.Findings[i]) {
				place := schema.Place{Node: at.Node, AllGPUs: at.Every}
				place.GPU, place.GPUKey = gpuIdentity(at.GPU, at.Key)
				f.Awaited = append(f.Awaited, place)
			}
			j.Findings = append(j.Findings, f)
		} else {
			if before := v.Findings[i].Earlier; before.Times > 0 {
				f.Since = before.Since
			}
			j.Cleared = append(j.Cleared, f)
		}
	}
	for i := range v.Cleared {
		if c := &v.Cleared[i]; !slices.ContainsFunc(v.Findings, c.IsSame) { // the finding has the times of this one
			j.Cleared = append(j.Cleared, newFinding(c))
		}
	}
	return j
}

// gpuNumbers returns the numbers of the job's GPUs by node, where they are known.
func gpuNumbers(s *cluster.Snapshot, v *cluster.JobView) map[string][]int {
	out := map[string][]int{}
	for name, numbers := range v.Minors {
		if len(numbers) == 0 || v.Share(s.Nodes[name]).Numbers() != nil {
			out[name] = numbers
		}
	}
	return out
}

func newFinding(f *cluster.Finding) schema.Finding {
	out := schema.Finding{Kind: string(f.Kind), Class: string(f.Class), Severity: schema.Severity(f.Severity.String()),
		Since: f.Since, SinceBefore: f.Before, Over: f.Over, Times: f.Times + f.Earlier.Times, Node: f.Node}
	out.GPU, out.GPUKey = gpuIdentity(f.GPU, f.Key)
	return out
}

// nameOf returns the name of a GPU. A MIG instance has the number of its GPU, so it is named by its key.
func nameOf(g *cluster.GPU) (*int, string) {
	if g.Instance() {
		return nil, g.Key
	}
	return gpuIdentity(g.Number, g.Key)
}

// gpuIdentity identifies a GPU by its number, or else by its key.
func gpuIdentity(number int, key string) (*int, string) {
	if number == cluster.NoNumber {
		return nil, key
	}
	return &number, ""
}

func newFailure(f *reach.Failure) *schema.Failure {
	if f == nil {
		return nil
	}
	out := &schema.Failure{Class: string(f.Class), Stage: string(f.Stage), Summary: f.Summary(), Words: f.Words,
		Meaning: f.Meaning, Hints: f.Hints}
	for _, t := range f.Doors {
		out.Transports = append(out.Transports, schema.Tried{Transport: t.Door, Class: string(t.Class),
			Summary: t.Summary, Hint: t.Hint})
	}
	return out
}

func newNode(n *cluster.Node, jobs []*cluster.JobView, c contents) schema.Node {
	out := schema.Node{Name: n.Name, Switch: n.Switch, State: schema.NodeState(n.State), Since: n.Since,
		Transport: n.Route.Door, Failure: newFailure(n.Failure)}
	if h := n.Hello; h != nil {
		out.Hostname, out.Driver, out.CUDA, out.NVMLFault, out.CPUs = h.Host, h.Driver, h.CUDA, h.Fault, h.CPUs
		out.StandIn = h.StandIn
	}
	seen := n.AsSeen()
	if !tally.Shows(seen) {
		return out
	}
	for _, j := range jobs {
		if !j.Share(seen).Known {
			out.OwnerUnknown = append(out.OwnerUnknown, j.ID)
		}
	}
	age, last := ageOf(n), newPast(seen, jobs, c)
	if n.Past != nil {
		last.Time, last.AgeSeconds, out.Past = n.Arrived, age, last
		return out
	}
	out.AgeSeconds, out.Host, out.GPUs, out.Processes, out.Jobs, out.Faults, out.Xids = &age, last.Host, last.GPUs,
		last.Processes, last.Jobs, last.Faults, last.Xids
	return out
}

// newPast returns the data of a node's last report.
func newPast(n *cluster.Node, jobs []*cluster.JobView, c contents) *schema.Past {
	out := &schema.Past{Host: knownMetrics(metric.All(metric.Host), n.Host.Get)}
	byIndex := map[int]*cluster.GPU{}
	for i := range n.GPUs {
		byIndex[n.GPUs[i].Card.Index] = &n.GPUs[i]
		out.GPUs = append(out.GPUs, newGPU(n, &n.GPUs[i], jobs, c))
	}
	for _, m := range n.Memory {
		out.Jobs = append(out.Jobs, schema.JobMemory{JobNumber: m.Job, UsedBytes: m.Used, LimitBytes: m.Limit})
	}
	for _, f := range n.Faults {
		out.Faults = append(out.Faults, schema.Fault{Collector: f.Collector, Error: f.Error,
			GPUs: numbersOf(byIndex, f.GPUs)})
	}
	for _, x := range n.Xids {
		out.Xids = append(out.Xids, newXid(n, x))
	}
	for i := range n.Processes {
		p := &n.Processes[i]
		if g := byIndex[p.GPU]; g != nil && c.processes(g) {
			out.Processes = append(out.Processes, newProcess(n, g, p))
		}
	}
	return out
}

// newXid returns an Xid with the number of its GPU. If the GPU is no longer listed, it has a key instead.
func newXid(n *cluster.Node, x cluster.Xid) schema.Xid {
	out := schema.Xid{Time: x.At, GPUKey: x.Key, Code: x.Code}
	if g := n.GPUWith(x.Key); g != nil {
		out.GPU, out.GPUKey = gpuIdentity(g.Number, g.Key)
	}
	return out
}

// numbersOf returns the numbers of the GPUs at these indices, as far as they have any; nil if there are no indices.
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

// newGPU returns a GPU with its number on the node (the device's minor number) and the IDs of those jobs of the node
// that own it.
func newGPU(node *cluster.Node, g *cluster.GPU, jobs []*cluster.JobView, contents contents) schema.GPU {
	c := g.Card
	out := schema.GPU{
		UUID: c.UUID, Name: c.Name,
		Lost: g.Lost, LostClass: g.LostID, HangsSeconds: toSeconds(g.HangsMS), HangingCall: g.Call,
		AgeSeconds: toSeconds(g.AgeMS), Unlisted: g.Unlisted,
		Metrics: knownMetrics(contents.metricIDs(), g.Get),
	}
	if contents.whole {
		out.PCIBus, out.MIG, out.Serial, out.VBIOS, out.Capability, out.Absent = c.PCIBus, c.MIG, c.Serial, c.VBIOS,
			c.Capability, c.Absent
		out.FabricDomain = c.FabricDomain
	}
	out.Index, out.Key = nameOf(g)
	if i := c.Instance; i != nil {
		out.Instance = new(schema.Instance(*i))
	}
	if set, known := g.Get(metric.Throttle); known {
		out.ThrottleReasons = wire.ReasonNames(uint64(set))
	}
	if bytes, known := node.MemoryOfProcesses(g); known {
		out.MemoryOfProcesses = &bytes
	}
	if set, known := g.Get(metric.NVLinkUp); known && contents.whole {
		out.NVLinksUp = bitNumbers(uint64(set))
	}
	for _, j := range gpuOwners(node, g, jobs) {
		out.Jobs = append(out.Jobs, j.ID)
	}
	return out
}

// knownMetrics returns those of the given metrics that have known values. A map that has to grow costs twice as much.
func knownMetrics(ids iter.Seq[metric.ID], get func(metric.ID) (float64, bool)) schema.Metrics {
	size := 0
	for id := range ids {
		if _, known := get(id); known {
			size++
		}
	}
	out := make(schema.Metrics, size)
	for id := range ids {
		if row := id.Row(); row.Unit != metric.Bits {
			if v, known := get(id); known {
				out[schema.Metric(row.Key)] = v
			}
		}
	}
	return out
}

// bitNumbers lists the numbers of the bits that are set.
func bitNumbers(set uint64) []int {
	numbers := []int{}
	for ; set != 0; set &= set - 1 {
		numbers = append(numbers, bits.TrailingZeros64(set))
	}
	return numbers
}

// toSeconds converts a time in ms to seconds.
func toSeconds(ms int64) float64 { return float64(ms) / 1000 }

// ageOf returns an age in seconds, rounded to ms. More digits would depend on the clocks: a recording has no monotonic
// clock.
func ageOf(n *cluster.Node) float64 { return metric.InSeconds(n.Age) }
