package hang

import (
	"cmp"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/hang/stacks"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// PlacesOf returns the processes of a job on its GPUs, and the ranks that have none. ready is false while a reporting
// node has not listed its processes yet.
func PlacesOf(s *cluster.Snapshot, job *cluster.JobView) (places []stacks.Place, ready bool) {
	type process struct {
		node string
		pid  int
	}
	at := map[process]int{}
	var whys []*absence // of each place
	for _, row := range tally.Ranks(s, job) {
		p := stacks.Place{Number: stacks.NoRank, Node: row.Node}
		if row.Rank != nil {
			p.Number = row.Rank.Rank
		}
		if row.Number != cluster.NoNumber {
			p.GPUs = []int{row.Number}
		}
		if row.Process != nil {
			p.NoRank, p.PID, p.StartTicks = row.Process.NoRank, row.Process.PID, row.Process.StartTicks
		}
		var why *absence
		if row.Process == nil || row.State != tally.RankRuns {
			why = absenceOf(s, &row)
		}
		if row.Process == nil {
			places, whys = append(places, p), append(whys, why)
			continue
		}
		id := process{p.Node, p.PID}
		if i, known := at[id]; known {
			places[i].GPUs = append(places[i].GPUs, p.GPUs...)
			continue
		}
		at[id] = len(places)
		places, whys = append(places, p), append(whys, why)
	}
	nameAbsent(places, whys)
	return places, !slices.ContainsFunc(job.Nodes, func(name string) bool {
		n := tally.Node(s, name)
		return n.State == cluster.NodeConnecting || n.State == cluster.NodeReporting && !n.Listed
	})
}

// absence is why there is no process to ask about, worded for one rank, and for several on one node or on more.
type absence struct{ id, one, many, spread string }

var (
	processGone = absence{wire.RefusedGone, "its process has left its GPU", "their processes have left their GPUs", ""}
	nowhere     = absence{wire.RefusedGone, "no process of this rank is on any GPU of the job",
		"no processes of these ranks are on any GPU of the job", ""}
	noNode = absence{stacks.NoAnswer, "not all nodes list their processes", "", ""}
	silent = absence{stacks.NoAnswer, "its node does not report", "their node does not report",
		"their nodes do not report"}
	noGPU  = absence{stacks.NoAnswer, "the driver does not list its GPU", "the driver does not list their GPUs", ""}
	lost   = absence{stacks.NoAnswer, "its GPU is lost", "their GPUs are lost", ""}
	hung   = absence{stacks.NoAnswer, "its GPU hangs", "their GPUs hang", ""}
	hidden = absence{stacks.NoAnswer, "the processes on its GPU cannot be listed",
		"the processes on their GPUs cannot be listed", ""}
)

// absenceOf says why a rank has no process to ask about.
func absenceOf(s *cluster.Snapshot, r *tally.RankRow) *absence {
	switch {
	case r.State == tally.RankGone:
		return &processGone
	case r.State == tally.RankUnseen:
		return &nowhere
	case r.Node == "":
		return &noNode
	case tally.Node(s, r.Node).State != cluster.NodeReporting:
		return &silent
	case r.GPU == nil:
		return &noGPU
	case tally.Lost(r.GPU) != "":
		return &lost
	case r.GPU.Hung():
		return &hung
	}
	return &hidden
}

// nameAbsent sets the reasons, each worded for the number of ranks that it applies to.
func nameAbsent(places []stacks.Place, whys []*absence) {
	type group struct {
		node  string // of the first rank
		words string
	}
	groups := map[*absence]group{}
	for i, why := range whys {
		if why == nil {
			continue
		}
		node := places[i].Node
		switch g, known := groups[why]; {
		case !known:
			groups[why] = group{node, why.one}
		case g.node != node:
			groups[why] = group{g.node, cmp.Or(why.spread, why.many, why.one)}
		case g.words == why.one:
			groups[why] = group{g.node, cmp.Or(why.many, why.one)}
		}
	}
	for i, why := range whys {
		if why != nil {
			places[i].Absent, places[i].AbsentID = groups[why].words, why.id
		}
	}
}
