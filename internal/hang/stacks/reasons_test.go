package stacks

import (
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// withWorker adds a descendant to a rank of a look.
func withWorker(l *Observation, rank int, w wire.ProcessStacks) *Observation {
	l.Ranks[rank].Workers = append(l.Ranks[rank].Workers, w)
	return l
}

func calls(c wire.SystemCall) is { return func(p *wire.ProcessStacks) { p.Threads[0].Call = &c } }

func unanswered(c ...wire.Connection) is { return func(p *wire.ProcessStacks) { p.Unsent = c } }

// The sentences after the first one say for what the rank waits for which others do, and which link is broken.
func TestReasons(t *testing.T) {
	reader := wire.ProcessStacks{ProcessID: wire.ProcessID{PID: 1658, StartTicks: 9}, Parent: 105, Of: 105,
		Name: "pt_data_worker", State: "S", Threads: []wire.ThreadStack{{TID: 1658, Main: true, State: "S",
			CPUTicks: new(uint64(1)), Switches: new(uint64(1)),
			Call: &wire.SystemCall{Does: wire.CallReads, File: "/data/shard-0317.tar"}, Frames: []wire.Frame{
				{Function: "read_shard", File: "/home/a/train.py", Line: 39},
				{Function: "_worker_loop", File: site + "torch/utils/data/_utils/worker.py", Line: 3},
				{Function: "_bootstrap", File: std + "multiprocessing/process.py", Line: 4}}}}}
	frozen := reader
	frozen.Threads = []wire.ThreadStack{reader.Threads[0]}
	frozen.Threads[0].State, frozen.Threads[0].WaitsFor = "D", &wire.FileWait{Path: "/lustre/a.tar", FileSystem: "lustre"}
	locked := both(in(crunch), calls(wire.SystemCall{Does: wire.CallLocks, File: "/home/a/left"}))
	several := func(r int) []is {
		if r < 3 {
			return []is{locked}
		}
		return []is{in(reduce)}
	}
	for name, tc := range map[string]struct {
		before, now *Observation
		want        []string
	}{
		"a worker reads": {withWorker(job(0, 8, all(in(reduce), 5, in(load))), 5, reader),
			withWorker(job(5, 8, all(in(reduce), 5, in(load))), 5, reader),
			[]string{"Rank 5, in main (train.py:198), waits for its DataLoader worker 1658 (pt_data_worker), which is in " +
				"read_shard (train.py:39), where it reads /data/shard-0317.tar."}},
		"a worker in state D is told once": {withWorker(job(0, 8, all(in(reduce), 5, in(load))), 5, frozen),
			withWorker(job(5, 8, all(in(reduce), 5, in(load))), 5, frozen),
			[]string{"Rank 5, in main (train.py:198), waits for its DataLoader worker 1658 (pt_data_worker), which is in " +
				"read_shard (train.py:39), where it waits in state D for /lustre/a.tar (lustre)."}},
		"a rank waits for a lock": {job(0, 8, all(in(reduce), 5, locked)), job(5, 8, all(in(reduce), 5, locked)),
			[]string{"Rank 5 waits for the lock of /home/a/left."}},
		"one that moves waits for nothing": {job(0, 8, all(in(reduce), 5, in(load))),
			job(5, 8, all(in(reduce), 5, locked)), nil},
		"several wait, and two are told": {job(0, 64, several), job(5, 64, several),
			[]string{"Rank 0 waits for the lock of /home/a/left.", "Rank 1 waits for the lock of /home/a/left."}},
		"a link is broken": {job(0, 4, all(in(reduce), -1)), job(5, 4, all(in(reduce), 1, in(reduce),
			unanswered(wire.Connection{Peer: "10.77.1.4:42462", Bytes: 48 << 10, Retransmits: 5}))),
			[]string{"Rank 1's connection to 10.77.1.4:42462 has 48 KiB unsent, after 5 retransmissions."}},
		"all wait in a collective": {job(0, 4, all(both(in(reduce), calls(wire.SystemCall{Does: wire.CallFutex})), -1)),
			job(5, 4, all(both(in(reduce), calls(wire.SystemCall{Does: wire.CallFutex})), -1)), nil},
	} {
		said := Of(NewPair(tc.before, tc.now), Evidence{}).Said
		got := said[1 : len(said)-1] // where they are, and whether they have moved
		if strings.Join(got, " ") != strings.Join(tc.want, " ") {
			t.Errorf("%s: %q, want %q", name, said, tc.want)
		}
	}
}

// The name of a node keeps its letters at the beginning of a sentence.
func TestBegins(t *testing.T) {
	for said, want := range map[string]string{"rank 3 waits": "Rank 3 waits", "ranks 3, 4": "Ranks 3, 4",
		"node03 GPU0, PID 7": "node03 GPU0, PID 7", "": "", "rank5 GPU0": "rank5 GPU0"} {
		if got := beginSentence(said); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
