package nccl

import (
	"cmp"
	"maps"
	"slices"
)

// Place is a process of the job on one of its GPUs, as the node lists it.
type Place struct {
	Node    string
	Number  int // of the GPU; negative: not known
	Index   int // of the GPU in NVML
	PID     int
	Started uint64 // when the process started, in clock ticks since its node booted
	Rank    *int   // in the job; nil: not known
}

// Roster holds the processes of a job, to name the members of its communicators. NCCL reports addresses of nodes, which
// SLURM does not know, so a node is recognized by the PIDs on it.
type Roster struct {
	nodes map[string]map[int][]*Place // by name and PID
	order []string                    // names, in the order of the places
}

// NewRoster makes a Roster.
func NewRoster(places []Place) *Roster {
	r := &Roster{nodes: map[string]map[int][]*Place{}}
	for i := range places {
		p := &places[i]
		pids := r.nodes[p.Node]
		if pids == nil {
			pids = map[int][]*Place{}
			r.nodes[p.Node] = pids
			r.order = append(r.order, p.Node)
		}
		pids[p.PID] = append(pids[p.PID], p)
	}
	return r
}

// Names maps the members of an answer to their places.
type Names struct {
	roster *Roster
	nodes  map[string]string // by host
	Known  int               // processes of the answer that belong to the job
	Of     int               // processes of the answer
	Size   int               // processes of the job
}

// hostMatch is a host in an answer and a node of the job that may be the same: they share PIDs.
type hostMatch struct {
	host, node string
	same       int // how many PIDs they share
}

// Match finds the node of each host in an answer.
func (r *Roster) Match(a *Answer) *Names {
	n := &Names{roster: r, nodes: map[string]string{}}
	for _, pids := range r.nodes {
		n.Size += len(pids)
	}
	pairs := r.rankedPairs(a, n)
	settled := map[string]bool{} // hosts and nodes; no host has the name of a node
	for len(pairs) > 0 {
		end := 1
		for end < len(pairs) && pairs[end].same == pairs[0].same {
			end++
		}
		equal := pairs[:end]
		pairs = pairs[end:]
		rivals := map[string]int{}
		open := equal[:0:0]
		for _, p := range equal {
			if !settled[p.host] && !settled[p.node] {
				open = append(open, p)
				rivals[p.host]++
				rivals[p.node]++
			}
		}
		for _, p := range open {
			// If there is a rival it could be either: a container may have the same PIDs on every node.
			if settled[p.host], settled[p.node] = true, true; rivals[p.host] == 1 && rivals[p.node] == 1 {
				n.nodes[p.host] = p.node
			}
		}
	}
	return n
}

// rankedPairs returns the pairs, those that share the most PIDs first, and counts processes.
func (r *Roster) rankedPairs(a *Answer, n *Names) []hostMatch {
	hosts := a.pidsByHost()
	var pairs []hostMatch
	for _, host := range slices.Sorted(maps.Keys(hosts)) {
		n.Of += len(hosts[host])
		best := 0
		for _, node := range r.order {
			same := 0
			for pid := range hosts[host] {
				if r.nodes[node][pid] != nil {
					same++
				}
			}
			if best = max(best, same); same > 0 {
				pairs = append(pairs, hostMatch{host, node, same})
			}
		}
		n.Known += best
	}
	slices.SortStableFunc(pairs, func(a, b hostMatch) int { return cmp.Compare(b.same, a.same) })
	return pairs
}

// Own reports whether the answer is about the job: most of the processes that both could know are the same. An answer
// without any process says nothing, and could be about any job.
func (n *Names) Own() bool { return n.Of == 0 || n.Known > 0 && 2*n.Known >= min(n.Of, n.Size) }

// Member returns a member together with its place.
func (n *Names) Member(g GPU) Member {
	m := Member{GPU: g}
	if n == nil {
		return m
	}
	places := n.roster.nodes[n.nodes[g.Host]][g.PID]
	for _, p := range places {
		if len(places) == 1 || p.Index == g.Index {
			m.Place = p
		}
	}
	return m
}

func (a *Answer) pidsByHost() map[string]map[int]bool {
	hosts := map[string]map[int]bool{}
	add := func(host string, pid int) {
		if host == "" || pid <= 0 || hosts[host] == nil && len(hosts) == maxHosts {
			return
		}
		if hosts[host] == nil {
			hosts[host] = map[int]bool{}
		}
		hosts[host][pid] = true
	}
	for i := range a.Comms {
		for k := range a.Comms[i].Ranks {
			add(a.Comms[i].Ranks[k].Host, a.Comms[i].Ranks[k].PID)
		}
		for k := range a.Comms[i].Missing {
			add(a.Comms[i].Missing[k].Host, a.Comms[i].Missing[k].PID)
		}
	}
	for i := range a.Gone {
		add(a.Gone[i].Host, a.Gone[i].PID)
	}
	return hosts
}
