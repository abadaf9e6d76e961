package ui

import (
	"math/rand/v2"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// inspectShots are the pages about one process.
func inspectShots() []shot {
	first := func(v *view) { v.chooseNode("gpu-n02", 1) }
	return []shot{
		{name: "environ", snap: uitest.Fixture, view: first, typed: "5jejjjjjj", told: uitest.Says(uitest.EnvironFixture)},
		{name: "details", snap: uitest.Fixture, view: first, typed: "5jvj", told: uitest.Says(uitest.InspectedFixture)},
		{name: "metrics", snap: uitest.Fixture, view: first, typed: "5jj\r", told: uitest.Says(uitest.DetailsFixture), later: watch(40)},
		{name: "metrics-gone", snap: uitest.GoneFixture, view: first, later: func(v *view, s *part.Scene) {
			now := s.Snap
			s.Snap = uitest.Fixture()
			v.resolveSelection(s)
			for _, k := range []tea.KeyPressMsg{{Code: '5', Text: "5"}, {Code: tea.KeyDown}, {Code: tea.KeyDown},
				{Code: tea.KeyEnter}} {
				if !v.passMessage(k, s).Taken {
					v.handleGlobalKey(k, s)
				}
				v.resolveSelection(s)
			}
			watch(100)(v, s)
			s.Snap = now
			v.resolveSelection(s)
		}},
	}
}

// see shows another gpu-n02 for a moment.
func see(v *view, s *part.Scene, n *cluster.Node) {
	now := s.Snap
	snap := *now
	snap.Nodes = map[string]*cluster.Node{}
	for name, node := range now.Nodes {
		snap.Nodes[name] = node
	}
	snap.Nodes["gpu-n02"] = n
	s.Snap = &snap
	v.resolveSelection(s)
	s.Snap = now
	v.process().Wants(s)
}

// watch lets so many lists of gpu-n02 arrive, and then the one of the fixture.
func watch(lists int) func(v *view, s *part.Scene) {
	return func(v *view, s *part.Scene) {
		r := rand.New(rand.NewPCG(4, 2))
		for i := lists; i > 0; i-- {
			n := *s.Snap.Nodes["gpu-n02"]
			n.ListedAt = n.ListedAt.Add(-time.Duration(i) * 3 * time.Second)
			n.Processes = slices.Clone(n.Processes)
			for k := range n.Processes {
				p := &n.Processes[k]
				p.SMPercent, p.CPUPercent, p.MemPercent = new(70+r.IntN(30)), new(95+10*r.Float64()), new(40+r.IntN(20))
				p.ElapsedSec = new(*p.ElapsedSec - int64(3*i))
			}
			see(v, s, &n)
		}
		n := *s.Snap.Nodes["gpu-n02"]
		see(v, s, &n)
		v.resolveSelection(s)
	}
}
