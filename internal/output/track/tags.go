package track

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// MarksFrom leaves out the parts of an earlier command, which ended before a time.
func (t *Tracker) MarksFrom(at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.book.From(at)
}

// tagReport adds a report of the GPUs to the parts that the command marked.
func (t *Tracker) tagReport(e *cluster.Event) {
	active := t.book.Active(e.At)
	if len(active) == 0 {
		return
	}
	for i := range e.Report.GPUs {
		g := &e.Report.GPUs[i]
		if card := t.gpus.findCard(g.Index); card == nil || !t.gpus.isExpected(card) {
			continue
		}
		for _, tag := range active {
			tag.GPU(t.gpus.window, g.Values.Float(metric.Util), g.Values.Float(metric.MemoryUsed),
				g.Values.Float(metric.Power))
		}
	}
}

// writeTags writes the parts of the command, in the same layout as the rest. gpu_tracker has no such lines.
func (p *page) writeTags(r *Report) {
	if len(r.Tags) == 0 {
		return
	}
	p.writeLine(0, "Tags:")
	for i := range r.Tags {
		t := &r.Tags[i]
		p.writeLine(1, "%s:", t.Name)
		p.writeLine(2, "Times: %d", t.Times)
		p.writeNumber(2, "Seconds", t.Seconds)
		if t.Util != nil {
			p.writeNumber(2, "Mean GPU percent", t.Util.Mean)
			p.writeNumber(2, "Max GPU percent", t.Util.Highest)
		}
		if t.GPUMemory != nil {
			p.writeNumber(2, "Max GPU RAM of a GPU, "+r.GPURAM.Unit, float64(*t.GPUMemory)/sizeOf(sizes, r.GPURAM.Unit))
		}
		if t.RAM != nil {
			p.writeNumber(2, "Max RAM, "+r.RAM.Unit, float64(*t.RAM)/sizeOf(sizes, r.RAM.Unit))
		}
		if t.Energy != nil {
			p.writeNumber(2, "GPU energy, joules", *t.Energy)
		}
	}
}
