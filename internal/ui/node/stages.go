package node

import (
	"slices"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// drawStages lists the stages of the attempt and returns the row below. In low terminals the stages that were not
// reached share a line.
func drawStages(f *part.Frame, y, h int) int {
	var unreached []string
	for _, stage := range f.Node.Route.Stages {
		if y >= f.H-1 {
			return y
		}
		i := slices.IndexFunc(f.Node.Steps, func(s reach.Step) bool { return s.Stage == stage })
		if i >= 0 {
			drawStage(f, y, stage, &f.Node.Steps[i])
		} else if unreached = append(unreached, string(stage)); h < part.Tall {
			continue
		} else {
			drawStage(f, y, stage, nil)
		}
		y++
	}
	if h < part.Tall && len(unreached) > 0 {
		f.Put(3, y, "·", draw.Dim)
		f.Left(6, y, f.W-7, "pending: "+strings.Join(unreached, ", "), draw.Dim)
		y++
	}
	return y
}

// lastStage draws the last stage of the attempt and returns the row below.
func lastStage(f *part.Frame, y int) int {
	n := len(f.Node.Steps)
	if n == 0 || y >= f.H-1 {
		return y
	}
	drawStage(f, y, f.Node.Steps[n-1].Stage, &f.Node.Steps[n-1])
	return y + 1
}

// drawStage draws one stage; step is nil when it was not reached.
func drawStage(f *part.Frame, y int, stage reach.Stage, step *reach.Step) {
	room := stageRoom(f)
	glyph, role, name, text, took := "·", draw.Dim, draw.Dim, "–", ""
	if step != nil {
		name, text = draw.Text, step.Text
		took = draw.Took(step.Took)
		switch step.State {
		case reach.StepDone:
			glyph, role = "✓", draw.Data
		case reach.StepFailed:
			glyph, role = "✗", draw.Crit
		default:
			glyph, role = "◌", draw.Strong
			took = wholeSeconds(f.Snap.At.Sub(step.At))
		}
	}
	if n := len(f.Node.Route.Stages); n > 0 && stage == f.Node.Route.Stages[n-1] && f.Node.State == cluster.NodeStale &&
		step != nil {
		glyph, role, text, took = "▲", draw.Warn, "last report "+draw.Age(f.Node.Age)+" ago", ""
	}
	f.Put(3, y, glyph, role)
	f.Left(6, y, 9, string(stage), name)
	textRole := name
	if role == draw.Crit || role == draw.Warn {
		textRole = role
	}
	f.Left(16, y, room, text, textRole)
	if 16+room+8 < f.W {
		f.Right(16+room, y, 8, took, draw.Dim)
	}
}

// stageRoom is the width for the result of a stage: that of the longest result, so that the times stand close to the
// results.
func stageRoom(f *part.Frame) int {
	const least, most = 20, 58
	longest := least
	for i := range f.Node.Steps {
		longest = max(longest, draw.Width(f.Node.Steps[i].Text)+2)
	}
	return max(min(longest, most, f.W-30), 12)
}
