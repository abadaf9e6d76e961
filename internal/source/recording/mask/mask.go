// Package mask replaces the names in Events, for recordings that may be given away. The same name always gets the same
// replacement, numbered in the order of appearance. Text from other programs is left out, since it may contain any
// name. A class keeps its meaning.
package mask

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// Mask maps names to their replacements. It is for one goroutine.
type Mask struct{ names map[string]map[string]string }

// New returns a Mask that has not seen any name.
func New() *Mask { return &Mask{names: map[string]map[string]string{}} }

// maxNames limits the names of one kind. All later names share one replacement.
const maxNames = 64 << 10

// replaceName returns the replacement of a name. An empty name stays empty.
func (m *Mask) replaceName(kind, format, real string) string {
	if real == "" {
		return ""
	}
	of := m.names[kind]
	if of == nil {
		of = map[string]string{}
		m.names[kind] = of
	}
	name, known := of[real]
	if !known {
		name = fmt.Sprintf(format, min(len(of)+1, maxNames))
		if len(of) < maxNames {
			of[real] = name
		}
	}
	return name
}

// User returns the replacement of a user.
func (m *Mask) User(s string) string { return m.replaceName("user", "user%d", s) }

// Node returns the replacement of a node or another host.
func (m *Mask) Node(s string) string { return m.replaceName("node", "node%02d", s) }

func (m *Mask) replaceJob(s string) string       { return m.replaceName("job", "job%d", s) }
func (m *Mask) replacePartition(s string) string { return m.replaceName("partition", "partition%d", s) }
func (m *Mask) replacePart(s string) string      { return m.replaceName("part", "part%d", s) }
func (m *Mask) replaceSwitch(s string) string    { return m.replaceName("switch", "switch%d", s) }
func (m *Mask) replaceProgram(s string) string   { return m.replaceName("program", "program%d", s) }
func (m *Mask) replaceCommand(s string) string   { return m.replaceName("command", "command%d", s) }
func (m *Mask) replaceDirectory(s string) string {
	return m.replaceName("directory", "/directory%d", s)
}
func (m *Mask) replaceModel(s string) string {
	if gpus.matchText(s) != "" {
		return s
	}
	return m.replaceName("model", "GPU model %d", s)
}
func (m *Mask) replaceUUID(s string) string {
	return m.replaceName("uuid", "GPU-%08x-0000-0000-0000-000000000000", s)
}

// Event returns an Event with its names replaced. The original stays unchanged.
func (m *Mask) Event(e cluster.Event) cluster.Event {
	e.Node = m.Node(e.Node)
	switch {
	case e.Discovery != nil:
		e.Discovery = m.maskDiscovery(*e.Discovery)
	case e.Try != nil:
		t := *e.Try
		t.Passed = m.maskTried(t.Passed)
		e.Try = &t
	case e.Step != nil:
		s := *e.Step
		s.Text = ""
		e.Step = &s
	case e.Hello != nil:
		e.Hello = m.maskHello(*e.Hello)
	case e.Report != nil:
		e.Report = m.maskReport(*e.Report)
	case e.Down != nil:
		d := *e.Down
		d.Failure = *m.maskFailure(&d.Failure)
		e.Down = &d
	case e.Mark != nil:
		k := *e.Mark
		k.Job, k.Name, k.By = m.replaceNumber(k.Job), m.replacePart(k.Name), m.Node(k.By)
		if k.Kind != cluster.Begins && k.Kind != cluster.Ends {
			k.Kind = cluster.Moment
		}
		e.Mark = &k
	case e.Stacks != nil:
		e.Stacks = m.maskStacks(e.Stacks)
	case e.Progress != nil:
		p := *e.Progress
		p.Job, p.Form, p.Unit = m.replaceNumber(p.Job), firstWord(p.Form), firstWord(p.Unit)
		if p.Earlier != nil {
			earlier := *p.Earlier
			earlier.Job = m.replaceNumber(earlier.Job)
			p.Earlier = &earlier
		}
		e.Progress = &p
	}
	return e
}

func (m *Mask) maskDiscovery(d cluster.Discovery) *cluster.Discovery {
	d.User, d.Host, d.Command = m.User(d.User), m.Node(d.Host), firstWord(d.Command)
	d.Failure, d.Note = m.maskFailure(d.Failure), ""
	d.Jobs = copyEach(d.Jobs, func(j *cluster.Job) {
		j.ID, j.Number = m.replaceNumber(j.ID), m.replaceNumber(j.Number)
		j.Name, j.User, j.Partition = m.replaceJob(j.Name), m.User(j.User), m.replacePartition(j.Partition)
		j.Nodes = copyEach(j.Nodes, func(n *string) { *n = m.Node(*n) })
		j.Minors, j.Counts, j.Configured = nodeKeys(m, j.Minors), nodeKeys(m, j.Counts), nodeKeys(m, j.Configured)
	})
	d.Others = copyEach(d.Others, func(number *string) { *number = m.replaceNumber(*number) })
	d.Pending = copyEach(d.Pending, func(p *cluster.PendingJob) {
		p.ID = m.replaceNumber(p.ID)
		p.Name, p.Partition, p.Reason = m.replaceJob(p.Name), m.replacePartition(p.Partition), firstWord(p.Reason)
	})
	d.Ended = copyEach(d.Ended, func(j *cluster.EndedJob) {
		j.ID, j.Number, j.State = m.replaceNumber(j.ID), m.replaceNumber(j.Number),
			cluster.EndState(ended.matchText(string(j.State)))
		j.Name, j.Partition, j.Cause = m.replaceJob(j.Name), m.replacePartition(j.Partition), ""
		j.OutOfMemory = firstWord(j.OutOfMemory)
	})
	d.Switches = copyEach(d.Switches, func(s *cluster.Switch) {
		s.Name = m.replaceSwitch(s.Name)
		s.Nodes = copyEach(s.Nodes, func(n *string) { *n = m.Node(*n) })
	})
	return &d
}

