package stacks

import (
	"bytes"

	"github.com/nvnodetop/nvnodetop/internal/probe/memory"
	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// rankInMemory returns the rank of a process that has overwritten the environment that the kernel shows: its C library
// has another copy. nil: the copy names no rank, the kernel shows the environment, or the copy cannot be read.
func rankInMemory(mem *memory.Process, areas []memory.Area, process proc.Process, program string) *wire.Rank {
	if proc.OriginOf(process).NoRank != wire.NoRankOverwritten {
		return nil
	}
	stat, err := process.Stat()
	if err != nil {
		return nil
	}
	environ, err := mem.Environ(areas, program, stat.EnvironFrom, stat.EnvironTo)
	defer clear(environ) // it may hold secrets
	if err != nil {
		return nil
	}
	return proc.ReadOrigin(bytes.NewReader(environ)).Rank
}

// dropShared removes ranks that several of the requested processes have: they inherited them from one process.
func dropShared(list []wire.ProcessStacks) {
	type key struct {
		from, program string
		rank          int
	}
	count := map[key]int{}
	of := func(r *wire.Rank) key { return key{r.From, r.Program, r.Rank} }
	for i := range list {
		if r := list[i].Rank; r != nil {
			count[of(r)]++
		}
	}
	for i := range list {
		if r := list[i].Rank; r != nil && count[of(r)] > 1 {
			list[i].Rank = nil
		}
	}
}
