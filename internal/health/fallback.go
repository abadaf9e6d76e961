package health

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/pace"
)

// settledLink is the time after which the averages of a GPU no longer contain the traffic before.
const settledLink = 30 * time.Second

// linkUnused finds GPUs whose exchange goes over PCIe, though NVLink carried it before or carries that of the others in
// step with them. If all have changed alike, they may run another program, so it is a note.
func linkUnused(s subject) []cluster.Condition {
	found := differing(s, (*pace.Group).Coupled, func(_ *pace.Group, g *pace.GPU) bool {
		return g.Lanes.Instead() && g.Mean[pace.Util] >= pace.BusyFrom && s.Peers.At.Sub(g.Lanes.Quiet) >= settledLink
	})
	var held []cluster.Condition
	for _, p := range found {
		c := cluster.Condition{}
		switch {
		case othersUseLink(p.group):
			c.Severity = cluster.Warning
		case !p.Lanes.Used():
			continue
		}
		c = p.condition(c, cluster.Less)
		c.Compared.Lanes = p.Lanes
		held = append(held, c)
	}
	return held
}

func othersUseLink(g *pace.Group) bool {
	for _, o := range g.GPUs {
		if o.Lanes.Wide() && o.Lanes.Quiet.IsZero() {
			return true
		}
	}
	return false
}
