package shapes

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// Verdict counts the right and wrong findings for one shape.
type Verdict struct {
	Shape
	Watched             time.Duration
	Found, Late, Missed int
	Delays              []time.Duration // delays of the found and the late ones
	False               []Episode       // neither wanted, nor allowed, nor a right note
}

// Good reports whether every wanted finding came in time, and no other.
func (v *Verdict) Good() bool { return v.Late+v.Missed+len(v.False) == 0 }

// Judge judges the findings for a shape.
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
		if slices.ContainsFunc(s.Want, func(w Want) bool { return w.outlives(&e) }) || e.blames(s.Wrong) {
			v.False = append(v.False, e)
		}
		wanted := func(w Want) bool { return w.met(&e) || slices.Contains(w.Kinds, e.Kind) && w.names(&e) }
		right := e.Severity == cluster.Waiting || slices.Contains(s.Allowed, e.Kind) ||
			e.Severity == cluster.Note && slices.Contains(RightNotes[e.Kind], s.Name)
		if !right && !slices.ContainsFunc(s.Want, wanted) {
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

// blames reports whether an episode has words of a wrong cause.
func (e *Episode) blames(words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		return strings.Contains(e.Say, word) || strings.Contains(e.Hint, word)
	})
}

// first returns the time from the onset to the first finding; negative: none.
func (w *Want) first(said []Episode) time.Duration {
	for i := range said {
		if e := &said[i]; w.met(e) {
			return max(e.From-w.Onset, 0)
		}
	}
	return -1
}

// met reports whether an episode is the wanted finding.
func (w *Want) met(e *Episode) bool {
	return slices.Contains(w.Kinds, e.Kind) && e.Severity >= w.Least && w.names(e)
}

// lingers is the time for which a finding may stay after its cause is over: averages still show it.
const lingers = 75 * time.Second

// outlives reports whether an episode continues for long after its cause is over.
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

// is reports whether this is the place. A finding of the whole node counts only if no GPU is asked for.
func (w *Want) is(node string, gpu int) bool {
	return node == nodeName(w.Node) && (w.GPU == anywhere || w.GPU == gpu)
}

// counts gives the number of episodes of each kind: "3 lag, 1 idle".
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
