package say

import (
	"fmt"

	"github.com/nvnodetop/nvnodetop/internal/health/signs"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
)

// cpusFull says how long the threads of a job wait for its CPUs, and its GPUs for them.
func cpusFull(w *Words, e evidence) {
	c := signs.CPUsFull(e.job, e.node)
	if c == nil {
		return
	}
	w.Sentence = fmt.Sprintf("The job uses all of its %s here, and %.0f%% of the time more of its threads wait for "+
		"one; its GPUs are busy %.0f%% of the time.", text.Count(c.Count, "CPU"), 100*c.Waited, c.Busy)
	if c.Threads > c.Count {
		w.Sentence += fmt.Sprintf(" The processes on its GPUs have %d threads.", c.Threads)
	}
	w.Hint = "the job may be slow since its start: ask for more CPUs (--cpus-per-task), or run fewer threads: " +
		"OMP_NUM_THREADS, fewer data loader workers"
}

// fedByOneThread names the first GPU that waits for one thread, and counts the others.
func fedByOneThread(w *Words, e evidence) {
	fed := signs.FedByOneThread(e.job, e.node)
	if len(fed) == 0 {
		return
	}
	first := &fed[0]
	w.Long = fmt.Sprintf("GPU%d fed by one thread", first.GPU.Number)
	more := ""
	if len(fed) > 1 {
		w.Long = fmt.Sprintf("%d GPUs fed by one thread", len(fed))
		more = fmt.Sprintf(" The same is true of %s here.", text.Plural(len(fed)-1, "other GPU", "other GPUs"))
	}
	w.Short = "one thread"
	w.Sentence = fmt.Sprintf("A single thread feeds GPU%d, which is busy %.0f%% of the time: PID %d uses one core, "+
		"and %d of the job's %d CPUs here are idle.%s", first.GPU.Number, first.Busy, first.PID, first.Idle, first.Of, more)
	w.Hint = "the job may be slow since its start: let more processes prepare its work, such as data loader workers " +
		"(num_workers), or give the GPU larger batches"
}
