package health

import (
	"cmp"
	"fmt"

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
	w.Long, w.Short = fmt.Sprintf("PID %d of job %s left over", p.PID, p.Job), "left-over process"
	w.Sentence = fmt.Sprintf("%s of job %s, which has ended, holds %s GiB of GPU memory%s.", process(p), p.Job, inGiB(float64(*p.GPUMemory)), andMore(len(left)-1, held))
	w.Hint = "if it is yours and not needed, end it; otherwise report it to your admins"
}

func stranger(w *Words, e evidence) {
	others := strangers(e.job, e.node, e.discovery)
	if len(others) == 0 {
		return
	}
	p := others[0]
	whose := "user " + p.User
	if p.Job != "" {
		whose = "job " + p.Job
	}
	w.Long, w.Short = fmt.Sprintf("PID %d of %s on this job's GPU", p.PID, whose), "foreign process"
	w.Sentence = fmt.Sprintf("%s of %s is on a GPU of this job%s.", process(p), whose, andMore(len(others)-1, 0))
	w.Hint = "it takes time and memory from your job: report it to your admins"
}

// rankGone names a rank that has ended.
func rankGone(w *Words, e evidence) {
	r := e.compared.Rank
	if r == nil {
		return
	}
	w.Flag, w.Short = "!RANK", fmt.Sprintf("rank %d gone", r.Rank.Rank)
	which := fmt.Sprintf("rank %d", r.Rank.Rank)
	if r.World != nil {
		which += fmt.Sprintf(" of %d", *r.World)
	}
	w.Long = which + " is gone"
	w.Sentence = sentence(fmt.Sprintf("%s: PID %d was last seen %s ago", w.Long, r.PID, span(e.at.Sub(r.Seen))))
	w.Hint = "look for its first error in the job's log; the others may wait for it forever"
}

// process names a process.
func process(p *wire.Process) string {
	return fmt.Sprintf("Process %d (%s)", p.PID, cmp.Or(p.Name, "name unknown"))
}

// andMore mentions other processes, and how many bytes of GPU memory all of them hold.
func andMore(count int, held uint64) string {
	switch {
	case count == 0:
		return ""
	case held == 0:
		return fmt.Sprintf(", and %d more", count)
	}
	return fmt.Sprintf("; with %d more, %s GiB", count, inGiB(float64(held)))
}
