package stacks

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const (
	site = "/venv/lib/python3.11/site-packages/"
	std  = "/usr/lib/python3.11/"
)

var (
	now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

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
	backward = []wire.Frame{{Function: "backward", File: site + "torch/autograd/__init__.py", Line: 197},
		{Function: "backward", File: site + "torch/_tensor.py", Line: 487},
		{Function: "step", File: "/home/a/train.py", Line: 212}}
	store = []wire.Frame{{Function: "_create_c10d_store", File: site + "torch/distributed/rendezvous.py", Line: 176},
		{Function: "init_process_group", File: site + "torch/distributed/distributed_c10d.py", Line: 754},
		{Function: "main", File: "/home/a/train.py", Line: 50}}
	helper = []wire.Frame{{Function: "_new_process_group_helper", File: site + "torch/distributed/distributed_c10d.py",
		Line: 862}, {Function: "init_process_group", File: site + "torch/distributed/distributed_c10d.py", Line: 761},
		{Function: "main", File: "/home/a/train.py", Line: 50}}
	serve = []wire.Frame{{Function: "select", File: std + "selectors.py", Line: 468},
		{Function: "_run_once", File: std + "asyncio/base_events.py", Line: 1884},
		{Function: "run_forever", File: std + "asyncio/base_events.py", Line: 607},
		{Function: "run", File: "/home/a/app/main.py", Line: 9}, {Function: "<module>", File: "/home/a/app/main.py",
			Line: 20}}
	item = []wire.Frame{{Function: "step", File: "/home/a/train.py", Line: 220}}
)

// is makes what a node says of a process.
type is func(p *wire.ProcessStacks)

func in(frames []wire.Frame) is {
	return func(p *wire.ProcessStacks) { p.Threads[0].Frames = frames }
}

func state(letter string) is {
	return func(p *wire.ProcessStacks) { p.State, p.Threads[0].State = letter, letter }
}

func used(ticks uint64) is {
	return func(p *wire.ProcessStacks) { p.Threads[0].CPUTicks = &ticks }
}

func waited(times uint64) is {
	return func(p *wire.ProcessStacks) { p.Threads[0].Switches = &times }
}

func wrote(bytes uint64) is { return func(p *wire.ProcessStacks) { p.IOBytes = &bytes } }

func seen(times, same int) is {
	return func(p *wire.ProcessStacks) { p.Looks = &wire.StackLooks{Times: times, Same: same} }
}

// held lets another thread hold the interpreter's lock, for which the main thread waits again and again.
func held(times uint64) is {
	return func(p *wire.ProcessStacks) {
		waited(times)(p)
		p.Threads[0].GIL = new(false)
		p.Threads = append(p.Threads, wire.ThreadStack{TID: p.PID + 1, State: "S", GIL: new(true), CPUTicks: new(uint64(3)),
			Switches: new(uint64(4)), Frames: crunch})
	}
}

func uncounted(p *wire.ProcessStacks) { p.Threads[0].Switches = nil }

func polls(ticks uint64) is {
	return func(p *wire.ProcessStacks) { in(item)(p); used(ticks)(p); p.MPI = true }
}

// atRendezvous is a job of which rank 3 has not come, for which the others wait in two places.
func atRendezvous(rank int) []is {
	return [][]is{{in(store)}, {in(helper)}, {in(helper)}, {in(crunch)}}[rank]
}

// job surveys ranks, four on each node, after so many seconds; at says what each is doing.
func job(after, ranks int, at func(rank int) []is) *Observation {
	var places []Place
	for r := range ranks {
		places = append(places, Place{Number: r, Node: fmt.Sprintf("n%d", r/4+1), GPUs: []int{r % 4},
			ProcessID: wire.ProcessID{PID: 100 + r, StartTicks: 7}})
	}
	s := newSurvey("7", places, now.Add(time.Duration(after)*time.Second), 0)
	for q, more := s.Next(); more; q, more = s.Next() {
		reply := wire.Reply{ReadMS: uint64(5000 + 1000*after)}
		for _, id := range q.Request.Stacks.Processes {
			p := wire.ProcessStacks{ProcessID: id, State: "S", Threads: []wire.ThreadStack{
				{TID: id.PID, Main: true, State: "S", CPUTicks: new(uint64(50)),
					Switches: new(uint64(900))}}}
			for _, do := range at(id.PID - 100) {
				do(&p)
			}
			reply.Stacks = append(reply.Stacks, p)
		}
		s.Take(q, &reply, nil)
	}
	return s.Look()
}

