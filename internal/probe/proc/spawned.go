package proc

import "github.com/nvnodetop/nvnodetop/internal/wire"

// Spawned is what the environment says about a process that the first process of a program on its node started for
// another GPU, as PyTorch Lightning does when no other launcher is used. The rank is known only together with the
// others: LOCAL_RANK counts from the first process of each node.
type Spawned struct {
	node, local, world int
	nodes              int // of the job; 0: not known
	program            string
}

// spawnedBy are the variables that identify the program of such processes.
var spawnedBy = []string{mainAddress, mainPort}

// spawnedOf returns nil if RANK says more about the process, or if the variables say too little.
func spawnedOf(vars map[string]string) *Spawned {
	node, there := parseUnsigned(vars["NODE_RANK"])
	local, numbered := parseUnsigned(vars[localRank])
	world, told := parseUnsigned(vars["WORLD_SIZE"])
	if vars["RANK"] != "" || !there || !numbered || !told || world < 2 || local >= world || node >= world {
		return nil
	}
	nodes, _ := parseUnsigned(vars["SLURM_NNODES"])
	return &Spawned{node, local, world, nodes, programOf(vars, spawnedBy)}
}

// PlaceSpawned gives ranks to the processes that another process on a GPU started, and to that process, if the ranks
// are certain. of returns the Spawned of a process, or nil.
func PlaceSpawned(processes []wire.Process, of func(pid int) *Spawned) {
	families := map[int]map[int]*Spawned{} // by PID of the parent, then of the child
	for i := range processes {
		p := &processes[i]
		if s := of(p.PID); s != nil && p.Rank == nil && p.Parent > 1 {
			if families[p.Parent] == nil {
				families[p.Parent] = map[int]*Spawned{}
			}
			families[p.Parent][p.PID] = s
		}
	}
	for parent, children := range families {
		first, certain := firstRank(children)
		if !certain || of(parent) != nil { // a child of a spawned process has inherited its variables
			continue
		}
		for i := range processes {
			p := &processes[i]
			if s := children[p.PID]; s != nil {
				p.Rank, p.NoRank = s.rankOfChild(first, s.local), ""
			} else if p.PID == parent && p.Rank == nil {
				for _, s := range children {
					p.Rank, p.NoRank = s.rankOfChild(first, 0), ""
				}
			}
		}
	}
}

func (s *Spawned) rankOfChild(first, local int) *wire.Rank {
	return &wire.Rank{Rank: first + local, Local: &local, World: &s.world, From: localRank, Program: s.program}
}

// firstRank returns the rank of the parent of these processes. On the first node it is 0. On other nodes it follows
// from the number of processes per node, which is certain if that number times the number of nodes is the size of the
// program.
func firstRank(children map[int]*Spawned) (first int, certain bool) {
	var any *Spawned
	seen := map[int]bool{0: true}
	for _, s := range children {
		if seen[s.local] || any != nil && (s.node != any.node || s.world != any.world || s.nodes != any.nodes ||
			s.program != any.program) {
			return 0, false // two processes of one rank, or a helper of the first process
		}
		seen[s.local], any = true, s
	}
	each := len(seen)
	switch {
	case any.node == 0:
		return 0, true
	case any.node >= any.nodes || each*any.nodes != any.world:
		return 0, false
	}
	for local := range each {
		if !seen[local] {
			return 0, false
		}
	}
	return any.node * each, true
}
