package ui

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
)

// doctorView draws how nvnodetop reaches the selected node, be it well or not.
func (f *frame) doctorView() {
	f.header(true)
	f.tabs()
	f.doctor(4)
	f.footer("", f.doctorHints()...)
}

func (f *frame) doctorHints() []hint {
	hints := []hint{{"r", "retry now"}, {"↑↓", "job"}, {"←→", "node"}, {"o", "overview"}, {"?", "help"}, {"q", "quit"}}
	if f.node.State != cluster.NodeFailed {
		hints[0].verb = "refresh"
	}
	if f.view.screen == screenDoctor {
		hints = slices.Insert(hints, 4, hint{"Esc", "back"})
	}
	return hints
}

// doctor draws from row y: how far the attempt got, the node's own words, what they mean and what can be done. Low terminals have no
// blank lines, and no room for stages that were not reached; the lowest have the stage at fault and the words.
func (f *frame) doctor(y int) {
	low := f.h < tall
	if low {
		y--
	}
	f.doctorTitle(y)
	failure := f.node.Failure
	if f.h < veryLow && failure != nil {
		y = f.lastStage(y + 1)
		f.paragraphs(y, strings.Split(failure.Words, "\n"))
		return
	}
	if low {
		y = f.stages(y + 1)
	} else {
		y = f.stages(y+2) + 1
	}
	if failure != nil {
		y = f.explain(y, failure)
	}
	if hasNumbers(f.node) {
		y = f.prose(y, "What is missing", f.missing())
	}
	f.tries(y)
}

// veryLow is the height below which the doctor tells but what went wrong.
const veryLow = 12

// explain draws the words of a failure, what they mean and what can be done: that first, where there is no room for both.
func (f *frame) explain(y int, failure *reach.Failure) int {
	y = f.prose(y, "In the node's words", strings.Split(failure.Words, "\n"))
	meaning, hints := []string{failure.Meaning}, failure.Hints
	rows := 4 // two titles, and two blank lines in a tall terminal
	if f.h < tall {
		rows = 2
	}
	for _, p := range append(meaning, hints...) {
		rows += len(f.wrapped(p))
	}
	if y+rows > f.h-1 {
		y = f.prose(y, "What you can do", hints)
		return f.prose(y, "What it means", meaning)
	}
	y = f.prose(y, "What it means", meaning)
	return f.prose(y, "What you can do", hints)
}

// doctorTitle says in one line how it stands.
func (f *frame) doctorTitle(y int) {
	n := f.node
	var title, glyph string
	role := draw.CritFill
	var rest []string
	age := draw.Age(f.snap.At.Sub(n.Since))
	switch n.State {
	case cluster.NodeFailed:
		title, glyph = n.Name+": no data", " ✗ "
		if n.Failure != nil {
			title = n.Name + ": " + n.Failure.Summary()
		}
		rest = append(rest, "for "+age, plural(n.Tries, "try", "tries"))
	case cluster.NodeStale:
		title, role, glyph = n.Name+" is silent", draw.Warn, "▲ "
		rest = append(rest, "for "+draw.Age(n.Age))
	case cluster.NodeStreaming:
		title, role, glyph = n.Name+" streams", draw.Strong, "✓ "
		rest = append(rest, "for "+age)
		if n.Interval > 0 {
			rest = append(rest, "every "+seconds(n.Interval))
		}
	default:
		title, role, glyph = "Connecting to "+n.Name, draw.Strong, "◌ "
		try := "first try"
		if n.Tries > 1 {
			try = "try " + strconv.Itoa(n.Tries)
		}
		if !n.Since.IsZero() {
			rest = append(rest, age)
		}
		rest = append(rest, try)
	}
	if next := f.retry(n); next != "" {
		rest = append(rest, next)
	}
	if role == draw.CritFill {
		title += " "
	}
	x := f.Put(1, y, draw.Clip(glyph+title, f.w-2), role)
	f.Left(x+3, y, f.w-4-x, strings.Join(rest, ", "), draw.Dim)
}

