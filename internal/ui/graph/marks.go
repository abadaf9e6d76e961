package graph

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// signs stand on a time axis where a program of the job has marked the beginning or the end of a part of its work, or
// an event. The name of the part is inside them.
var signs = map[cluster.MarkKind]string{cluster.Begins: "[", cluster.Ends: "]", cluster.Moment: "|"}

// mostNamed is the maximum width of a name on the axis.
const mostNamed = 16

// axisLine is the line below a graph. Texts that are written first keep their place.
type axisLine struct {
	*part.Frame
	marks []cluster.Mark
	x, y  int
	taken []bool // columns
}

// writeWords writes words at a column if there is room for them.
func (l *axisLine) writeWords(at int, words string, role draw.Role) bool {
	n := draw.Width(words)
	if at < 0 || at+n > len(l.taken) || slices.Contains(l.taken[at:at+n], true) {
		return false
	}
	for i := range n {
		l.taken[at+i] = true
	}
	l.Left(l.x+at, l.y, n, words, role)
	return true
}

// marksOf returns the marks of a snapshot, and those of the times at which the steps of a job became slower.
func marksOf(s *cluster.Snapshot, j *cluster.JobView) []cluster.Mark {
	all := slices.Clip(s.Marks)
	for _, at := range j.Steps.Changes() {
		all = append(all, cluster.Mark{Job: j.Number, Name: "slower", At: at})
	}
	return all
}

// near is the number of columns within which equal marks of several ranks are drawn as one.
const near = 2

// writeMarks writes the marks of the job, the latest first. The name stands at the beginning of a part, or at its end
// if it is not written there.
func (l *axisLine) writeMarks(a axis) {
	end := a.end
	if end.IsZero() {
		end = l.Snap.At
	}
	named := map[string]bool{}
	for _, ends := range []bool{false, true} {
		before := map[string]int{}
		for _, m := range slices.Backward(l.marks) {
			ago := end.Sub(m.At)
			if (m.Kind == cluster.Ends) != ends || ago < 0 || ago >= a.span || !l.Job.Marked(&m) {
				continue
			}
			at := len(l.taken) - 1 - int(ago*time.Duration(len(l.taken))/a.span)
			later, too := before[m.Name]
			before[m.Name] = at
			if too && later-at <= near || !l.writeWords(at, signs[m.Kind], draw.Text) {
				continue
			}
			name := draw.Clip(m.Name, mostNamed)
			if !ends {
				named[m.Name] = l.writeWords(at+1, name, draw.Dim) || named[m.Name]
			} else if !named[m.Name] {
				l.writeWords(at-draw.Width(name), name, draw.Dim)
			}
		}
	}
}

// axisEnds writes the ends of the time axis below a graph, and the marks of the job between them.
func axisEnds(f *part.Frame, x, y, w int, a axis) {
	first, last := "-"+draw.Age(a.span), endOf(a.end)
	f.Put(x, y, first, draw.Dim)
	f.Right(x, y, w, last, draw.Dim)
	if f.Job == nil {
		return
	}
	l := axisLine{Frame: f, marks: marksOf(f.Snap, f.Job), x: x, y: y, taken: make([]bool, max(w, 0))}
	for i := range l.taken {
		l.taken[i] = i <= draw.Width(first) || i >= w-draw.Width(last)-1
	}
	l.writeMarks(a)
}