// all does the same on every rank, except on one.
func all(do is, except int, other ...is) func(int) []is {
	return func(rank int) []is {
		if rank == except {
			return other
		}
		return []is{do}
	}
}

func both(a, b is) is { return func(p *wire.ProcessStacks) { a(p); b(p) } }

// half is a job of which every second rank computes, and the others wait for it.
func half(ticks uint64) func(int) []is {
	return func(rank int) []is {
		if rank%2 == 0 {
			return []is{in(crunch), used(ticks)}
		}
		return []is{in(reduce)}
	}
}

// Ranks with equal functions and files are one group, the largest first; lines where they differ are told apart.
func TestGroups(t *testing.T) {
	l := job(0, 16, func(r int) []is {
		switch {
		case r == 5:
			return []is{in(load)}
		case r == 6:
			return []is{in(reduce), state("T")}
		case r < 3:
			frames := append([]wire.Frame(nil), reduce...)
			frames[2].Line = 300
			return []is{in(frames)}
		}
		return []is{in(reduce)}
	})
	d := Of(NewPair(nil, l), Evidence{})
	var got []string
	for _, g := range d.Groups {
		got = append(got, fmt.Sprint(len(g.Ranks), " ", g.Outlier, " ", g.Summary, " | ", g.Members))
	}
	if diff := cmp.Diff([]string{
		"14 false all_reduce  torch/distributed/distributed_c10d.py:2501 ← step  train.py:212 | ranks 0-4, 7-15",
		"1 true _try_get_data  torch/utils/data/dataloader.py:1144 ← __next__ ← main  train.py:198 | " +
			"rank 5 · n2 GPU1 · PID 105",
		"1 true stopped by a signal, in all_reduce  torch/distributed/distributed_c10d.py:2501 ← step  train.py:212 | " +
			"rank 6 · n2 GPU2 · PID 106",
	}, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]rankstacks.Line{{Line: 212, Members: "ranks 3, 4, 7-15"}, {Line: 300, Members: "ranks 0-2"}},
		d.Groups[0].Frames[2].Lines); diff != "" {
		t.Error(diff)
	}
	if d.State != rankstacks.Unclear {
		t.Errorf("one look says %s", d.State)
	}
}

