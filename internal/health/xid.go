package health

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// together is how long after an Xid others on the node are its consequences.
const together = time.Minute

// cause is an Xid with those that followed from it.
type cause struct {
	cluster.Xid
	last  time.Time // it came again
	times int
	then  []uint64
}

// causes returns the Xids of a node that are no consequence of another one. Within a minute the first is the cause of
// the others, unless one of them is worse, or is as bad on another GPU.
func causes(n *cluster.Node) []cause {
	var out []cause
	events := slices.Clone(n.Xids)
	slices.SortStableFunc(events, func(a, b cluster.Xid) int { return a.At.Compare(b.At) })
	for _, x := range events {
		if again := slices.IndexFunc(out,
			func(c cause) bool { return c.Key == x.Key && c.Code == x.Code }); again >= 0 {
			out[again].last = x.At
			out[again].times++
			continue
		}
		if c := causeOf(x, out); c != nil {
			if !slices.Contains(c.then, x.Code) {
				c.then = append(c.then, x.Code)
			}
		} else if !xidOf(x.Code).follows {
			out = append(out, cause{Xid: x, last: x.At, times: 1})
		}
	}
	return out
}

// causeOf returns the last of these causes that brought an Xid; nil if none did.
func causeOf(x cluster.Xid, of []cause) *cause {
	for i := len(of) - 1; i >= 0; i-- {
		if of[i].brought(x) {
			return &of[i]
		}
	}
	return nil
}

// brought reports whether an Xid is a consequence of this one.
func (c *cause) brought(x cluster.Xid) bool {
	what := xidOf(x.Code).severity
	return x.At.Sub(c.last) <= together && what <= xidOf(c.Code).severity && (c.Key == x.Key || what < cluster.Critical)
}

// causeOn returns the worst cause on a GPU, of equal ones the last.
func causeOn(n *cluster.Node, g *cluster.GPU) (cause, bool) {
	var worst cause
	for _, c := range causes(n) {
		if c.Key == g.Key && (worst.times == 0 || xidOf(c.Code).severity >= xidOf(worst.Code).severity) {
			worst = c
		}
	}
	return worst, worst.times > 0
}

// hasXid returns a rule that holds if the worst Xid of the GPU is that severe.
func hasXid(severity cluster.Severity) func(subject) bool {
	return func(s subject) bool {
		if len(s.Node.Xids) == 0 {
			return false
		}
		c, found := causeOn(s.Node, s.GPU)
		return found && xidOf(c.Code).severity == severity
	}
}

func sayXid(w *Words, e evidence) {
	c, found := causeOn(e.node, e.gpu)
	if !found {
		return
	}
	what := xidOf(c.Code)
	w.Flag, w.Short = fmt.Sprintf("XID:%d", c.Code), fmt.Sprintf("Xid %d", c.Code)
	w.Long, w.Hint = w.Short+": "+what.name, what.hint
	w.Sentence = w.Long + ", " + span(e.at.Sub(c.last)) + " ago"
	if c.times > 1 {
		w.Sentence += fmt.Sprintf(", %d times since %s", c.times, c.At.Format(time.TimeOnly))
	}
	if len(c.then) > 0 {
		w.Sentence += "; then Xid " + xidList(c.then)
	}
	w.Sentence += "."
	if what.whose != "" {
		w.Sentence += " " + string(what.whose)
	}
	if what.action != noAction {
		w.Sentence += " NVIDIA: " + string(what.action) + "."
	}
}

func xidList(codes []uint64) string {
	words := make([]string, len(codes))
	for i, code := range codes {
		words[i] = fmt.Sprint(code)
	}
	return strings.Join(words, ", ")
}
