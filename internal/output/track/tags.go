package track

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// MarksFrom leaves out the parts of an earlier command, which have ended before a time.
func (t *Tracker) MarksFrom(at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.book.From(at)
}

// tag adds a report of the GPUs to the parts that the command has marked.
func (t *Tracker) tag(e *cluster.Event) {
	active := t.book.Active(e.At)
	if len(active) == 0 {
		return
	}
	for i := range e.Report.GPUs {
		g := &e.Report.GPUs[i]
		if card := t.gpus.card(g.Index); card == nil || !t.gpus.expects(card) {
			continue
		}
		for _, tag := range active {
			tag.GPU(t.gpus.window, g.Values.Float(metric.Util), g.Values.Float(metric.MemoryUsed),
				g.Values.Float(metric.Power))
		}
	}
}

// tags writes the parts of the command, in the layout of the rest. gpu_tracker has no such lines.
func (p *page) tags(r *Report) {
	if len(r.Tags) == 0 {
		return
	}
	p.line(0, "Tags:")
	for i := range r.Tags {
		t := &r.Tags[i]
		p.line(1, "%s:", t.Name)
		p.line(2, "Times: %d", t.Times)
		p.number(2, "Seconds", t.Seconds)
		if t.Util != nil {
			p.number(2, "Mean GPU percent", t.Util.Mean)
			p.number(2, "Max GPU percent", t.Util.Highest)
		}
		if t.GPUMemory != nil {
			p.number(2, "Max GPU RAM of a GPU, "+r.GPURAM.Unit, float64(*t.GPUMemory)/sizeOf(sizes, r.GPURAM.Unit))
		}
		if t.RAM != nil {
			p.number(2, "Max RAM, "+r.RAM.Unit, float64(*t.RAM)/sizeOf(sizes, r.RAM.Unit))
		}
		if t.Energy != nil {
			p.number(2, "GPU energy, joules", *t.Energy)
		}
	}
}