// What two looks say, and what they do not say.
func TestVerdict(t *testing.T) {
	same := func(at func(int) []is) [2]func(int) []is { return [2]func(int) []is{at, at} }
	for name, tc := range map[string]struct {
		ranks int
		at    [2]func(int) []is
		also  Evidence
		state rankstacks.State
		said  string
	}{
		"a rank loads data": {8, same(all(in(reduce), 5, in(load))), Evidence{}, rankstacks.Stuck,
			"7 of 8 ranks are in all_reduce, rank 5 (n2 GPU1, PID 105) is in _try_get_data " +
				"(torch/utils/data/dataloader.py:1144). None has moved within 5 s."},
		"a rank computes without end": {8, [2]func(int) []is{all(in(reduce), 5, in(crunch), state("R"), used(100)),
			all(in(reduce), 5, in(crunch), state("R"), used(600))}, Evidence{}, rankstacks.Unclear,
			"7 of 8 ranks are in all_reduce, rank 5 (n2 GPU1, PID 105) is in crunch (loop.py:3). " +
				"Each was in one line within 5 s, but rank 5 has used 100% of a CPU."},
		"rank 0 evaluates in one call, for which NCCL shows the others wait": {8, [2]func(int) []is{
			all(in(reduce), 0, in(crunch), used(100)), all(in(reduce), 0, in(crunch), used(600))},
			Evidence{Halted: true, NCCL: &NCCL{Behind: true}}, rankstacks.Unclear,
			"7 of 8 ranks are in all_reduce, rank 0 (n1 GPU0, PID 100) is in crunch (loop.py:3). " +
				"Each was in one line within 5 s, but rank 0 has used 100% of a CPU."},
		"rank 0 writes the last checkpoint, and the others have exited": {8, [2]func(int) []is{
			all(state("Z"), 0, in(crunch), used(100)), all(state("Z"), 0, in(crunch), used(600))},
			Evidence{NCCL: &NCCL{Lost: true}}, rankstacks.Unclear,
			"7 of 8 ranks have exited, rank 0 (n1 GPU0, PID 100) is in crunch (loop.py:3). " +
				"Each was in one line within 5 s, but rank 0 has used 100% of a CPU."},
		"a rank has exited, and the others spin": {8, [2]func(int) []is{all(in(reduce), 5, state("Z")),
			all(both(in(reduce), used(550)), 5, state("Z"))}, Evidence{NCCL: &NCCL{Lost: true}}, rankstacks.Stuck,
			"7 of 8 ranks are in all_reduce, rank 5 (n2 GPU1, PID 105) has exited. " +
				"None has moved within 5 s, but for polling."},
		"a rank has exited, and the others spin for their GPUs": {8, [2]func(int) []is{all(in(crunch), 5, state("Z")),
			all(both(in(crunch), used(550)), 5, state("Z"))}, Evidence{Halted: true, NCCL: &NCCL{Lost: true}},
			rankstacks.Stuck,
			"7 of 8 ranks are in crunch (loop.py:3), rank 5 (n2 GPU1, PID 105) has exited. " +
				"None has moved within 5 s, but for polling."},
		"of two ranks rank 0 evaluates in one call": {2, [2]func(int) []is{
			all(in(reduce), 0, in(crunch), used(100)), all(in(reduce), 0, in(crunch), used(600))},
			Evidence{Halted: true}, rankstacks.Unclear,
			"The 2 ranks are in 2 places: 1 of them is in crunch (loop.py:3). " +
				"Each was in one line within 5 s, but rank 0 has used 100% of a CPU."},
		"half of the ranks evaluate in one call": {4, [2]func(int) []is{half(100), half(600)}, Evidence{Halted: true},
			rankstacks.Unclear,
			"The 4 ranks are in 2 places: 2 of them are in crunch (loop.py:3). " +
				"Each was in one line within 5 s, but rank 0 has used 100% of a CPU."},
		"of two ranks one never arrives": {2, same(all(in(reduce), 0, in(load))), Evidence{Halted: true},
			rankstacks.Stuck, "The 2 ranks are in 2 places: 1 of them is in _try_get_data " +
				"(torch/utils/data/dataloader.py:1144). None has moved within 5 s."},
		"all are in one collective, perhaps of another step": {8, same(all(in(reduce), -1)), Evidence{},
			rankstacks.Unclear, "All 8 ranks are in all_reduce. None has moved within 5 s."},
		"all are in one collective, and their GPUs are known to stand": {8, same(all(in(reduce), -1)),
			Evidence{Halted: true}, rankstacks.Stuck, "All 8 ranks are in all_reduce. None has moved within 5 s."},
		"a rank is stopped": {8, same(all(in(reduce), 5, in(crunch), state("T"))), Evidence{}, rankstacks.Stuck,
			"7 of 8 ranks are in all_reduce, rank 5 (n2 GPU1, PID 105) is stopped by a signal. None has moved within " +
				"5 s."},
		"rank 0 evaluates": {8, [2]func(int) []is{all(in(reduce), 0, in(crunch)), all(in(reduce), 0, in(crunch[1:]))},
			Evidence{}, rankstacks.Moving,
			"7 of 8 ranks are in all_reduce, rank 0 (n1 GPU0, PID 100) is in main (train.py:50). " +
				"Rank 0 · n1 GPU0 · PID 100 has moved within 5 s."},
		"all move": {8, [2]func(int) []is{all(in(reduce), -1), all(in(item), -1)}, Evidence{}, rankstacks.Moving,
			"All 8 ranks are in step (train.py:220). All have moved within 5 s."},
		"all wait for their GPUs, and compute perhaps": {8, same(all(in(item), -1)), Evidence{}, rankstacks.Unclear,
			"All 8 ranks are in step (train.py:220). None has moved within 5 s."},
		"their GPUs are known to stand": {8, same(all(in(item), -1)), Evidence{Halted: true}, rankstacks.Stuck,
			"All 8 ranks are in step (train.py:220). None has moved within 5 s."},
		"the others spin": {8, [2]func(int) []is{all(used(0), -1), all(used(490), -1)}, Evidence{},
			rankstacks.Unclear,
			"All 8 ranks wait. " +
				"Each was in one line within 5 s, and most use a CPU there, as in a wait that polls."},
		"most are in a collective, and use a CPU": {8, [2]func(int) []is{
			all(func(p *wire.ProcessStacks) { in(reduce)(p); used(0)(p) }, 5, in(load)),
			all(func(p *wire.ProcessStacks) { in(reduce)(p); used(490)(p) }, 5, in(load))}, Evidence{},
			rankstacks.Unclear, "7 of 8 ranks are in all_reduce, rank 5 (n2 GPU1, PID 105) is in _try_get_data " +
				"(torch/utils/data/dataloader.py:1144). " +
				"Each was in one line within 5 s, and most use a CPU there, as in a wait that polls."},
		"NCCL has moved on": {8, same(all(in(reduce), 5, in(load))), Evidence{NCCL: &NCCL{Moving: true}},
			rankstacks.Moving, "7 of 8 ranks are in all_reduce, rank 5 (n2 GPU1, PID 105) is in _try_get_data " +
				"(torch/utils/data/dataloader.py:1144). None has moved within 5 s."},
		"a rank loads data slowly, in small steps": {8, [2]func(int) []is{
			all(in(reduce), 5, in(load), waited(100)), all(in(reduce), 5, in(load), waited(153))}, Evidence{},
			rankstacks.Unclear, "7 of 8 ranks are in all_reduce, rank 5 (n2 GPU1, PID 105) is in _try_get_data " +
				"(torch/utils/data/dataloader.py:1144). Each was in one line within 5 s, but rank 5 has begun to wait " +
				"53 times: it works in small steps."},
		"a rank evaluates in one line, as ten looks have seen": {8, [2]func(int) []is{
			all(in(reduce), 5, in(crunch)), all(both(in(reduce), seen(10, 10)), 5, in(crunch), waited(1367), seen(10, 10))},
			Evidence{}, rankstacks.Unclear, "7 of 8 ranks are in all_reduce, rank 5 (n2 GPU1, PID 105) is in crunch " +
				"(loop.py:3). Each was in one line in 10 of 10 looks within 5 s, but rank 5 has begun to wait 467 times: it " +
				"works in small steps."},
		"the others go on in small steps": {8, [2]func(int) []is{
			all(both(in(reduce), waited(100)), 5, in(load)), all(both(in(reduce), waited(158)), 5, in(load))}, Evidence{},
			rankstacks.Unclear, "7 of 8 ranks are in all_reduce, rank 5 (n2 GPU1, PID 105) is in _try_get_data " +
				"(torch/utils/data/dataloader.py:1144). Each was in one line within 5 s, but rank 0 has begun to wait " +
				"58 times: it works in small steps."},
		"a rank looks at a timeout": {8, [2]func(int) []is{
			all(in(reduce), 5, in(load), waited(100)), all(in(reduce), 5, in(load), waited(102))}, Evidence{},
			rankstacks.Stuck, "7 of 8 ranks are in all_reduce, rank 5 (n2 GPU1, PID 105) is in _try_get_data " +
				"(torch/utils/data/dataloader.py:1144). None has moved within 5 s."},
		"a rank computes on a node that is too busy": {8, same(all(in(reduce), 5, in(crunch), state("R"))), Evidence{},
			rankstacks.Unclear, "7 of 8 ranks are in all_reduce, rank 5 (n2 GPU1, PID 105) is in crunch (loop.py:3). " +
				"Each was in one line within 5 s, but rank 5 runs, and gets little of a CPU."},
		"a rank writes a checkpoint in one call": {8, [2]func(int) []is{
			all(in(reduce), 5, in(crunch), wrote(0)), all(in(reduce), 5, in(crunch), wrote(70<<20))}, Evidence{},
			rankstacks.Unclear, "7 of 8 ranks are in all_reduce, rank 5 (n2 GPU1, PID 105) is in crunch (loop.py:3). " +
				"Each was in one line within 5 s, but rank 5 has read or written 70 MiB."},
		"a rank was elsewhere in between": {8, same(all(in(reduce), 5, in(load), seen(10, 7))), Evidence{},
			rankstacks.Moving, "7 of 8 ranks are in all_reduce, rank 5 (n2 GPU1, PID 105) is in _try_get_data " +
				"(torch/utils/data/dataloader.py:1144). Rank 5 · n2 GPU1 · PID 105 has moved within 5 s."},
		"a rank waits for the lock of the interpreter, which its thread has": {8, [2]func(int) []is{
			all(in(reduce), 5, in(load), held(100)), all(in(reduce), 5, in(load), held(1100))}, Evidence{},
			rankstacks.Stuck, "7 of 8 ranks are in all_reduce, rank 5 (n2 GPU1, PID 105) is in _try_get_data " +
				"(torch/utils/data/dataloader.py:1144). Rank 5, in main (train.py:198), waits for the interpreter's lock " +
				"(GIL), which thread 106 holds: it is in crunch (loop.py:3). None has moved within 5 s."},
		"the kernel does not count": {8, same(all(in(reduce), 5, in(load), uncounted)), Evidence{},
			rankstacks.Unclear, "7 of 8 ranks are in all_reduce, rank 5 (n2 GPU1, PID 105) is in _try_get_data " +
				"(torch/utils/data/dataloader.py:1144). None has left its line within 5 s: whether each has worked there " +
				"is not known."},
		"DistributedDataParallel waits": {8, same(all(in(backward), 5, in(load))), Evidence{}, rankstacks.Stuck,
			"7 of 8 ranks are in backward (torch/autograd/__init__.py:197), rank 5 (n2 GPU1, PID 105) is in " +
				"_try_get_data (torch/utils/data/dataloader.py:1144). None has moved within 5 s."},
		"MPI polls": {8, [2]func(int) []is{all(polls(0), 5, in(load)), all(polls(490), 5, in(load))}, Evidence{},
			rankstacks.Stuck, "7 of 8 ranks are in step (train.py:220), rank 5 (n2 GPU1, PID 105) is in " +
				"_try_get_data (torch/utils/data/dataloader.py:1144). None has moved within 5 s, but for polling."},
		"they poll for GPUs that wait": {8, [2]func(int) []is{all(both(in(item), used(0)), 5, in(load)),
			all(both(in(item), used(490)), 5, in(load))}, Evidence{GPUsWait: true},
			rankstacks.Stuck, "7 of 8 ranks are in step (train.py:220), rank 5 (n2 GPU1, PID 105) is in " +
				"_try_get_data (torch/utils/data/dataloader.py:1144). None has moved within 5 s, but for polling."},
		"they poll for GPUs that compute": {8, [2]func(int) []is{all(both(in(item), used(0)), 5, in(load)),
			all(both(in(item), used(490)), 5, in(load))}, Evidence{},
			rankstacks.Unclear, "7 of 8 ranks are in step (train.py:220), rank 5 (n2 GPU1, PID 105) is in " +
				"_try_get_data (torch/utils/data/dataloader.py:1144). Each was in one line within 5 s, and most use a CPU " +
				"there, as in a wait that polls."},
		"a rank has not come to the rendezvous": {4, same(atRendezvous), Evidence{}, rankstacks.Stuck,
			"3 of 4 ranks wait for others, 2 of them in _new_process_group_helper, rank 3 (n1 GPU3, PID 103) is " +
				"in crunch (loop.py:3). None has moved within 5 s."},
		"a rank has not come to the rendezvous, which polls": {4, [2]func(int) []is{atRendezvous, func(rank int) []is {
			return append(atRendezvous(rank), waited(map[bool]uint64{true: 1400, false: 900}[rank == 0]))
		}}, Evidence{}, rankstacks.Stuck,
			"3 of 4 ranks wait for others, 2 of them in _new_process_group_helper, rank 3 (n1 GPU3, PID 103) is " +
				"in crunch (loop.py:3). None has moved within 5 s, but for polling."},
		"a rank serves": {8, same(all(in(reduce), 5, in(serve))), Evidence{}, rankstacks.Unclear,
			"7 of 8 ranks are in all_reduce, rank 5 (n2 GPU1, PID 105) is in run_forever (asyncio/base_events.py:607). " +
				"Rank 5, in run (app/main.py:9), waits in an event loop. Each was in one line within 5 s, but rank 5 waits for requests, as a server does."},
		"one rank": {1, same(all(in(crunch), -1)), Evidence{}, rankstacks.Unclear,
			"Rank 0 (n1 GPU0, PID 100) is in crunch (loop.py:3). None has moved within 5 s."},
	} {
		t.Run(name, func(t *testing.T) {
			d := Of(NewPair(job(0, tc.ranks, tc.at[0]), job(5, tc.ranks, tc.at[1])), tc.also)
			if said := strings.Join(d.Said, " "); d.State != tc.state || said != tc.said {
				t.Errorf("%s: %s\nwant %s: %s", d.State, said, tc.state, tc.said)
			}
		})
	}
}

