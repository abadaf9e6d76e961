package health

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/pace"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

const (
	// A fully utilized GPU has a low clock below this share of its highest clock, or below this share of its usual
	// clock once that was measured for some minutes. Above these shares, clocks may be set on purpose.
	lowOfMost, lowOfUsual = 0.35, 0.6
	clockKnown            = 5 * time.Minute

	// coolPower is the share of its power limit below which the limit does not explain a low clock.
	coolPower = 0.7
)

// clockedLow finds GPUs whose SM clock is low at full load for a reason that the driver does not name. It needs no
// other GPU for comparison.
func clockedLow(s ruleSubject) []cluster.Condition {
	var found []cluster.Condition
	for _, p := range s.Peers.GPUs {
		g := s.Peers.Pace.GroupOf(p.GPU)
		if g == nil || !isClockedLow(p) {
			continue
		}
		c := peer{Peer: p, group: g}.newCondition(cluster.Condition{Severity: cluster.Warning}, cluster.Slowed)
		c.Compared.Median[pace.Clock] = 0 // unknown
		if p.Full.For >= clockKnown && p.Mean[pace.Clock] < lowOfUsual*p.Full.Clock {
			c.Compared.Median[pace.Clock] = p.Full.Clock
		}
		found = append(found, c)
	}
	return found
}

func isClockedLow(p cluster.Peer) bool {
	clock := p.Mean[pace.Clock]
	reasons, named := p.Own.Get(metric.Throttle)
	most := float32(p.Own.Float(metric.SMClockMax))
	low := clock < lowOfMost*most || p.Full.For >= clockKnown && clock < lowOfUsual*p.Full.Clock
	return low && p.Mean[pace.Util] >= pace.FullFrom && p.Mean[pace.Power] < coolPower*p.Limit &&
		named && uint64(reasons)&^wire.ThrottleGPUIdle == 0
}

// oncePerGPU drops the low clocks of GPUs that lag, or lagged recently: those are already reported as slow.
func oncePerGPU(s ruleSubject, held []cluster.Condition) []cluster.Condition {
	return slices.DeleteFunc(held, func(c cluster.Condition) bool {
		return c.Kind == cluster.KindLowClock && (s.Peers.At.Sub(c.Of.LagLast) <= clockKnown ||
			slices.ContainsFunc(held, func(o cluster.Condition) bool {
				return o.Kind == cluster.KindLag && o.Of != nil && o.Of.GPU == c.Of.GPU
			}))
	})
}
