package say

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/signs"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

func leftBehind(w *Words, e evidence) {
	left := e.node.Orphans(e.discovery)
	if len(left) == 0 {
		return
	}
	var held uint64
	for _, p := range left {
		held += *p.GPUMemory
	}
	p := left[0]
	w.Long, w.Short = fmt.Sprintf("PID %d of job %s left over on %s", p.PID, p.Job, gpuOf(e.node, p)),
		"left-over process"
	w.Sentence = fmt.Sprintf("%s of job %s, which has ended, holds %s GiB of the memory of %s%s.", nameProcess(p), p.Job,
		inGiB(float64(*p.GPUMemory)), gpuOf(e.node, p), andMore(left[1:], e.node, held))
	w.Hint = "if it is yours and not needed, end it; otherwise report it to your admins"
}

func foreignProcess(w *Words, e evidence) {
	others := signs.Strangers(e.job, e.node, e.discovery)
	if len(others) == 0 {
		return
	}
	p := others[0]
	whose := "user " + p.User
	if p.Job != "" {
		whose = "job " + p.Job
	}
	w.Long, w.Short = fmt.Sprintf("PID %d of %s on this job's %s", p.PID, whose, gpuOf(e.node, p)), "foreign process"
	w.Sentence = fmt.Sprintf("%s of %s is on %s of this job%s.", nameProcess(p), whose, gpuOf(e.node, p),
		andMore(others[1:], e.node, 0))
	w.Hint = "it takes time and memory from your job: report it to your admins"
}

func rankGone(w *Words, e evidence) {
	r := e.compared.Rank
	if r == nil {
		return
	}
	w.Flag, w.Short = "!RANK", fmt.Sprintf("rank %d ended", r.Rank.Rank)
	which := fmt.Sprintf("rank %d", r.Rank.Rank)
	if r.World != nil {
		which += fmt.Sprintf(" of %d", *r.World)
	}
	w.Long = which + " has ended"
	ended := fmt.Sprintf("%s has ended: PID %d was last seen %s ago", which, r.PID, formatDuration(e.at.Sub(r.Seen)))
	if since := e.compared.Waiting; !since.IsZero() {
		w.Flag, w.Short, w.Long = "!RANK", fmt.Sprintf("rank %d gone", r.Rank.Rank),
			which+" is gone, and the others wait"
		w.Sentence = Sentence(ended + ", and the others have waited since " + since.Format(time.TimeOnly))
		w.Hint = "look for its first error in the job's log; the others may wait for it forever"
		return
	}
	w.Sentence = Sentence(ended + "; the others go on working")
	w.Hint = "fine if its part of the work is done; otherwise look for its first error in the job's log"
}

func nameProcess(p *wire.Process) string {
	return fmt.Sprintf("Process %d (%s)", p.PID, cmp.Or(p.Name, "name unknown"))
}

// numbersOfGPUs returns the numbers of the GPUs of processes, as far as they are known.
func numbersOfGPUs(n *cluster.Node, processes ...*wire.Process) []int {
	var numbers []int
	for i := range n.GPUs {
		g := &n.GPUs[i]
		on := slices.ContainsFunc(processes, func(p *wire.Process) bool { return p.GPU == g.Card.Index })
		if on && g.Number != cluster.NoNumber {
			numbers = append(numbers, g.Number)
		}
	}
	return slices.Compact(numbers)
}

// gpuOf names the GPU of a process: "GPU2"; "a GPU" if its number is unknown.
func gpuOf(n *cluster.Node, p *wire.Process) string {
	numbers := numbersOfGPUs(n, p)
	if len(numbers) == 0 {
		return "a GPU"
	}
	return nameGPUs(numbers)
}

// andMore mentions other processes with their GPUs, and the GPU memory of all of them.
func andMore(others []*wire.Process, n *cluster.Node, held uint64) string {
	if len(others) == 0 {
		return ""
	}
	where := ""
	if numbers := numbersOfGPUs(n, others...); len(numbers) > 0 {
		where = " on " + nameGPUs(numbers)
	}
	if held == 0 {
		return fmt.Sprintf(", and %d more%s", len(others), where)
	}
	return fmt.Sprintf("; with %d more%s, %s GiB", len(others), where, inGiB(float64(held)))
}