// A job goes on if a rank moves, or works in small steps; not if it hangs, computes in one line, or polls until others
// have come.
func TestGoesOn(t *testing.T) {
	for name, tc := range map[string]struct {
		at   [2]func(int) []is
		want bool
	}{
		"it moves": {[2]func(int) []is{all(in(reduce), 2, in(load)), all(in(reduce), 2, in(crunch))}, true},
		"it loads in steps": {[2]func(int) []is{all(in(reduce), 2, in(load)), all(in(reduce), 2, in(load),
			waited(950))}, true},
		"it writes": {[2]func(int) []is{all(in(reduce), 2, wrote(0)), all(in(reduce), 2, wrote(9<<20))}, true},
		"it hangs":  {[2]func(int) []is{all(in(reduce), 2, in(load)), all(in(reduce), 2, in(load))}, false},
		"it loops": {[2]func(int) []is{all(in(reduce), 2, in(crunch)), all(in(reduce), 2, in(crunch),
			used(550))}, false},
		"it polls until others have come": {[2]func(int) []is{all(in(store), -1),
			all(both(in(store), waited(1400)), -1)}, false},
	} {
		e := Examine("7", nil)
		e.Take(job(0, 4, tc.at[0]), true)
		if e.GoesOn() {
			t.Errorf("%s: one look says that it does", name)
		}
		if e.Take(job(5, 4, tc.at[1]), true); e.GoesOn() != tc.want {
			t.Errorf("%s: %v, want %v", name, e.GoesOn(), tc.want)
		}
	}
}

