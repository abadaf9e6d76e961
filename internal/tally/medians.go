package tally

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/history"
	"github.com/nvnodetop/nvnodetop/internal/metric"
)

// The least number of GPUs that have a median, and the largest number that is read: of more,
// some that are spread over all nodes. A line in a graph of 20 dots has no more precision.
const fewPeers, mostPeers = 3, 32

// Peers returns the GPUs of the job that are of the same model as g, g among them; nil if g is none of the job's, or if
// they are too few to have a median. Of many it returns some, spread over all nodes.
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

// Medians returns n samples, up to a bin, of the median of GPUs. The sample of a GPU is its sum over these metrics. A
// bin of fewer than half of the GPUs is a gap.
func Medians(gpus []*cluster.GPU, ids []metric.ID, newest int64, n int) []float32 {
	w := &window{gpus, newest, n}
	sums := make([]float32, len(gpus)*n)
	for _, id := range ids {
		at := 0
		for bins := range w.tails(id) {
			for i, v := range bins {
				sums[i*len(gpus)+at] += v
			}
			at++
		}
	}
	medians := make([]float32, n)
	for i := range medians {
		bin := slices.DeleteFunc(sums[i*len(gpus):(i+1)*len(gpus)], func(v float32) bool { return v != v })
		medians[i] = history.Gap
		if 2*len(bin) >= len(gpus) {
			slices.Sort(bin)
			medians[i] = bin[len(bin)/2]
		}
	}
	return medians
}
