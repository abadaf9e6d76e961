package health

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/pace"
	"github.com/nvnodetop/nvnodetop/internal/health/signs"
)

const (
	// settledLink is the time after which the averages of a GPU no longer contain the traffic before.
	settledLink = 30 * time.Second

	// unseenLink is the time after which NVLink counts as unused if nobody has seen it in use.
	unseenLink = 4 * time.Minute
)

// linkUnused finds GPUs whose exchange goes over PCIe although NVLink carried it before, or still carries that of the
// others in step with them. They, or the others, must wait for the exchange. If no other GPU uses NVLink, kernels must
// wait for the exchange on all GPUs of the node: a program that offloads moves as much over PCIe, but computes
// meanwhile or runs no kernel. If each GPU has a rank of one program, the traffic is an exchange. Otherwise the GPUs
// may do other work than before, so it is a note.
func linkUnused(s ruleSubject) []cluster.Condition {
	found := pickPeers(s, (*pace.Group).Coupled, func(_ *pace.Group, g *pace.GPU) bool {
		return g.Lanes.Instead() && g.Mean[pace.Util] >= pace.BusyFrom && s.Peers.At.Sub(g.Lanes.Quiet) >= settledLink
	})
	var held []cluster.Condition
	var last *cluster.Node
	alike, ranks := false, false
	for _, p := range found {
		if p.Node != last {
			here := s.Peers.On(p.Node)
			last, alike = p.Node, waitOnPCIe(here)
			ranks = alike && haveRanks(here)
		}
		c := cluster.Condition{}
		switch {
		case othersUseLink(p.group):
			if !p.KernelsWait() && !(p.group.Others(p.GPU, pace.Power) < fallen*p.group.UsualOthers(p.GPU, pace.Power)) {
				continue // it does other work than they do
			}
			c.Severity = cluster.Warning
		case !alike || !ranks && !p.Lanes.Used():
			continue
		case ranks:
			if c.Severity = cluster.Warning; !p.Lanes.Used() {
				c.After = unseenLink
			}
		}
		c = p.newCondition(c, cluster.Less)
		c.Compared.Lanes = p.Lanes
		held = append(held, c)
	}
	return held
}

func othersUseLink(g *pace.Group) bool {
	for _, o := range g.GPUs {
		if o.Lanes.Wide() && o.Lanes.Quiet.IsZero() && o.Mean[pace.Util] >= pace.BusyFrom { // if idle, it did before
			return true
		}
	}
	return false
}

// waitOnPCIe reports whether all GPUs of a node wait for data that goes over PCIe instead of the NVLink they have.
func waitOnPCIe(here []cluster.Peer) bool {
	return !slices.ContainsFunc(here, func(p cluster.Peer) bool {
		_, up, known := signs.LinksOf(p.Own)
		return known && up == 0 || !p.Lanes.Instead() || !p.KernelsWait()
	})
}

// haveRanks reports whether each of several GPUs runs its own rank of a program with several ranks.
func haveRanks(gpus []cluster.Peer) bool {
	seen := map[int]bool{}
	for _, p := range gpus {
		process := signs.ProcessOf(p.Node, p.Own)
		if process == nil || process.Rank == nil || process.Rank.World == nil || *process.Rank.World < len(gpus) ||
			seen[process.Rank.Rank] {
			return false
		}
		seen[process.Rank.Rank] = true
	}
	return len(seen) > 1
}
