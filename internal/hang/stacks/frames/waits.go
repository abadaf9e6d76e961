package frames

import (
	"slices"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// collectives are functions in which a rank waits for other ranks, whoever wrote them.
var collectives = []string{"all_reduce", "all_gather", "all_gather_into_tensor", "all_gather_object", "all_to_all",
	"all_to_all_single", "allgather", "allreduce", "barrier", "batch_isend_irecv", "broadcast", "broadcast_object_list",
	"gather_object", "monitored_barrier", "recv_object_list", "reduce_scatter", "reduce_scatter_tensor",
	"scatter_object_list",
	"wait_for_everyone", "sync_global_devices"}

// together lists code whose functions wait for other ranks when they are the innermost package frame: exchanges between
// processes, and the rendezvous before them.
var together = []struct{ file, but string }{
	{file: "torch/distributed/", but: "torch/distributed/checkpoint/"}, // checkpoint writes files
	{file: "torch/nn/parallel/distributed.py"},
	{file: "torch/nn/modules/_functions.py"}, // SyncBatchNorm
	{file: "horovod/"},
	{file: "mpi4py/"},
	{file: "jax/_src/distributed.py"},
	{file: "jax/experimental/multihost_utils.py"},
	{file: "deepspeed/comm/"},
}

// passes is the code in which the gradients of DistributedDataParallel are added up: torch's engine, in C++.
const passes = "torch/autograd/__init__.py"

// Collective returns the function in which a thread waits for other ranks; "": no such function is known.
func Collective(frames []wire.Frame) string {
	for i := range frames {
		if slices.Contains(collectives, strings.ToLower(frames[i].Function)) {
			return frames[i].Function
		}
	}
	inner := slices.IndexFunc(frames, func(f wire.Frame) bool { return frameOrigin(&f) != ofPython })
	if inner < 0 || frameOrigin(&frames[inner]) != ofPackage {
		return ""
	}
	if at := headOf(frames, -1); isTogether(Short(frames[inner].File)) {
		return frames[at].Function
	}
	return ""
}

// isTogether reports whether the functions of an installed file wait for other ranks.
func isTogether(file string) bool {
	for _, of := range together {
		if strings.HasPrefix(file, of.file) && (of.but == "" || !strings.HasPrefix(file, of.but)) {
			return true
		}
	}
	return false
}

// AddsUp reports whether a thread is in the backward pass, where DistributedDataParallel waits for other ranks, in C++.
// A rank that neither uses a CPU there nor does anything else is waiting: for other ranks, if there are any.
func AddsUp(frames []wire.Frame) bool { return len(frames) > 0 && Short(frames[0].File) == passes }

// meeting is the torch code in which ranks meet before they know each other. It polls.
const meeting = "torch/distributed/rendezvous.py"

// Meets reports whether a thread waits for other ranks to arrive, and polls meanwhile: that is no work.
func Meets(frames []wire.Frame) bool { return len(frames) > 0 && Short(frames[0].File) == meeting }

// servers are Python functions that wait for work from outside: requests, events, cells of a notebook.
var servers = []string{"serve_forever", "run_forever", "_run_once"}

// ServesRequests reports whether a thread runs a loop that waits for input from outside.
func ServesRequests(frames []wire.Frame) bool {
	if len(frames) == 0 || frameOrigin(&frames[0]) != ofPython {
		return false
	}
	for i := range frames {
		if frameOrigin(&frames[i]) != ofPython {
			return false
		}
		if slices.Contains(servers, frames[i].Function) {
			return true
		}
	}
	return false
}

// WaitsForThread reports whether a thread may be waiting for another thread of its process: then that other one does
// the work.
func WaitsForThread(frames []wire.Frame) bool {
	if len(frames) == 0 || frameOrigin(&frames[0]) != ofPython {
		return false
	}
	switch Short(frames[0].File) {
	case "threading.py", "queue.py", "concurrent/futures/_base.py", "asyncio/runners.py", "selectors.py":
		return true
	}
	return false
}
