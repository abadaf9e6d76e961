package ui

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/uitest"
)

// readsStacks lets the page of the stacks ask so many times: the third rank of a node waits for data, the fifth must
// not be read, and a node is silent. With none it asks, and nobody has answered yet.
func readsStacks(looks int) func(v *view, s *part.Scene) {
	return func(v *view, s *part.Scene) {
		now, page := s.Snap.At, v.stacks
		page.Arrive(s, nav.Go{})
		for range looks {
			asks := page.Due(now, s, true).Ask
			for len(asks) > 0 {
				ask := asks[0]
				asks = append(asks[1:], page.Press(uitest.TellStacks(ask), s).Ask...)
			}
			now = now.Add(time.Second / 2)
		}
		if looks == 0 {
			page.Due(now, s, true)
		}
		v.resolveSelection(s)
	}
}

// readsThen lets the page ask twice, and then presses keys.
func readsThen(typed string) func(v *view, s *part.Scene) {
	return func(v *view, s *part.Scene) {
		readsStacks(2)(v, s)
		for _, k := range typed {
			if k == '\r' {
				v.stacks.Press(pressed("enter"), s)
				continue
			}
			v.stacks.Press(pressed(string(k)), s)
		}
	}
}