func (m *Mask) maskHello(h wire.Hello) *wire.Hello {
	h.Host, h.Program, h.Job, h.SLUID = m.Node(h.Host), "", m.replaceNumber(h.Job),
		m.replaceName("sluid", "sluid%d", h.SLUID)
	h.Build, h.System = release.matchText(h.Build), platform.matchText(h.System)
	h.Kernel, h.Driver, h.CUDA = version.matchText(h.Kernel), version.matchText(h.Driver), version.matchText(h.CUDA)
	h.NUMA = copyEach(h.NUMA, func(n *wire.NUMANode) { n.CPUs = cpus.matchText(n.CPUs) })
	h.Missing = slices.DeleteFunc(slices.Clone(h.Missing), func(f string) bool { return function.matchText(f) == "" })
	h.FaultID = class.matchText(h.FaultID)
	h.Fault, h.StandIn = inPlaceOf(h.Fault, h.FaultID), inPlaceOf(h.StandIn, "no_probe")
	h.GPUs = copyEach(h.GPUs, func(c *wire.Card) {
		c.UUID, c.Serial, c.FabricDomain = m.replaceUUID(c.UUID), "", m.replaceUUID(c.FabricDomain)
		c.Name, c.Absent = m.replaceModel(c.Name), absentMetrics(c.Absent)
		c.PCIBus, c.VBIOS = address.matchText(c.PCIBus), address.matchText(c.VBIOS)
		c.Capability, c.LostID = version.matchText(c.Capability), class.matchText(c.LostID)
		c.Lost = inPlaceOf(c.Lost, c.LostID)
		if c.Instance != nil {
			i := *c.Instance
			i.Parent = m.replaceUUID(i.Parent)
			c.Instance = &i
		}
	})
	return &h
}

func (m *Mask) maskReport(r wire.Report) *wire.Report {
	r.GPUs = copyEach(r.GPUs, func(g *wire.GPU) {
		g.LostID, g.Call = class.matchText(g.LostID), collectorName(g.Call)
		g.Lost, g.Unlisted = inPlaceOf(g.Lost, g.LostID), inPlaceOf(g.Unlisted, "unlisted")
	})
	r.Jobs = copyEach(r.Jobs, func(j *wire.JobMemory) { j.Job = m.replaceNumber(j.Job) })
	r.Processes = copyEach(r.Processes, func(p *wire.Process) {
		p.User, p.UID = m.User(p.User), nil
		p.Job, p.Step, p.State, p.Type = m.replaceNumber(p.Job), step.matchText(p.Step), letter.matchText(p.State),
			kind.matchText(p.Type)
		p.CPUAffinity, p.NoRank = cpus.matchText(p.CPUAffinity), class.matchText(p.NoRank)
		p.Name, p.Command, p.Directory = m.replaceProgram(p.Name), m.replaceCommand(p.Command),
			m.replaceDirectory(p.Directory)
		if p.Rank != nil {
			r := *p.Rank
			r.Program, r.From = m.replaceName("launch", "%08x", r.Program), variable.matchText(r.From)
			p.Rank = &r
		}
	})
	r.Faults = copyEach(r.Faults, func(f *wire.Fault) {
		f.Collector, f.Error = collectorName(f.Collector), inPlaceOf(f.Error, "failed")
	})
	return &r
}

func (m *Mask) maskFailure(f *reach.Failure) *reach.Failure {
	if f == nil {
		return nil
	}
	c := reach.Failure{Class: f.Class, Stage: f.Stage, Short: inPlaceOf(f.Short, string(f.Class)), Next: f.Next}
	c.Doors = copyEach(f.Doors, func(t *reach.Tried) { *t = *m.maskTried(t) })
	return &c
}

func (m *Mask) maskTried(t *reach.Tried) *reach.Tried {
	if t == nil {
		return nil
	}
	return &reach.Tried{Door: t.Door, Class: t.Class, Summary: inPlaceOf(t.Summary, string(t.Class))}
}

// inPlaceOf returns the class of a text as words, if there is a text.
func inPlaceOf(text, class string) string {
	if text == "" {
		return ""
	}
	return strings.ReplaceAll(cmp.Or(class, "other"), "_", " ")
}

// firstWord returns the letters at the beginning, such as "ReqNodeNotAvail" from SLURM's reason that names the nodes,
// or "squeue" from a command.
func firstWord(s string) string {
	if i := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }); i >= 0 {
		return s[:i]
	}
	return s
}

// copyEach returns a copy of a list in which each element is changed. A nil list stays nil.
func copyEach[T any](in []T, change func(*T)) []T {
	out := slices.Clone(in)
	for i := range out {
		change(&out[i])
	}
	return out
}

// nodeKeys returns the map with the names of nodes replaced. A nil map stays nil.
func nodeKeys[T any](m *Mask, in map[string]T) map[string]T {
	if in == nil {
		return nil
	}
	out := make(map[string]T, len(in))
	for _, name := range slices.Sorted(maps.Keys(in)) {
		out[m.Node(name)] = in[name]
	}
	return out
}
