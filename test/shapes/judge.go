package shapes

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// Verdict is what was right and wrong in one shape.
type Verdict struct {
	Shape
	Watched             time.Duration
	Found, Late, Missed int
	Delays              []time.Duration // of what was found or late
	False               []Episode       // warnings and worse
}

// Good reports whether everything was said that had to be, in time, and nothing else.
func (v *Verdict) Good() bool { return v.Late+v.Missed+len(v.False) == 0 }

// Judge judges what was said of a shape.
func Judge(s Shape, said []Episode) Verdict {
	v := Verdict{Shape: s, Watched: s.Length}
	for _, w := range s.Want {
		switch first := w.first(said); {
		case first < 0:
			v.Missed++
		case first > w.Within:
			v.Late++
			v.Delays = append(v.Delays, first)
		default:
			v.Found++
			v.Delays = append(v.Delays, first)
		}
	}
	for _, e := range said {
		if slices.ContainsFunc(s.Want, func(w Want) bool { return w.outlives(&e) }) {
			v.False = append(v.False, e)
		}
		wanted := func(w Want) bool { return w.met(&e) || slices.Contains(w.Kinds, e.Kind) && w.names(&e) }
		if e.Severity >= cluster.Warning && !slices.Contains(s.Allowed, e.Kind) &&
			!slices.ContainsFunc(s.Want, wanted) {
			v.False = append(v.False, e)
		}
	}
	return v
}

// Add adds the verdict of the same shape with another seed.
func (v *Verdict) Add(o Verdict) {
	v.Watched += o.Watched
	v.Found, v.Late, v.Missed = v.Found+o.Found, v.Late+o.Late, v.Missed+o.Missed
	v.Delays, v.False = append(v.Delays, o.Delays...), append(v.False, o.False...)
}

// first returns how long after its onset it was first said, negative: never.
func (w *Want) first(said []Episode) time.Duration {
	for i := range said {
		if e := &said[i]; w.met(e) {
			return max(e.From-w.Onset, 0)
		}
	}
	return -1
}

// met reports whether an episode says it.
func (w *Want) met(e *Episode) bool {
	return slices.Contains(w.Kinds, e.Kind) && e.Severity >= w.Least && w.names(e)
}

// lingers is how long it may be said after it is over: averages still tell of it.
const lingers = 75 * time.Second

// outlives reports whether an episode goes on for long after what it says is over.
func (w *Want) outlives(e *Episode) bool {
	return w.Heals > 0 && w.met(e) && e.To > w.Heals+lingers
}

// names reports whether an episode names the right place, after the onset.
func (w *Want) names(e *Episode) bool {
	if e.From < w.Onset {
		return false
	}
	if w.Node == anywhere || w.is(e.Node, e.GPU) {
		return true
	}
	is := func(p cluster.Differing) bool { return w.is(p.Node, p.Number) }
	return e.Compared != nil && slices.ContainsFunc(e.Compared.Places, is)
}

// is reports whether this is the place. A finding of the whole node will do only if no GPU is asked for.
func (w *Want) is(node string, gpu int) bool {
	return node == nodeName(w.Node) && (w.GPU == anywhere || w.GPU == gpu)
}

// counts lists how many episodes there are of each kind: "3 lag, 1 idle".
func counts(episodes []Episode) string {
	var kinds []string
	number := map[string]int{}
	for _, e := range episodes {
		kind := string(e.Kind)
		if e.Severity == cluster.Critical {
			kind += "!"
		}
		if number[kind]++; number[kind] == 1 {
			kinds = append(kinds, kind)
		}
	}
	for i, kind := range kinds {
		kinds[i] = fmt.Sprintf("%d %s", number[kind], kind)
	}
	return strings.Join(kinds, ", ")
}
