package signs

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// together is how long after an Xid others on the node count as its consequences.
const together = time.Minute

// XidCause is an Xid with its consequences.
type XidCause struct {
	cluster.Xid
	Last  time.Time // when it last came
	Times int
	Then  []uint64
}

// findCauses returns the Xids of a node that are not consequences of another Xid. Within a minute, the first Xid is the
// cause of the others, unless one of them is worse, or equally bad on another GPU.
func findCauses(n *cluster.Node) []XidCause {
	var out []XidCause
	events := slices.Clone(n.Xids)
	slices.SortStableFunc(events, func(a, b cluster.Xid) int { return a.At.Compare(b.At) })
	for _, x := range events {
		if again := slices.IndexFunc(out,
			func(c XidCause) bool { return c.Key == x.Key && c.Code == x.Code }); again >= 0 {
			out[again].Last = x.At
			out[again].Times++
			continue
		}
		if c := xidCauseOf(x, out); c != nil {
			if !slices.Contains(c.Then, x.Code) {
				c.Then = append(c.Then, x.Code)
			}
		} else if !XidOf(x.Code).Follows {
			out = append(out, XidCause{Xid: x, Last: x.At, Times: 1})
		}
	}
	return out
}

// xidCauseOf returns the last of these causes that led to an Xid; nil if none of them did.
func xidCauseOf(x cluster.Xid, of []XidCause) *XidCause {
	for i := len(of) - 1; i >= 0; i-- {
		if of[i].hasCaused(x) {
			return &of[i]
		}
	}
	return nil
}

// hasCaused reports whether an Xid is a consequence of this one.
func (c *XidCause) hasCaused(x cluster.Xid) bool {
	what := XidOf(x.Code).Severity
	return x.At.Sub(c.Last) <= together && what <= XidOf(c.Code).Severity && (c.Key == x.Key || what < cluster.Critical)
}

// XidCauseOn returns the worst Cause on a GPU, among equals the last.
func XidCauseOn(n *cluster.Node, g *cluster.GPU) (XidCause, bool) {
	var worst XidCause
	for _, c := range findCauses(n) {
		if c.Key == g.Key && (worst.Times == 0 || XidOf(c.Code).Severity >= XidOf(worst.Code).Severity) {
			worst = c
		}
	}
	return worst, worst.Times > 0
}
