package stacks

import (
	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/hang/stacks/frames"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// mostChildren limits how many descendants of a group's ranks a document holds: recordings keep them too.
const mostChildren = 256

// describeCounts returns what the kernel counted for a rank between the looks; nil: nothing is known.
func (p *Pair) describeCounts(r *Rank) *rankstacks.Counted {
	return countedOf(p.kernelWork(r).own, r.Process.Looks)
}

func countedOf(s frames.Stir, looks *wire.StackLooks) *rankstacks.Counted {
	c := rankstacks.Counted{}
	if s.Known.CPU {
		c.CPUPercent = new(metric.Round(100*s.CPU, 1))
	}
	if s.Known.Switches {
		c.Switches = &s.Switches
	}
	if s.Known.Bytes {
		c.IOBytes = &s.Bytes
	}
	if s.Known != (frames.KnownCounters{}) {
		c.Seconds = metric.Round(s.Took.Seconds(), 3)
	}
	if looks != nil {
		c.Looks, c.InLine = looks.Times, looks.Same
	}
	if c == (rankstacks.Counted{}) {
		return nil
	}
	return &c
}

// describeChildren returns the descendants of a rank in the document's form.
func (p *Pair) describeChildren(r *Rank) (list []rankstacks.Child) {
	before := p.before[process{r.Node, r.ProcessID}]
	was := before.workersByID()
	for i := range r.Workers {
		w := &r.Workers[i]
		c := rankstacks.Child{Rank: r.rankNumber(), Node: r.Node, PID: w.PID, Parent: w.Parent, Name: w.Name, State: w.State}
		if t := frames.MainThread(w); t != nil && len(t.Frames) > 0 {
			c.Summary = frames.Of(t.Frames).String()
		}
		if earlier := was[w.ProcessID]; earlier != nil {
			c.Counted = countedOf(frames.ProcessStir(earlier, w, before.readMS, r.readMS), nil)
		}
		list = append(list, c)
	}
	return list
}

// workersByID returns the descendants of a rank; none if the rank is nil.
func (r *Rank) workersByID() map[wire.ProcessID]*wire.ProcessStacks {
	all := map[wire.ProcessID]*wire.ProcessStacks{}
	for i := 0; r != nil && i < len(r.Workers); i++ {
		all[r.Workers[i].ProcessID] = &r.Workers[i]
	}
	return all
}