// A look without some ranks proves no standstill, and says how much is known.
func TestPartialLooks(t *testing.T) {
	gone := func(r int) []is {
		if r == 3 {
			return []is{func(p *wire.ProcessStacks) {
				p.Threads, p.Refusal = nil, &wire.Refusal{ID: wire.RefusedPtrace, Cause: "ptrace", Hint: "sysctl"}
			}}
		}
		return []is{in(reduce)}
	}
	before := job(0, 8, gone)
	before.At = before.At.Add(-1042635 * time.Nanosecond)
	d := Of(NewPair(before, job(5, 8, gone)), Evidence{})
	if d.ComparedSeconds == nil || *d.ComparedSeconds != 5.001 {
		t.Errorf("compared with %v", d.ComparedSeconds)
	}
	want := "All 7 ranks that were read are in all_reduce. None of the 7 that were read twice has moved within 5 s, " +
		"of 8."
	if said := strings.Join(d.Said, " "); said != want || d.State != rankstacks.Unclear {
		t.Errorf("%s: %s", d.State, said)
	}
	if diff := cmp.Diff([]rankstacks.Refusal{{ID: "ptrace", Cause: "ptrace", Hint: "sysctl", Count: 1,
		Members: "rank 3 · n1 GPU3 · PID 103"}}, d.Refused); diff != "" {
		t.Error(diff)
	}
}

