package recording

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// eventRest is the part of an Event that is written neither at the beginning of a line nor by package wire.
type eventRest struct {
	Discovery *cluster.Discovery   `json:"discovery,omitempty"`
	Try       *cluster.Try         `json:"try,omitempty"`
	Step      *reach.Step          `json:"step,omitempty"`
	Pace      *cluster.Pace        `json:"pace,omitempty"`
	Down      *cluster.Down        `json:"down,omitempty"`
	Gone      bool                 `json:"gone,omitempty"`
	Mark      *cluster.Mark        `json:"mark,omitempty"`
	Stacks    *rankstacks.Verdict  `json:"stacks,omitempty"`
	Progress  *cluster.JobProgress `json:"progress,omitempty"`
}

// encoder makes lines of Events, for one frame.
type encoder struct {
	layout *numberLayout
	nodes  map[string]*nodeWriter
	list   []int64
	body   bytes.Buffer
	packed []byte
	line   []byte
}

// nodeWriter writes the lines of one node. A report omits the values of the previous report, as in package wire. Its
// numbers are packed if it has the same metrics: then wire gets a report with numbers that it already knows, or nothing
// at all if nothing else has changed.
type nodeWriter struct {
	lines   wire.Writer
	last    *wire.Report
	stands  *wire.Report // report whose metrics stand in for those of the next report
	numbers numbers
}

// resetState forgets what is known, at the beginning of another frame.
func (c *encoder) resetState() { c.nodes = map[string]*nodeWriter{} }

// encodeEvent returns the line of an Event, valid until the next call. known says that the Event was written before.
func (c *encoder) encodeEvent(e *cluster.Event, known bool) ([]byte, error) {
	c.body.Reset()
	var packed []byte
	var err error
	switch {
	case e.Report != nil:
		packed, err = c.writeReport(c.ensureNode(e.Node), e.Report)
	case e.Hello != nil:
		n := c.ensureNode(e.Node)
		n.last = nil
		err = n.lines.Write(&c.body, wire.Message{Hello: e.Hello})
	default:
		other := eventRest{e.Discovery, e.Try, e.Step, e.Pace, e.Down, e.Gone, e.Mark, e.Stacks,
			e.Progress}
		err = json.NewEncoder(&c.body).Encode(other)
	}
	if err != nil {
		return nil, err
	}
	name, err := json.Marshal(e.Node)
	if err != nil {
		return nil, err
	}
	c.line = strconv.AppendInt(append(c.line[:0], lineAt...), e.At.UnixNano(), 10)
	c.line = append(append(c.line, lineNode...), name...)
	if known {
		c.line = append(c.line, lineKnown...)
	}
	if body := bytes.TrimSuffix(c.body.Bytes(), []byte("}\n")); len(body) > 0 {
		c.line = append(append(c.line, ','), body[1:]...)
	}
	if packed != nil {
		c.line = append(append(append(c.line, linePacked...), packed...), '"')
	}
	return append(c.line, "}\n"...), nil
}

// writeReport writes the parts of a report that are not packed to body. If packed is nil, nothing is packed.
func (c *encoder) writeReport(n *nodeWriter, r *wire.Report) (packed []byte, err error) {
	exact := n.last != nil && c.layout.haveSameRows(n.last, r)
	if exact {
		c.list, exact = listNumbers(c.list, r, c.layout)
	}
	if !exact {
		if err := n.lines.WriteByGPU(&c.body, wire.Message{Report: r}); err != nil {
			return nil, err
		}
		n.last, n.stands = r, r
		n.numbers.resetNumbers(r, c.layout)
		return nil, nil
	}
	if !hasOnlyNumbers(n.last, r) {
		if err := n.lines.WriteByGPU(&c.body, wire.Message{Report: standIn(r, n.stands)}); err != nil {
			return nil, err
		}
	}
	n.last = r
	c.packed = c.layout.packNumbers(c.packed[:0], &n.numbers, r, c.list)
	return c.packed, nil
}

// standIn returns a report with the numbers of another report, and without counts.
func standIn(r, of *wire.Report) *wire.Report {
	c := *r
	c.Seq, c.MonoMS, c.WallMS, c.TookMS, c.Host = 0, 0, 0, 0, of.Host
	c.Jobs = slices.Clone(r.Jobs)
	for i := range c.Jobs {
		c.Jobs[i].Used = 0
	}
	c.GPUs = slices.Clone(r.GPUs)
	for i := range c.GPUs {
		c.GPUs[i].Values = of.GPUs[i].Values
	}
	return &c
}

// haveSameRows reports whether two reports are about the same metrics of the same GPUs.
func (l *numberLayout) haveSameRows(a, b *wire.Report) bool {
	return len(a.GPUs) == len(b.GPUs) && haveSameMetrics(&a.Host.Values, &b.Host.Values, l.node) &&
		equalPairs(a.GPUs, b.GPUs, func(a, b *wire.GPU) bool {
			return a.Index == b.Index && haveSameMetrics(&a.Values, &b.Values, l.gpu)
		})
}

// hasOnlyNumbers reports whether only numbers of a report differ from the last report.
func hasOnlyNumbers(last, r *wire.Report) bool {
	return !r.Listed && !r.OffBeat && len(r.Processes)+len(r.Xids)+len(r.Faults) == 0 &&
		len(last.Jobs) == len(r.Jobs) &&
		equalPairs(last.Jobs, r.Jobs, func(a, b *wire.JobMemory) bool {
			return a.Job == b.Job &&
				a.Limit == b.Limit
		}) &&
		equalPairs(last.GPUs, r.GPUs, func(a, b *wire.GPU) bool {
			c := *a
			c.Values = b.Values
			return c == *b
		})
}

// equalPairs compares the elements of two lists of the same length.
func equalPairs[T any](a, b []T, equal func(a, b *T) bool) bool {
	for i := range a {
		if !equal(&a[i], &b[i]) {
			return false
		}
	}
	return true
}

// Every line begins with these, in this order.
const (
	lineAt    = `{"at":`
	lineNode  = `,"node":`
	lineKnown = `,"known":true`
	lineJobs  = `,"discovery":`
)

// linePacked comes before the packed numbers, which end a line. No string in JSON contains it: inside a string, each
// quote has a backslash.
const linePacked = `,"packed":"`

func (c *encoder) ensureNode(name string) *nodeWriter {
	n := c.nodes[name]
	if n == nil {
		n = &nodeWriter{}
		c.nodes[name] = n
	}
	return n
}
