package tally

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// fewPeers is the least number of GPUs that have a median. mostPeers is the largest number that is read: if there are
// more, some are picked from all nodes. A line in a graph of 20 dots has no more precision.
const fewPeers, mostPeers = 3, 32

// Peers returns the GPUs of the job with the same model as g, including g. It returns nil if g is not the job's, or if
// they are too few to have a median. If there are many, it returns some, spread over all nodes.
func Peers(s *cluster.Snapshot, job *cluster.JobView, g *cluster.GPU) []*cluster.GPU {
	all := slices.DeleteFunc(Known(s, job), func(other *cluster.GPU) bool { return Model(other) != Model(g) })
	if len(all) < fewPeers || !slices.Contains(all, g) {
		return nil
	}
	some := all[:0]
	for i, each := 0, (len(all)+mostPeers-1)/mostPeers; i < len(all); i += each {
		some = append(some, all[i])
	}
	return some
}

// Model returns the driver's name of a GPU's model; empty if it is unknown.
func Model(g *cluster.GPU) string {
	if g.Card == nil {
		return ""
	}
	return g.Card.Name
}