// Ranks of which only the kernel tells stand in a group for each reason; the others that were not read for one of these
// reasons are counted apart.
func TestVagueRanksAreGroupedByReason(t *testing.T) {
	refused := func(cause string, forget bool) []is {
		return []is{func(p *wire.ProcessStacks) {
			p.Refusal = &wire.Refusal{ID: wire.RefusedPtrace, Cause: cause}
			if forget {
				p.Threads = nil
			}
		}}
	}
	d := Of(NewPair(nil, job(0, 8, func(r int) []is {
		switch r {
		case 3, 4:
			return refused("a", false)
		case 5:
			return refused("b", false)
		case 6, 7:
			return refused("a", true)
		}
		return []is{in(reduce)}
	})), Evidence{})
	var got []string
	for _, g := range d.Groups {
		got = append(got, fmt.Sprint("group ", g.Cause, " ", len(g.Ranks)))
	}
	for _, r := range d.Refused {
		got = append(got, fmt.Sprint("refused ", r.Cause, " ", r.Count, " ", r.Grouped))
	}
	want := []string{"group  3", "group a 2", "group b 1", "refused a 2 true", "refused a 2 false", "refused b 1 true"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The thread for which the main thread waits does the work.
func TestAThreadDoesTheWork(t *testing.T) {
	joins := []wire.Frame{{Function: "join", File: std + "threading.py", Line: 1119}, item[0]}
	works := func(line int) func(int) []is {
		return func(int) []is {
			return []is{in(joins), func(p *wire.ProcessStacks) {
				p.Threads = append(p.Threads,
					wire.ThreadStack{TID: 1, Frames: []wire.Frame{{Function: "f", Line: line}}})
			}}
		}
	}
	if d := Of(NewPair(job(0, 2, works(1)), job(5, 2, works(2))),
		Evidence{Halted: true}); d.State != rankstacks.Moving {
		t.Errorf("it is %s: %v", d.State, d.Said)
	}
	if d := Of(NewPair(job(0, 2, works(1)), job(5, 2, works(1))),
		Evidence{Halted: true}); d.State != rankstacks.Stuck {
		t.Errorf("it is %s: %v", d.State, d.Said)
	}
}

// A node that does not answer, answers for others, or with text that acts on a terminal.
func TestHostileAnswers(t *testing.T) {
	places := []Place{{Number: 0, Node: "a", ProcessID: wire.ProcessID{PID: 1, StartTicks: 1}},
		{Number: 1, Node: "b", ProcessID: wire.ProcessID{PID: 2, StartTicks: 1}},
		{Number: 2, Node: "c", ProcessID: wire.ProcessID{PID: 3, StartTicks: 1}},
		{Number: 3, Node: "d", ProcessID: wire.ProcessID{PID: 4}},
		{Number: 4, Node: "e", Absent: "gone", AbsentID: wire.RefusedGone}}
	s := newSurvey("7", places, now, 0)
	evil := "\x1b[2J\x1b]0;x\a\u202e"
	answers := map[string]*wire.Reply{
		"a": {Stacks: []wire.ProcessStacks{{ProcessID: places[0].ProcessID, Name: evil, State: evil,
			Unsent: []wire.Connection{{Local: evil, Peer: evil}}, Threads: []wire.ThreadStack{
				{Main: true, State: evil, WChan: evil, Call: &wire.SystemCall{Does: wire.CallChild, Child: 8, File: evil},
					Frames:   []wire.Frame{{Function: evil + "f", File: evil + "/x.py", Line: -5}},
					WaitsFor: &wire.FileWait{Path: evil}}}},
			{ProcessID: wire.ProcessID{PID: 99}},
			{ProcessID: wire.ProcessID{PID: 8}, Of: 1, Name: evil, Parent: 1, Threads: []wire.ThreadStack{
				{State: "S", Call: &wire.SystemCall{Does: wire.CallLocks, File: evil, Local: evil, Peer: evil}}}},
			{ProcessID: wire.ProcessID{PID: 9}, Of: 1, Threads: []wire.ThreadStack{
				{State: "D", WaitsFor: &wire.FileWait{Path: evil + "/p", FileSystem: evil}}}}}},
		"b": {Stacks: []wire.ProcessStacks{{ProcessID: wire.ProcessID{PID: 2, StartTicks: 9},
			Threads: []wire.ThreadStack{{Frames: reduce}}}}},
	}
	asked := 0
	for q, more := s.Next(); more; q, more = s.Next() {
		asked++
		if r := answers[q.Node]; r != nil {
			s.Take(q, r, nil)
		} else {
			s.Take(q, nil, errors.New(evil+"broken"))
		}
	}
	if !s.Over() || asked != 3 {
		t.Errorf("%d questions", asked)
	}
	d := Of(NewPair(nil, s.Look()), Evidence{})
	text := fmt.Sprint(d)
	if strings.ContainsAny(text, "\x1b\a\u202e") {
		t.Errorf("escapes: %q", text)
	}
	if d.Read != 1 || d.Asked != 5 || len(d.Refused) != 4 {
		t.Errorf("read %d of %d, refused %+v", d.Read, d.Asked, d.Refused)
	}
}

// A small group stands out only beside a large one: from half of the ranks on.
func TestOutliers(t *testing.T) {
	waiting := [][]wire.Frame{reduce, store, helper}
	places := func(waits string, sizes ...int) func(int) []is {
		return func(rank int) []is {
			for i, n := range sizes {
				rank -= n
				switch {
				case rank < 0 && i == 0 && waits == "first":
					return []is{in(reduce)}
				case rank < 0 && i > 0 && waits == "others":
					return []is{in(waiting[i-1])}
				case rank < 0:
					return []is{in([]wire.Frame{{Function: fmt.Sprint("place", i), File: "/home/a/train.py", Line: 1}})}
				}
			}
			return nil
		}
	}
	for _, tc := range []struct {
		waits string // the first group, or the others
		sizes []int
		want  string
	}{
		{"", []int{7, 1}, "7 1!"}, {"", []int{4, 2, 2}, "4 2! 2!"}, {"", []int{4, 3, 1}, "4 3 1!"},
		{"", []int{3, 2, 2, 1}, "3 2 2 1"}, {"", []int{2, 1, 1, 1, 1, 1, 1}, "2 1 1 1 1 1 1"},
		{"first", []int{7, 1}, "7 1!"}, {"first", []int{4, 2, 2}, "4 2! 2!"}, {"first", []int{3, 2, 2, 1}, "3 2 2 1"},
		{"others", []int{3, 2, 2, 1}, "3 2 2 1"}, {"others", []int{7, 1}, "7 1!"},
	} {
		var got []string
		for _, g := range Of(NewPair(nil, job(0, 8, places(tc.waits, tc.sizes...))), Evidence{}).Groups {
			mark := ""
			if g.Outlier {
				mark = "!"
			}
			got = append(got, fmt.Sprint(len(g.Ranks), mark))
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%v: %q, want %q", tc.sizes, got, tc.want)
		}
	}
}

// Who no longer waits for the answers gets the look without them, at once.
func TestAskIsCanceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSurvey("7", []Place{{Node: "a", ProcessID: wire.ProcessID{PID: 1, StartTicks: 1}}}, now, 0)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		look := s.Ask(ctx, func(ctx context.Context, _ string, _ wire.Request) (wire.Reply, error) {
			<-ctx.Done()
			return wire.Reply{}, ctx.Err()
		})
		if d := Of(NewPair(nil, look), Evidence{}); d.Read != 0 || len(d.Refused) != 1 {
			t.Errorf("%+v", d)
		}
	})
}

