package ui

import (
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

func (v *view) freeMouse() { v.noMouse = !v.noMouse }

// freeMouseOfNvitop answers nvitop's key, which elsewhere leads to the ranks.
func (v *view) freeMouseOfNvitop(*part.Scene) nav.Answer {
	if !v.hasProperty(keys.LikeNvitop) {
		return nav.Answer{}
	}
	v.freeMouse()
	return nav.Taken
}

func (v *view) openPalette(s *part.Scene) nav.Answer {
	v.find(s, true)
	return nav.Taken
}

func (v *view) openHelp(s *part.Scene) nav.Answer {
	v.find(s, false)
	return nav.Taken
}

func (v *view) recolor() { v.classic = !v.classic }

func (v *view) hideOthers() { v.mine = !v.mine }

func (v *view) goBack() { v.leavePages(v.popPage()) }

func (v *view) prevJob(s *part.Scene) nav.Answer {
	v.moveJob(s.Snap.Jobs, -1)
	return nav.Taken
}

func (v *view) nextJob(s *part.Scene) nav.Answer {
	v.moveJob(s.Snap.Jobs, +1)
	return nav.Taken
}

func (v *view) prevNode(s *part.Scene) nav.Answer {
	v.moveNode(s.Job.Nodes, s.Order, -1)
	return nav.Taken
}

func (v *view) nextNode(s *part.Scene) nav.Answer {
	v.moveNode(s.Job.Nodes, s.Order, +1)
	return nav.Taken
}

func (v *view) prevProblem(s *part.Scene) nav.Answer {
	v.moveProblem(s, -1)
	return nav.Taken
}

func (v *view) nextProblem(s *part.Scene) nav.Answer {
	v.moveProblem(s, +1)
	return nav.Taken
}
