package stacks

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// A program reads of the document what the sentences speak of: the counters of each rank, its looks, and its
// descendants, whatever they do. What is not known is absent.
func TestCountersOfTheDocument(t *testing.T) {
	worker := func(ticks, switches uint64) wire.ProcessStacks {
		return wire.ProcessStacks{ProcessID: wire.ProcessID{PID: 900, StartTicks: 7}, Parent: 100, Of: 100,
			Name: "pt_data_worker", State: "S", IOBytes: new(switches << 20), Threads: []wire.ThreadStack{{TID: 900,
				Main: true, State: "S", CPUTicks: &ticks, Switches: &switches, Frames: load}}}
	}
	looks := make([]*Observation, 2)
	for i, counted := range [][]is{{in(load), used(3), waited(40), wrote(100)},
		{in(load), used(53), waited(507), wrote(5100), seen(10, 9)}} {
		looks[i] = job(5*i, 2, func(rank int) []is {
			if rank == 0 {
				return counted
			}
			return []is{in(reduce), uncounted}
		})
		looks[i].Ranks[0].Workers = []wire.ProcessStacks{worker(uint64(i), uint64(i))}
	}
	d := Of(NewPair(looks[0], looks[1]), Evidence{})
	for i := range d.Groups {
		g := &d.Groups[i]
		of := *g.Ranks[0].Rank
		want := &rankstacks.Counted{Seconds: 5, CPUPercent: new(10.0), Switches: new(uint64(467)),
			IOBytes: new(uint64(5000)), Looks: 10, InLine: 9}
		children := []rankstacks.Child{{Rank: new(0), Node: "n1", PID: 900, Parent: 100, Name: "pt_data_worker",
			State: "S", Summary: g.Summary, Counted: &rankstacks.Counted{Seconds: 5, CPUPercent: new(0.2),
				Switches: new(uint64(1)), IOBytes: new(uint64(1 << 20))}}}
		if of == 1 {
			want, children = &rankstacks.Counted{Seconds: 5, CPUPercent: new(0.0)}, nil
		}
		if diff := cmp.Diff(want, g.Ranks[0].Counted) + cmp.Diff(children, g.Children); diff != "" {
			t.Errorf("rank %d: %s", of, diff)
		}
	}
	if one := Of(NewPair(nil, looks[0]), Evidence{}); one.Groups[0].Ranks[0].Counted != nil {
		t.Errorf("after one look there is %+v", one.Groups[0].Ranks[0].Counted)
	}
}

// A large job has the descendants of its first ranks, and says how many are left out.
func TestChildrenAreLimited(t *testing.T) {
	l := job(0, 40, func(int) []is { return []is{in(reduce)} })
	for i := range l.Ranks {
		for pid := range 16 {
			l.Ranks[i].Workers = append(l.Ranks[i].Workers, wire.ProcessStacks{ProcessID: wire.ProcessID{PID: 900 + pid}})
		}
	}
	if g := Of(NewPair(nil, l), Evidence{}).Groups[0]; len(g.Children) != 256 || g.MoreChildren != 40*16-256 {
		t.Errorf("%d children, and %d more", len(g.Children), g.MoreChildren)
	}
}