// Nobody waits for a node for ever.
func TestGiveUp(t *testing.T) {
	s := newSurvey("7", []Place{{Node: "a", ProcessID: wire.ProcessID{PID: 1, StartTicks: 1}}}, now, 0)
	s.Next()
	s.GiveUp(5 * time.Second)
	if d := Of(NewPair(nil, s.Look()), Evidence{}); !s.Over() || d.Read != 0 || d.Refused[0].Cause !=
		"the node has not answered within 5 s" {
		t.Errorf("%+v", d)
	}
}

// A node of many ranks gets several questions, each with as many as the probe takes.
func TestManyOnANode(t *testing.T) {
	var places []Place
	for r := range 150 {
		places = append(places, Place{Number: r, Node: "a", ProcessID: wire.ProcessID{PID: r + 1, StartTicks: 1}})
	}
	s, sizes := newSurvey("7", places, now, 0), []int{}
	for q, more := s.Next(); more; q, more = s.Next() {
		sizes = append(sizes, len(q.Request.Stacks.Processes))
	}
	if diff := cmp.Diff([]int{64, 64, 22}, sizes); diff != "" {
		t.Error(diff)
	}
}

func BenchmarkOf1024(b *testing.B) {
	deep := append([]wire.Frame(nil), reduce...)
	for i := range 40 {
		deep = append(deep, wire.Frame{Function: fmt.Sprint("f", i), File: site + "pkg/module.py", Line: i})
	}
	before, after := job(0, 1024, all(in(deep), 317, in(load))), job(5, 1024, all(in(deep), 317, in(load)))
	for b.Loop() {
		Of(NewPair(before, after), Evidence{})
	}
}
