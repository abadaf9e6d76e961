package tally

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
)

// mostAwaited is the largest number of ranks that count as those for which a job waits.
const mostAwaited = 3

// AwaitedPlaces returns a finding for each place for which a job waits that stands still: the GPUs that stopped first,
// otherwise those of the few ranks that are elsewhere than the others. f is the finding about the whole job. Some of
// the GPUs of a node that stopped together are no place: which ones is not known.
func AwaitedPlaces(s *cluster.Snapshot, f *cluster.Finding) (found []cluster.Finding) {
	if !f.Kind.StopsJob() || f.OfAwaited() || !f.Holds() {
		return nil
	}
	var places []cluster.Differing
	if f.Compared != nil {
		places = f.Compared.Places
	}
	if len(places) == 0 {
		places = aside(s, f)
	}
	for _, p := range places {
		at := *f
		at.Node, at.GPU, at.Key = p.Node, p.Number, p.Key
		at.Every = p.Key == "" && f.Compared.First.Whole
		if at.OfAwaited() && (!at.Every || f.Node == "") {
			found = append(found, at)
		}
	}
	return found
}

// aside returns the GPUs of the ranks that are elsewhere than most, if their job was asked since it stands still.
func aside(s *cluster.Snapshot, f *cluster.Finding) (places []cluster.Differing) {
	d := s.Stacks[f.Job]
	if d == nil || d.State != rankstacks.Stuck || d.Time.Before(f.Since) {
		return nil
	}
	for i := range d.Groups {
		if g := &d.Groups[i]; g.Outlier {
			for k := range g.Ranks {
				places = append(places, placesOf(s, &g.Ranks[k])...)
			}
		}
	}
	if len(places) > mostAwaited {
		return nil
	}
	return places
}

// placesOf returns the GPUs of a rank.
func placesOf(s *cluster.Snapshot, r *rankstacks.Rank) (places []cluster.Differing) {
	n := s.Nodes[r.Node]
	if n == nil {
		return nil
	}
	for i := range n.GPUs {
		if g := &n.GPUs[i]; g.Number != cluster.NoNumber && slices.Contains(r.GPUs, g.Number) {
			places = append(places, cluster.Differing{Node: r.Node, Number: g.Number, Key: g.Key})
		}
	}
	return places
}
