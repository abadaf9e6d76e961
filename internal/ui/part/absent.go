package part

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Lacks reports whether a GPU does not have a metric: because its probe says so, or because two samples had other
// numbers but not this one.
func Lacks(g *cluster.GPU, id metric.ID) bool {
	if _, known := g.Get(id); known || g.History.Has(id) {
		return false
	}
	oldest, _ := g.History.Oldest()
	newest, _ := g.History.Newest()
	return WhyAbsent(g, id) != "" || newest > oldest && !g.Values.Empty()
}

// WhyAbsent is NVML's reason why a GPU does not have a metric; "" if unknown.
func WhyAbsent(g *cluster.GPU, id metric.ID) string {
	if why := WhyNot(g, id.String()); why != "" {
		return why
	}
	if g.Card.MIG && (id == metric.Util || id == metric.MemUtil) {
		return "MIG"
	}
	return ""
}

// WhyNot returns the reason in Card.Absent for a key.
func WhyNot(g *cluster.GPU, key string) string {
	for why, keys := range g.Card.Absent {
		if slices.Contains(keys, key) {
			return why
		}
	}
	return ""
}
