package ui

import (
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

func freeMouse(v *view) { v.noMouse = !v.noMouse }

// freeMouseOfNvitop answers the key that releases the mouse in nvitop. On other pages it leads to the ranks.
func freeMouseOfNvitop(v *view, _ *part.Scene) nav.Answer {
	if !v.hasProperty(keys.LikeNvitop) {
		return nav.Answer{}
	}
	freeMouse(v)
	return nav.Taken
}

func openPalette(v *view, s *part.Scene) nav.Answer {
	v.find(s, true)
	return nav.Taken
}

func openHelp(v *view, s *part.Scene) nav.Answer {
	v.find(s, false)
	return nav.Taken
}

func recolor(v *view) { v.settings.Now.Classic = !v.settings.Now.Classic }

func hideOthers(v *view) { v.mine = !v.mine }

func (v *view) goBack() { v.leavePages(v.popPage()) }

// toJob moves to another job, toNode to another node, and toProblem to another problem.
func toJob(by int) func(*view, *part.Scene) nav.Answer {
	return func(v *view, s *part.Scene) nav.Answer {
		v.moveJob(s.Snap.Jobs, by)
		return nav.Taken
	}
}

func toNode(by int) func(*view, *part.Scene) nav.Answer {
	return func(v *view, s *part.Scene) nav.Answer {
		v.moveNode(s.Job.Nodes, s.Order, by)
		return nav.Taken
	}
}

func toProblem(by int) func(*view, *part.Scene) nav.Answer {
	return func(v *view, s *part.Scene) nav.Answer {
		v.moveProblem(s, by)
		return nav.Taken
	}
}
