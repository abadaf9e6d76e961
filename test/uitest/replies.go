package uitest

import (
	"context"
	"fmt"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// Relatives are what gpu-n02 answers about the family of its processes.
func Relatives(ask nav.Ask) nav.Result {
	return nav.Result{Ask: ask, Reply: wire.Reply{Family: Family}}
}

// TreeFixture is fixture with parents.
func TreeFixture() *cluster.Snapshot {
	s := Fixture()
	list := s.Nodes["gpu-n02"].Processes
	for i := range list {
		list[i].Parent = 358709
	}
	list[8].Parent = 358901
	return s
}

// SomeReplies are a node that does not answer, a process that has exited, one that was reused, a family, and a refusal
// of SLURM's.
func SomeReplies(a nav.Ask) nav.Result {
	r := nav.Result{Ask: a}
	switch {
	case a.Cancel != nil:
		r.Err = &reach.Failure{
			Short: "scancel failed", Cause: "Access/permission denied",
			Words:   "scancel: error: Kill job error on job id 48211: Access/permission denied",
			Meaning: "Only the owner of a job and the admins may cancel it.",
			Hints:   []string{"check whose job it is: squeue -j JOB"},
		}
	case a.Request.Family != nil:
		pid := a.Request.Family.PIDs[0]
		for i, command := range []string{"bash train.sh", "python -u train.py",
			"python -c from multiprocessing.spawn import spawn_main", "pt_data_worker"} {
			r.Reply.Family = append(r.Reply.Family,
				wire.Relative{ProcessID: wire.ProcessID{PID: pid - 1 + i, StartTicks: uint64(pid - 1 + i)},
					Parent: pid - 2 + i, User: "alice", Command: command})
		}
	case a.Node == "gpu-n03":
		r.Err = fmt.Errorf("ask %q: %w", a.Node, context.DeadlineExceeded)
	default:
		r.Reply.Signaled = someFates(a)
	}
	return r
}

// Family are processes of gpu-n02 that have no GPU.
var Family = []wire.Relative{
	{ProcessID: wire.ProcessID{PID: 358701, StartTicks: 1}, Parent: 1, User: "root", UID: new(0),
		Command: "slurmstepd: [48211.0]", State: "S", RSS: new(uint64(9 << 20)), ElapsedSec: new(int64(8*3600 + 189))},
	{ProcessID: wire.ProcessID{PID: 358709, StartTicks: 2}, Parent: 358701, User: "alice",
		Command: "torchrun --nnodes 4 --nproc-per-node 8", State: "S"},
	{ProcessID: wire.ProcessID{PID: 358901, StartTicks: 3}, Parent: 358802, User: "alice", Name: "pt_data_worker"},
	{ProcessID: wire.ProcessID{PID: 358902, StartTicks: 4}, Parent: 358802, User: "alice", Name: "pt_data_worker"},
}

// someFates are what becomes of signals: two processes do not get theirs.
func someFates(a nav.Ask) (list []wire.Signaled) {
	for i, p := range a.Request.Signal.Processes {
		s := wire.Signaled{PID: p.PID}
		switch {
		case i == 2 && a.Node == "gpu-n01":
			s.Error, s.ErrorID = "has exited", wire.SignalGone
		case i == 4 && a.Node == "gpu-n02":
			s.Error, s.ErrorID = "has exited, and another process has this PID now", wire.SignalReused
		}
		list = append(list, s)
	}
	return list
}
