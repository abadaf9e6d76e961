package frames

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const (
	site = "/venv/lib/python3.11/site-packages/"
	std  = "/usr/lib/python3.11/"
)

var (
	reduce = []wire.Frame{{Function: "all_reduce", File: site + "torch/distributed/distributed_c10d.py", Line: 2501},
		{Function: "wrapper", File: site + "torch/distributed/c10d_logger.py", Line: 83},
		{Function: "step", File: "/home/a/train.py", Line: 212}, {Function: "<module>", File: "/home/a/train.py",
			Line: 9}}
	load = []wire.Frame{{Function: "select", File: std + "selectors.py", Line: 415},
		{Function: "_try_get_data", File: site + "torch/utils/data/dataloader.py", Line: 1144},
		{Function: "__next__", File: site + "torch/utils/data/dataloader.py", Line: 630},
		{Function: "main", File: "/home/a/train.py", Line: 198}, {Function: "<module>", File: "/home/a/train.py",
			Line: 9}}
	crunch = []wire.Frame{{Function: "crunch", File: "/home/a/loop.py", Line: 3},
		{Function: "main", File: "/home/a/train.py", Line: 50}, {Function: "<module>", File: "/home/a/train.py",
			Line: 9}}
)

func TestALineOfAStack(t *testing.T) {
	for want, stack := range map[string][]wire.Frame{
		"": nil,
		"all_reduce  torch/distributed/distributed_c10d.py:2501 ← step  train.py:212":        reduce,
		"_try_get_data  torch/utils/data/dataloader.py:1144 ← __next__ ← main  train.py:198": load,
		"crunch  loop.py:3 ← main": crunch,
		"get  queue.py:171 ← fetch  data.py:5": {{Function: "wait", File: std + "threading.py", Line: 327},
			{Function: "get", File: std + "queue.py", Line: 171}, {Function: "fetch", File: "/home/a/data.py",
				Line: 5}},
		"run  torch/run.py:1": {{Function: "run", File: site + "torch/run.py", Line: 1},
			{Function: "_run", File: "<frozen runpy>", Line: 2}},
		"svd  numpy/linalg/linalg.py:1642 ← broken  train.py:74": {
			{Function: "svd", File: site + "numpy/linalg/linalg.py", Line: 1642},
			{Function: "svd", File: "<__array_function__ internals>", Line: 200},
			{Function: "broken", File: "/home/a/train.py", Line: 74}},
		"linear  torch/nn/functional.py:9 ← forward ← step  train.py:7": {
			{Function: "linear", File: site + "torch/nn/functional.py", Line: 9},
			{Function: "forward", File: "<eval_with_key>.3", Line: 5},
			{Function: "step", File: "/home/a/train.py", Line: 7}},
		"train_cell  a notebook cell, line 3": {{Function: "train_cell", File: "/tmp/ipykernel_77/1637549051.py", Line: 3}},
		"fit  notebook cell 3, line 8":        {{Function: "fit", File: "<ipython-input-3-ab12>", Line: 8}},
		"fit  a notebook cell, line 9":        {{Function: "fit", File: "<ipython-input-ab-3>", Line: 9}},
		"f  <string>":                         {{Function: "f", File: "<string>"}},
		"go  eval/main.py:2":                  {{Function: "go", File: "/x/eval/main.py", Line: 2}},
		"_x  a/b.py:1 ← forward ← main  m.py:4": {{Function: "_x", File: site + "a/b.py", Line: 1},
			{Function: "forward", File: site + "a/c.py", Line: 2},
			{Function: "_call_impl", File: site + "torch/nn/modules/module.py", Line: 3},
			{Function: "main", File: "/m.py", Line: 4}},
	} {
		if got := Of(stack).String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// For whom a thread waits is known by the code in which it is, not by a list of functions alone.
func TestWaits(t *testing.T) {
	at := func(functions ...string) (list []wire.Frame) {
		for i := 0; i < len(functions); i += 2 {
			list = append(list, wire.Frame{Function: functions[i], File: functions[i+1], Line: 1})
		}
		return list
	}
	type waits struct {
		collective            string
		adds, meets, requests bool
	}
	c10d, own := site+"torch/distributed/distributed_c10d.py", "/home/a/train.py"
	for name, tc := range map[string]struct {
		frames []wire.Frame
		want   waits
	}{
		"a collective": {reduce, waits{collective: "all_reduce"}},
		"one that nobody has listed": {at("_verify_param_shape", site+"torch/distributed/utils.py", "main", own),
			waits{collective: "_verify_param_shape"}},
		"the rendezvous": {at("_create_c10d_store", site+"torch/distributed/rendezvous.py", "init_process_group", c10d),
			waits{collective: "_create_c10d_store", meets: true}},
		"a collective of Horovod": {at("synchronize", site+"horovod/torch/mpi_ops.py", "main", own),
			waits{collective: "synchronize"}},
		"a checkpoint that torch.distributed writes": {at("write_data",
			site+"torch/distributed/checkpoint/filesystem.py", "save", own), waits{}},
		"a backward pass":           {at("backward", site+"torch/autograd/__init__.py", "step", own), waits{adds: true}},
		"a hook in a backward pass": {at("hook", own, "backward", site+"torch/autograd/__init__.py", "step", own), waits{}},
		"data":                      {load, waits{}},
		"an event loop": {at("select", std+"selectors.py", "_run_once", std+"asyncio/base_events.py", "run_forever",
			std+"asyncio/base_events.py", "main", own), waits{requests: true}},
		"a server of the standard library": {at("select", std+"selectors.py", "serve_forever", std+"socketserver.py",
			"main", own), waits{requests: true}},
		"a task of an event loop": {at("sleep", own, "_run", std+"asyncio/events.py", "_run_once",
			std+"asyncio/base_events.py"), waits{}},
		"nothing": {nil, waits{}},
	} {
		got := waits{Collective(tc.frames), AddsUp(tc.frames), Meets(tc.frames), ServesRequests(tc.frames)}
		if got != tc.want {
			t.Errorf("%s: %+v, want %+v", name, got, tc.want)
		}
	}
}

// A worker's frames are those after its fork; it waits for work if it runs nothing but its loop.
func TestWorkers(t *testing.T) {
	loop := wire.Frame{Function: "_worker_loop", File: site + "torch/utils/data/_utils/worker.py", Line: 3}
	start := []wire.Frame{{Function: "_bootstrap", File: std + "multiprocessing/process.py", Line: 4},
		{Function: "main", File: "/home/a/train.py", Line: 5}}
	get := wire.Frame{Function: "get", File: std + "multiprocessing/queues.py", Line: 1}
	read := wire.Frame{Function: "read_shard", File: "/home/a/train.py", Line: 39}
	for name, tc := range map[string]struct {
		inside       []wire.Frame
		idle, ofData bool
	}{
		"it waits for work":        {[]wire.Frame{get, loop}, true, true},
		"it reads":                 {[]wire.Frame{read, loop}, false, true},
		"it works for a pool":      {[]wire.Frame{read, {Function: "worker", File: std + "multiprocessing/pool.py"}}, false, false},
		"a pool has nothing to do": {[]wire.Frame{get, {Function: "worker", File: std + "multiprocessing/pool.py"}}, true, false},
	} {
		frames := append(tc.inside, start...)
		if idle, ofData := AwaitsWork(frames), IsDataWorker(frames); idle != tc.idle || ofData != tc.ofData {
			t.Errorf("%s: waits for work %v, of a DataLoader %v", name, idle, ofData)
		}
	}
	if AwaitsWork(crunch) || AwaitsWork(nil) || IsDataWorker(load) {
		t.Error("a program is no worker")
	}
}

// Whether code waits for processes is told by what it has called, not by the program around it.
func TestWaitsForProcess(t *testing.T) {
	for name, tc := range map[string]struct {
		frames []wire.Frame
		want   bool
	}{"data": {load, true}, "a collective": {reduce, false}, "own": {crunch, false}, "nothing": {nil, false},
		"a child":                {[]wire.Frame{{Function: "wait", File: std + "subprocess.py"}, crunch[0]}, true},
		"a program of that name": {[]wire.Frame{{Function: "f", File: "/home/a/subprocess.py"}}, false}} {
		if got := WaitsForProcess(tc.frames); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
