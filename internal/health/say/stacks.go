package say

import (
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
)

// addRankStacks adds what the ranks of a job do, if the job hangs and they were asked since.
func addRankStacks(w *Words, e evidence) {
	if e.stacks == nil || !e.kind.StopsJob() {
		return
	}
	if d := e.stacks; d.State == rankstacks.Stuck && d.Headline != "" {
		w.Long = "job hangs: " + d.Headline
	}
	said := e.stacks.Said
	if e.stacks.NCCL != nil {
		said = append(append([]string(nil), e.stacks.NCCL.Said...), said...)
	}
	if len(said) > 0 {
		w.Sentence += " At " + e.stacks.Time.Format(time.TimeOnly) + ": " + strings.Join(said, " ")
	}
}
