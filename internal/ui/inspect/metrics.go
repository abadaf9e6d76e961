package inspect

import (
	"slices"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Metrics shows the metrics of a process, with their past since it was opened.
type Metrics struct {
	target  tally.Target
	details *wire.Details // nil: the node has not sent them
	refused string        // why the node has not sent them; "": it did not refuse

	last    *wire.Process // its entry in the last list that had it; nil: no list had it
	at      time.Time     // arrival of the last list with the process
	gone    time.Time     // arrival of the first list without it; zero: it runs
	started time.Time     // by our clock; zero: unknown
	now     processValues // the values of last
	past    processPast
	alone   string    // the GPU whose past is shown from before opened, as no other process is there; "": none
	opened  time.Time // arrival of the first list
	closed  bool
}

// processValues has the values of the process in one list, over all of its GPUs. Unknown values are NaN.
type processValues struct {
	values []float64 // of charts
	most   float64   // total memory of its GPUs in bytes
	gpus   []onGPU
}

// onGPU is a GPU of the process.
type onGPU struct {
	name string
	util float64
}

// NewMetrics asks for the details of a process.
func NewMetrics(t tally.Target) (*Metrics, nav.Answer) {
	m := &Metrics{target: t}
	id := t.ProcessID
	return m, nav.Answer{Taken: true, Ask: []nav.Ask{{Node: t.Node, Request: wire.Request{Process: &id}}}}
}

// Target is the process.
func (m *Metrics) Target() tally.Target { return m.target }

// On names the page in the list of keys.
func (m *Metrics) On() keys.Page { return keys.OnMetrics }

// Wants asks for the processes of the selected node, on which the process runs.
func (m *Metrics) Wants(*part.Scene) nav.Wants { return nav.Wants{Selected: true, Processes: true} }

// metricsCode is the code of the page's own actions.
var metricsCode = nav.CodeTable[*Metrics]{
	{Of: keys.LeaveMetrics, Do: nav.ChangePage(func(m *Metrics) { m.closed = true })},
}

// Actions returns the actions that have code.
func (m *Metrics) Actions() []key.Binding { return metricsCode.Actions() }

// Press answers a key, the mouse, or the node's answer. The overlay's only own key closes it.
func (m *Metrics) Press(msg tea.Msg, s *part.Scene) (a nav.Answer, open bool) {
	switch msg := msg.(type) {
	case nav.Result:
		m.handleResult(msg)
	case tea.KeyPressMsg:
		a = metricsCode.Do(m, msg, s)
		return a, !m.closed
	}
	return nav.Taken, true
}

func (m *Metrics) handleResult(r nav.Result) {
	if r.Request.Process == nil || *r.Request.Process != m.target.ProcessID || r.Node != m.target.Node {
		return
	}
	m.refused = whyRefused(&m.target, r)
	if m.refused == "" && r.Reply.Process != nil {
		m.details = r.Reply.Process
	}
}

// Settle takes the process's values from a new list of the node.
func (m *Metrics) Settle(s *part.Scene) {
	n := s.NodeOf(m.target.Node)
	if !n.Listed || n.ListedAt.Equal(m.at) {
		return
	}
	m.at = n.ListedAt
	var rows []*wire.Process
	for i := range n.Processes {
		if p := &n.Processes[i]; p.PID == m.target.PID && p.StartTicks == m.target.StartTicks {
			rows = append(rows, p)
		}
	}
	if len(rows) == 0 {
		if m.gone.IsZero() {
			m.gone = m.at
		}
		return
	}
	p := *rows[0]
	m.last, m.gone = &p, time.Time{}
	if m.started.IsZero() && p.ElapsedSec != nil {
		m.started = m.at.Add(-time.Duration(*p.ElapsedSec) * time.Second)
	}
	m.now = sumOverGPUs(n, rows)
	m.past.addSample(s.Snap.Poll, n.Interval, m.at, m.now.values)
	if m.past.hasOneBin() {
		m.adoptGPUPast(n, rows)
	}
}

// adoptGPUPast takes over the past of the GPU since the process started, if the process is the only one there.
func (m *Metrics) adoptGPUPast(n *cluster.Node, rows []*wire.Process) {
	m.opened, m.alone = m.at, ""
	g := n.GPUAt(rows[0].GPU)
	others := slices.ContainsFunc(n.Processes, func(p wire.Process) bool {
		return p.GPU == rows[0].GPU && (p.PID != m.target.PID || p.StartTicks != m.target.StartTicks)
	})
	if len(rows) != 1 || g == nil || others || g.Instance() {
		return
	}
	keep := max(int(span/m.past.width), least)
	if !m.started.IsZero() {
		keep = min(keep, int(m.at.Sub(m.started)/m.past.width))
	}
	samples := map[int][]float32{}
	for i, c := range charts {
		id, there := metric.Find(c.Chart.OfGPU, metric.GPU)
		if v := m.now.values[i]; there && keep > 0 && v == v {
			samples[i] = g.History.Tail(nil, id, m.past.newest-1, keep)
		}
	}
	if len(samples) > 0 {
		m.alone = part.GPUNumber(g)
		m.past.prependSamples(samples)
	}
}

// sumOverGPUs sums up a process over its GPUs.
func sumOverGPUs(n *cluster.Node, rows []*wire.Process) (r processValues) {
	for _, c := range charts {
		r.values = append(r.values, gaugeOfProcess(c, rows))
	}
	for _, p := range rows {
		if g := n.GPUAt(p.GPU); g != nil {
			r.gpus = append(r.gpus, onGPU{part.GPUNumber(g), g.Float(metric.Util)})
			r.most += g.Float(metric.MemoryTotal)
		} else {
			r.most = unknown
		}
	}
	return r
}

// hasExited reports whether the process was in an earlier list and is not in the last one.
func (m *Metrics) hasExited() bool { return m.last != nil && !m.gone.IsZero() }

// WhyGone says that the process has exited; "": it has not.
func (m *Metrics) WhyGone() string {
	if m.hasExited() {
		return "the process has exited"
	}
	return ""
}
