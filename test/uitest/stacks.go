package uitest

import (
	"errors"

	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const inTorch = "/home/alice/venv/lib/python3.11/site-packages/torch/"

// The stacks of a job in which a rank waits for data.
var (
	inReduce = []wire.Frame{
		{Function: "all_reduce", File: inTorch + "distributed/distributed_c10d.py", Line: 2501},
		{Function: "wrapper", File: inTorch + "distributed/c10d_logger.py", Line: 83},
		{Function: "train_step", File: "/home/alice/llm/train.py", Line: 212},
		{Function: "main", File: "/home/alice/llm/train.py", Line: 301},
	}
	inLoader = []wire.Frame{
		{Function: "_try_get_data", File: inTorch + "utils/data/dataloader.py", Line: 1144},
		{Function: "__next__", File: inTorch + "utils/data/dataloader.py", Line: 630},
		{Function: "main", File: "/home/alice/llm/train.py", Line: 298},
	}
)

// TellStacks is the answer of a node.
func TellStacks(ask nav.Ask) nav.Result {
	r := nav.Result{Ask: ask}
	if ask.NCCL != nil {
		r.Err = errors.New("no RAS of NCCL listens at port 28028")
		return r
	}
	if ask.Node == "gpu-n03" {
		r.Err = errors.New(`"gpu-n03" has not answered`)
		return r
	}
	for i, id := range ask.Request.Stacks.Processes {
		p := wire.ProcessStacks{ProcessID: id, Name: "python", State: "S", Python: "3.11.9",
			Threads: []wire.ThreadStack{{TID: id.PID, Main: true, State: "S", WChan: "futex_wait_queue",
				CPUTicks: new(uint64(812)), Switches: new(uint64(95)), Frames: inReduce}}}
		if ask.Node == "gpu-n02" && i == 4 {
			p.Refusal = &wire.Refusal{ID: wire.RefusedPtrace, Cause: "the kernel lets no process read another " +
				"(kernel.yama.ptrace_scope is 2)", Hint: "an administrator can set kernel.yama.ptrace_scope to 0"}
			p.Threads[0].Frames = nil
		}
		worker := p
		if ask.Node == "gpu-n02" && i == 2 {
			p.Threads = []wire.ThreadStack{{TID: id.PID, Main: true, State: "S", CPUTicks: new(uint64(402)),
				Switches: new(uint64(77)), Frames: inLoader}, {TID: id.PID + 3, Name: "Thread-1", State: "S", Frames: inLoader[2:]}}
		}
		r.Reply.Stacks = append(r.Reply.Stacks, p)
		if len(p.Threads) == 2 {
			worker.ProcessID, worker.Of, worker.Name, worker.State = wire.ProcessID{PID: 99123}, id.PID, "pt_data_worker", "D"
			worker.Threads = []wire.ThreadStack{{TID: 99123, State: "D", WaitsFor: &wire.FileWait{
				Path: "/lustre/set7/shard-0317.tar", FileSystem: "lustre"}}}
			r.Reply.Stacks = append(r.Reply.Stacks, worker)
		}
	}
	r.Reply.ReadMS = uint64(1000 + ask.Request.Stacks.OverMS)
	return r
}