// stages lists the stages of the attempt, in tall terminals each of those that were not reached too, and returns the row below.
func (f *frame) stages(y int) int {
	var unreached []string
	for _, stage := range f.node.Stages {
		if y >= f.h-1 {
			return y
		}
		if i := f.step(stage); i >= 0 {
			f.stage(y, stage, &f.node.Steps[i])
		} else if unreached = append(unreached, string(stage)); f.h < tall {
			continue
		} else {
			f.stage(y, stage, nil)
		}
		y++
	}
	if f.h < tall && len(unreached) > 0 {
		f.Put(3, y, "·", draw.Dim)
		f.Left(6, y, f.w-7, strings.Join(unreached, ", ")+": not reached", draw.Dim)
		y++
	}
	return y
}

// step is the place of a stage's step among the node's, -1 when it was not reached.
func (f *frame) step(stage reach.Stage) int {
	return slices.IndexFunc(f.node.Steps, func(s reach.Step) bool { return s.Stage == stage })
}

// lastStage draws the stage that the attempt got to and returns the row below.
func (f *frame) lastStage(y int) int {
	n := len(f.node.Steps)
	if n == 0 || y >= f.h-1 {
		return y
	}
	f.stage(y, f.node.Steps[n-1].Stage, &f.node.Steps[n-1])
	return y + 1
}

// stage draws one stage; nil is the step of one that was not reached.
func (f *frame) stage(y int, stage reach.Stage, step *reach.Step) {
	room := max(min(58, f.w-30), 12)
	glyph, role, name, text, took := "·", draw.Dim, draw.Dim, "not reached", ""
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
			took = running(f.snap.At.Sub(step.At))
		}
	}
	if n := len(f.node.Stages); n > 0 && stage == f.node.Stages[n-1] && f.node.State == cluster.NodeStale && step != nil {
		glyph, role, text, took = "▲", draw.Warn, "the last report came "+draw.Age(f.node.Age)+" ago", ""
	}
	f.Put(3, y, glyph, role)
	f.Left(6, y, 9, string(stage), name)
	textRole := name
	if role == draw.Crit || role == draw.Warn {
		textRole = role
	}
	f.Left(16, y, room, text, textRole)
	if 16+room+8 < f.w {
		f.Right(16+room, y, 8, took, draw.Dim)
	}
}

// running is for how long something goes on: whole seconds, as it is looked at once a second.
func running(d time.Duration) string {
	if d < time.Minute {
		return strconv.Itoa(int(max(d, 0)/time.Second)) + " s"
	}
	return draw.Age(d)
}

// prose draws a section of paragraphs, as far as there is room, and returns the row below. Nothing to say is no section.
func (f *frame) prose(y int, title string, paragraphs []string) int {
	paragraphs = slices.DeleteFunc(slices.Clone(paragraphs), func(p string) bool { return p == "" })
	if len(paragraphs) == 0 || y+2 > f.h-1 {
		return y
	}
	f.section(y, title, "")
	y = f.paragraphs(y+1, paragraphs)
	if f.h >= tall {
		y++
	}
	return y
}

// paragraphs draws text as far as there is room, and returns the row below.
func (f *frame) paragraphs(y int, paragraphs []string) int {
	for _, p := range paragraphs {
		for _, s := range f.wrapped(p) {
			if y >= f.h-1 {
				return y
			}
			f.Left(3, y, f.w-4, s, draw.Text)
			y++
		}
	}
	return y
}

func (f *frame) wrapped(p string) []string { return draw.Wrap(p, max(f.w-5, 10), "") }

// missing says what a node that streams does not tell.
func (f *frame) missing() []string {
	var lines []string
	if h := f.node.Hello; h != nil {
		if h.Fault != "" {
			lines = append(lines, "no numbers of the GPUs: "+h.Fault)
		}
		if len(h.Missing) > 0 {
			lines = append(lines, "the driver's library lacks "+strings.Join(h.Missing, ", "))
		}
	}
	for _, fault := range f.node.Faults {
		lines = append(lines, fault.Collector+": "+fault.Error)
	}
	return lines
}

// tries lists the attempts that failed.
func (f *frame) tries(y int) {
	if len(f.node.Attempts) == 0 || y+2 > f.h-1 {
		return
	}
	f.section(y, "Tries that failed", "")
	for _, a := range f.node.Attempts {
		y++
		if y >= f.h-1 {
			return
		}
		x := f.Put(3, y, a.At.Format(time.TimeOnly)+"  ", draw.Dim)
		text := a.Summary
		if a.Took > 0 {
			text += " after " + draw.Took(a.Took)
		}
		f.Left(x, y, f.w-1-x, text, draw.Text)
	}
}
