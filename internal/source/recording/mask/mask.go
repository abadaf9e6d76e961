// Package mask replaces the names in Events, for recordings that may be given away. The same name always gets the same
// replacement, numbered in the order of appearance. Text of other programs, which may contain any name, is left out; a
// class keeps its meaning.
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

// New returns a Mask that has met no name.
func New() *Mask { return &Mask{names: map[string]map[string]string{}} }

// maxNames limits the names of one kind. All later names share one replacement.
const maxNames = 64 << 10

// name returns the replacement of a name. An empty name stays empty.
func (m *Mask) name(kind, format, real string) string {
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
func (m *Mask) User(s string) string { return m.name("user", "user%d", s) }

// Node returns the replacement of a node or another host.
func (m *Mask) Node(s string) string { return m.name("node", "node%02d", s) }

func (m *Mask) job(s string) string       { return m.name("job", "job%d", s) }
func (m *Mask) partition(s string) string { return m.name("partition", "partition%d", s) }
func (m *Mask) part(s string) string      { return m.name("part", "part%d", s) }
func (m *Mask) leaf(s string) string      { return m.name("switch", "switch%d", s) }
func (m *Mask) program(s string) string   { return m.name("program", "program%d", s) }
func (m *Mask) command(s string) string   { return m.name("command", "command%d", s) }
func (m *Mask) directory(s string) string { return m.name("directory", "/directory%d", s) }
func (m *Mask) model(s string) string {
	if gpus.of(s) != "" {
		return s
	}
	return m.name("model", "GPU model %d", s)
}
func (m *Mask) uuid(s string) string {
	return m.name("uuid", "GPU-%08x-0000-0000-0000-000000000000", s)
}

// Event returns an Event without names. The original stays unchanged.
func (m *Mask) Event(e cluster.Event) cluster.Event {
	e.Node = m.Node(e.Node)
	switch {
	case e.Discovery != nil:
		e.Discovery = m.discovery(*e.Discovery)
	case e.Try != nil:
		t := *e.Try
		t.Passed = m.tried(t.Passed)
		e.Try = &t
	case e.Step != nil:
		s := *e.Step
		s.Text = ""
		e.Step = &s
	case e.Hello != nil:
		e.Hello = m.hello(*e.Hello)
	case e.Report != nil:
		e.Report = m.report(*e.Report)
	case e.Down != nil:
		d := *e.Down
		d.Failure = *m.failure(&d.Failure)
		e.Down = &d
	case e.Mark != nil:
		k := *e.Mark
		k.Job, k.Name, k.By = m.number(k.Job), m.part(k.Name), m.Node(k.By)
		if k.Kind != cluster.Begins && k.Kind != cluster.Ends {
			k.Kind = cluster.Moment
		}
		e.Mark = &k
	case e.Stacks != nil:
		e.Stacks = m.stacks(e.Stacks)
	}
	return e
}

func (m *Mask) discovery(d cluster.Discovery) *cluster.Discovery {
	d.User, d.Host, d.Command = m.User(d.User), m.Node(d.Host), firstWord(d.Command)
	d.Failure, d.Note = m.failure(d.Failure), ""
	d.Jobs = each(d.Jobs, func(j *cluster.Job) {
		j.ID, j.Number = m.number(j.ID), m.number(j.Number)
		j.Name, j.User, j.Partition = m.job(j.Name), m.User(j.User), m.partition(j.Partition)
		j.Nodes = each(j.Nodes, func(n *string) { *n = m.Node(*n) })
		j.Minors, j.Counts, j.Configured = nodeKeys(m, j.Minors), nodeKeys(m, j.Counts), nodeKeys(m, j.Configured)
	})
	d.Others = each(d.Others, func(number *string) { *number = m.number(*number) })
	d.Pending = each(d.Pending, func(p *cluster.PendingJob) {
		p.ID = m.number(p.ID)
		p.Name, p.Partition, p.Reason = m.job(p.Name), m.partition(p.Partition), firstWord(p.Reason)
	})
	d.Ended = each(d.Ended, func(j *cluster.EndedJob) {
		j.ID, j.Number, j.State = m.number(j.ID), m.number(j.Number), cluster.EndState(ended.of(string(j.State)))
		j.Name, j.Partition, j.Cause = m.job(j.Name), m.partition(j.Partition), ""
		j.OutOfMemory = firstWord(j.OutOfMemory)
	})
	d.Switches = each(d.Switches, func(s *cluster.Switch) {
		s.Name = m.leaf(s.Name)
		s.Nodes = each(s.Nodes, func(n *string) { *n = m.Node(*n) })
	})
	return &d
}

func (m *Mask) hello(h wire.Hello) *wire.Hello {
	h.Host, h.Program, h.Job, h.SLUID = m.Node(h.Host), "", m.number(h.Job), m.name("sluid", "sluid%d", h.SLUID)
	h.Build, h.System = release.of(h.Build), platform.of(h.System)
	h.Kernel, h.Driver, h.CUDA = version.of(h.Kernel), version.of(h.Driver), version.of(h.CUDA)
	h.Missing = slices.DeleteFunc(slices.Clone(h.Missing), func(f string) bool { return function.of(f) == "" })
	h.FaultID = class.of(h.FaultID)
	h.Fault, h.StandIn = inPlaceOf(h.Fault, h.FaultID), inPlaceOf(h.StandIn, "no_probe")
	h.GPUs = each(h.GPUs, func(c *wire.Card) {
		c.UUID, c.Serial, c.FabricDomain = m.uuid(c.UUID), "", m.uuid(c.FabricDomain)
		c.Name, c.Absent = m.model(c.Name), absent(c.Absent)
		c.PCIBus, c.VBIOS = address.of(c.PCIBus), address.of(c.VBIOS)
		c.Capability, c.LostID = version.of(c.Capability), class.of(c.LostID)
		c.Lost = inPlaceOf(c.Lost, c.LostID)
		if c.Instance != nil {
			i := *c.Instance
			i.Parent = m.uuid(i.Parent)
			c.Instance = &i
		}
	})
	return &h
}

func (m *Mask) report(r wire.Report) *wire.Report {
	r.GPUs = each(r.GPUs, func(g *wire.GPU) {
		g.LostID, g.Call = class.of(g.LostID), collector(g.Call)
		g.Lost, g.Unlisted = inPlaceOf(g.Lost, g.LostID), inPlaceOf(g.Unlisted, "unlisted")
	})
	r.Jobs = each(r.Jobs, func(j *wire.JobMemory) { j.Job = m.number(j.Job) })
	r.Processes = each(r.Processes, func(p *wire.Process) {
		p.User, p.UID = m.User(p.User), nil
		p.Job, p.Step, p.State, p.Type = m.number(p.Job), step.of(p.Step), letter.of(p.State), kind.of(p.Type)
		p.CPUAffinity, p.NoRank = cpus.of(p.CPUAffinity), class.of(p.NoRank)
		p.Name, p.Command, p.Directory = m.program(p.Name), m.command(p.Command), m.directory(p.Directory)
		if p.Rank != nil {
			r := *p.Rank
			r.Program, r.From = m.name("launch", "%08x", r.Program), variable.of(r.From)
			p.Rank = &r
		}
	})
	r.Faults = each(r.Faults, func(f *wire.Fault) {
		f.Collector, f.Error = collector(f.Collector), inPlaceOf(f.Error, "failed")
	})
	return &r
}

func (m *Mask) failure(f *reach.Failure) *reach.Failure {
	if f == nil {
		return nil
	}
	c := reach.Failure{Class: f.Class, Stage: f.Stage, Short: inPlaceOf(f.Short, string(f.Class)), Next: f.Next}
	c.Doors = each(f.Doors, func(t *reach.Tried) { *t = *m.tried(t) })
	return &c
}

func (m *Mask) tried(t *reach.Tried) *reach.Tried {
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

// firstWord returns the letters at the beginning: "ReqNodeNotAvail" of SLURM's reason that names the nodes, "squeue" of
// a command.
func firstWord(s string) string {
	if i := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }); i >= 0 {
		return s[:i]
	}
	return s
}

// each returns a copy of a list with a change to each element. No list stays none.
func each[T any](in []T, change func(*T)) []T {
	out := slices.Clone(in)
	for i := range out {
		change(&out[i])
	}
	return out
}

// nodeKeys returns the map with other names of nodes. No map stays none.
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
