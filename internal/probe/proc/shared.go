package proc

import "github.com/nvnodetop/nvnodetop/internal/wire"

// DropShared removes ranks that several processes on different GPUs inherited from the launched process: a process and
// its children, or the children of one process. A launcher that addresses each single process gives each a different
// rank. SLURM's ranks are unique within a step, so processes of one step lose a shared rank even if they are not close
// relatives.
func DropShared(processes []wire.Process) {
	type key struct {
		from, program string // they inherited the same
		rank          int
	}
	same := map[key][]int{}
	for i := range processes {
		if r := processes[i].Rank; r != nil {
			k := key{r.From, r.Program, r.Rank}
			same[k] = append(same[k], i)
		}
	}
	shared := map[int]bool{} // by PID
	for _, list := range same {
		for _, i := range list {
			for _, k := range list {
				if areSiblings(&processes[i], &processes[k]) {
					shared[processes[i].PID], shared[processes[k].PID] = true, true
				}
			}
		}
	}
	for i := range processes {
		if shared[processes[i].PID] {
			processes[i].Rank = nil
		}
	}
}

// areSiblings reports whether two processes with the same rank are relatives on different GPUs. Orphans, the children
// of init, are no siblings.
func areSiblings(p, o *wire.Process) bool {
	if p.PID == o.PID || p.GPU == o.GPU {
		return false
	}
	task := p.Rank.From == slurmRank && p.Step != "" && p.Job == o.Job && p.Step == o.Step
	siblings := p.Parent == o.Parent && p.Parent > 1
	return task || siblings || p.PID == o.Parent || o.PID == p.Parent
}
