package site

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// The directories of the simulated programs.
const (
	torch  = "/home/alice/venv/lib/python3.11/site-packages/torch/"
	python = "/usr/lib/python3.11/"
	home   = "/home/alice/llama/"
)

// The stacks of the simulated programs, innermost frame first.
var (
	reducing = []wire.Frame{
		{Function: "all_reduce", File: torch + "distributed/distributed_c10d.py", Line: 2501},
		{Function: "wrapper", File: torch + "distributed/c10d_logger.py", Line: 83},
		{Function: "reduce_grads", File: home + "optim.py", Line: 77},
		{Function: "train_step", File: home + "train.py", Line: 212},
		{Function: "main", File: home + "train.py", Line: 301},
		{Function: "<module>", File: home + "train.py", Line: 340},
	}
	computing = []wire.Frame{
		{Function: "_engine_run_backward", File: torch + "autograd/graph.py", Line: 825},
		{Function: "backward", File: torch + "_tensor.py", Line: 581},
		{Function: "train_step", File: home + "train.py", Line: 208},
		{Function: "main", File: home + "train.py", Line: 301},
		{Function: "<module>", File: home + "train.py", Line: 340},
	}
	loading = []wire.Frame{
		{Function: "select", File: python + "selectors.py", Line: 415},
		{Function: "wait", File: python + "multiprocessing/connection.py", Line: 947},
		{Function: "_poll", File: python + "multiprocessing/connection.py", Line: 440},
		{Function: "get", File: python + "multiprocessing/queues.py", Line: 113},
		{Function: "_try_get_data", File: torch + "utils/data/dataloader.py", Line: 1144},
		{Function: "_get_data", File: torch + "utils/data/dataloader.py", Line: 1309},
		{Function: "_next_data", File: torch + "utils/data/dataloader.py", Line: 1345},
		{Function: "__next__", File: torch + "utils/data/dataloader.py", Line: 630},
		{Function: "main", File: home + "train.py", Line: 298},
		{Function: "<module>", File: home + "train.py", Line: 340},
	}
	generating = []wire.Frame{
		{Function: "forward", File: torch + "nn/modules/linear.py", Line: 125},
		{Function: "_call_impl", File: torch + "nn/modules/module.py", Line: 1750},
		{Function: "generate", File: "/home/alice/eval/model.py", Line: 88},
		{Function: "main", File: "/home/alice/eval/eval.py", Line: 41},
		{Function: "<module>", File: "/home/alice/eval/eval.py", Line: 60},
	}
	watching = []wire.Frame{
		{Function: "wait", File: python + "threading.py", Line: 331},
		{Function: "wait", File: python + "threading.py", Line: 629},
		{Function: "run", File: "/home/alice/venv/lib/python3.11/site-packages/tqdm/_monitor.py", Line: 60},
		{Function: "_bootstrap_inner", File: python + "threading.py", Line: 1045},
		{Function: "_bootstrap", File: python + "threading.py", Line: 1002},
	}
	fetching = []wire.Frame{
		{Function: "read_shard", File: home + "data.py", Line: 61},
		{Function: "__getitem__", File: home + "data.py", Line: 33},
		{Function: "fetch", File: torch + "utils/data/_utils/fetch.py", Line: 52},
		{Function: "_worker_loop", File: torch + "utils/data/_utils/worker.py", Line: 351},
	}
)

// Doing is what a process does.
type Doing int

// What processes do.
const (
	Reducing   Doing = iota // it waits for the other ranks in a collective
	Computing               // a step of the training
	Loading                 // it waits for its data
	Hanging                 // likewise, and the file system of the data does not answer
	Generating              // text is generated
)

// framesOf are the stacks of processes.
var framesOf = map[Doing][]wire.Frame{Reducing: reducing, Computing: computing, Loading: loading, Hanging: loading,
	Generating: generating}

// ProcessStacks returns where a process is, and where the processes are that load its data. ticks is its CPU time. line
// is a number that moves it within a function.
func ProcessStacks(p *wire.Process, does Doing, ticks uint64, line int, loaders []wire.Relative) []wire.ProcessStacks {
	frames := slices.Clone(framesOf[does])
	if line > 0 {
		frames[2].Line += line
	}
	list := []wire.ProcessStacks{{
		ProcessID: wire.ProcessID{PID: p.PID, StartTicks: p.StartTicks}, Parent: p.Parent, Name: "python",
		State: p.State, Python: "3.11.9",
		Threads: []wire.ThreadStack{
			{TID: p.PID, Name: "python", Main: true, GIL: new(false), State: "S", WChan: "futex_wait_queue",
				CPUTicks: &ticks, Switches: new(ticks / 2), Frames: frames},
			{TID: p.PID + 400000, Name: "tqdm_monitor", GIL: new(false), State: "S", WChan: "futex_wait_queue",
				CPUTicks: new(uint64(40)), Frames: slices.Clone(watching)},
			{TID: p.PID + 400001, Name: "pt_nccl_watchdg", State: "S", CPUTicks: new(uint64(977))},
		},
	}}
	for i, r := range loaders {
		at := wire.ThreadStack{TID: r.PID, Name: "pt_data_worker", Main: true, State: "S", WChan: "do_poll",
			CPUTicks: new(uint64(5000)), Switches: new(uint64(70000)),
			Frames: slices.Clone(fetching[3:])}
		if does == Hanging {
			at.State, at.WChan, at.Frames = "D", "cl_sync_io_wait", slices.Clone(fetching)
			at.WaitsFor = &wire.FileWait{Path: "/lustre/set7/shard-" + []string{"0317", "0318"}[i%2] + ".tar",
				FileSystem: "lustre", Mount: "/lustre", Source: "10.0.0.1@o2ib:/set7"}
		}
		list = append(list, wire.ProcessStacks{ProcessID: r.ProcessID, Parent: r.Parent, Of: p.PID,
			Name: "pt_data_worker", State: at.State, Python: "3.11.9", Threads: []wire.ThreadStack{at}})
	}
	return list
}
