package say

import (
	"fmt"

	"github.com/nvnodetop/nvnodetop/internal/health/signs"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
)

// farCPUs names the first rank whose CPUs are far from its GPU, and counts the others.
func farCPUs(w *Words, e evidence) {
	far := signs.FarRanks(e.job, e.node)
	if len(far) == 0 {
		return
	}
	first := &far[0]
	w.Long = fmt.Sprintf("rank %d on far CPUs", first.Rank.Rank)
	more := ""
	if len(far) > 1 {
		w.Long = fmt.Sprintf("%d ranks on far CPUs", len(far))
		more = fmt.Sprintf(" The same is true of %s here.", text.Plural(len(far)-1, "other rank", "other ranks"))
	}
	w.Short = "far CPUs"
	w.Sentence = fmt.Sprintf("Rank %d may run on CPUs %s, and GPU%d is near CPUs %s, in another socket.%s",
		first.Rank.Rank, first.CPUAffinity, first.GPU.Number, first.Near, more)
	w.Hint = "copies to and from the GPU cross the sockets: try srun --gpu-bind=closest, or --cpu-bind with CPUs near " +
		"the GPUs; if the job has none there, ask for them with --gres-flags=enforce-binding"
}
