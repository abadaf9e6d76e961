package tally

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

var start = time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC)

// ranks is a job on nodes a and b, with two GPUs each.
type ranks struct{ *store.Store }

func at(sec int) time.Time { return start.Add(time.Duration(sec) * time.Second) }

func newRanks() ranks {
	r := ranks{store.New(3*time.Second, func(cluster.Subject) []cluster.Condition { return nil })}
	r.Apply(cluster.Event{At: at(0), Discovery: &cluster.Discovery{Answered: at(0), Jobs: []cluster.Job{
		{ID: "16", Number: "16", Nodes: []string{"b", "a"}, Minors: map[string][]int{"a": {0, 1}, "b": {0, 1}}},
	}}})
	for _, node := range []string{"a", "b"} {
		r.Apply(cluster.Event{At: at(0), Node: node, Try: &cluster.Try{Interval: 3 * time.Second}})
		r.Apply(cluster.Event{At: at(0), Node: node,
			Hello: &wire.Hello{GPUs: []wire.Card{{Index: 0, Minor: new(0), UUID: node + "0"},
				{Index: 1, Minor: new(1), UUID: node + "1"}}}})
	}
	return r
}

// list is a report with these ranks of a program, on GPU 0, 1, …; -1 is a process without a rank. age is the run time
// of the processes.
func (r ranks) list(sec int, node string, world, age int, numbers ...int) {
	report := wire.Report{MonoMS: int64(1000 * sec), Listed: true, GPUs: []wire.GPU{{Index: 0}, {Index: 1}}}
	for gpu, number := range numbers {
		p := wire.Process{PID: 5000 + 10*(sec-age) + number, StartTicks: uint64(100 * (sec - age + 1000)), GPU: gpu,
			ElapsedSec: new(int64(age))}
		p.Job = "16"
		if number >= 0 {
			p.Rank = &wire.Rank{Rank: number, World: &world, From: "RANK"}
		}
		report.Processes = append(report.Processes, p)
	}
	r.send(sec, node, &report)
}

func (r ranks) send(sec int, node string, report *wire.Report) {
	r.Apply(cluster.Event{At: at(sec), Node: node, Report: report})
}

// table is the rank table in words.
func (r ranks) table(sec int) string {
	s := r.Snapshot(at(sec))
	var lines []string
	for _, row := range Ranks(s, &s.Jobs[0]) {
		rank, seen := "-", "never"
		if row.Rank != nil {
			rank = fmt.Sprint(row.Rank.Rank)
		}
		if !row.LastSeen.IsZero() {
			seen = fmt.Sprint(int(row.LastSeen.Sub(start).Seconds()))
		}
		if (row.GPU != nil) != (row.Number >= 0 && s.Nodes[row.Node].AsSeen().GPUs != nil) || row.State == RankRuns &&
			row.Process == nil {
			lines = append(lines, "!")
		}
		state := map[RankState]string{RankRuns: "runs", RankGone: "gone", RankUnseen: "unseen",
			RankUnknown: "unknown"}[row.State]
		lines = append(lines, fmt.Sprintf("%s %s%d %s %s", rank, row.Node, row.Number, state, seen))
	}
	return strings.Join(lines, ", ")
}

func TestRanks(t *testing.T) {
	lost := &wire.Report{MonoMS: 5000, Listed: true, GPUs: []wire.GPU{{Index: 0}, {Index: 1, Lost: "fell off"}}}
	refused := &wire.Report{MonoMS: 5000, Listed: true, GPUs: []wire.GPU{{Index: 0}, {Index: 1, Unlisted: "hangs"}}}
	hung := &wire.Report{MonoMS: 5000, Listed: true, GPUs: []wire.GPU{{Index: 0}, {Index: 1, HangsMS: 60_000}}}
	down := cluster.Down{Failure: reach.Failure{Class: reach.ClassClosed, Short: "closed"}}
	for _, test := range []struct {
		name  string
		sec   int
		story func(r ranks)
		want  string
	}{
		{"all run", 6, func(ranks) {}, "0 b0 runs 4, 1 b1 runs 4, 2 a0 runs 4, 3 a1 runs 4"},
		{"one is gone", 6, func(r ranks) { r.list(5, "a", 4, 101, 2) },
			"0 b0 runs 4, 1 b1 runs 4, 2 a0 runs 5, 3 a1 gone 4"},
		{"one has moved", 6, func(r ranks) { r.list(5, "a", 4, 101, 2); r.list(5, "b", 4, 101, 0, 3) },
			"0 b0 runs 5, 1 b1 gone 4, 2 a0 runs 5, 3 b1 runs 5"},
		{"a node is left alone", 6, func(r ranks) { r.list(5, "a", 4, 101) },
			"0 b0 runs 4, 1 b1 runs 4, 2 a0 gone 4, 3 a1 gone 4"},
		{"the program is over", 6, func(r ranks) { r.list(5, "a", 4, 101); r.list(5, "b", 4, 101) }, ""},
		{"it begins anew", 6, func(r ranks) { r.list(5, "a", 4, 101); r.list(6, "b", 4, 1, 0, 1) },
			"0 b0 runs 6, 1 b1 runs 6, 2 -1 unseen never, 3 -1 unseen never"},
		{"a smaller one begins", 6, func(r ranks) { r.list(5, "a", 2, 0, 0, 1); r.list(5, "b", 2, 0) },
			"0 a0 runs 5, 1 a1 runs 5"},
		{"two programs", 6, func(r ranks) { r.list(5, "a", 2, 0, 0, 1); r.list(5, "b", 2, 0, 0, 1) },
			"0 b0 runs 5, 0 a0 runs 5, 1 b1 runs 5, 1 a1 runs 5"},
		{"one has no rank", 6, func(r ranks) { r.list(5, "a", 4, 0, -1, 2) },
			"0 b0 runs 4, 1 b1 runs 4, 2 a1 runs 5, 3 a1 gone 4, - a0 runs 5"},
		{"its GPU is lost", 6, func(r ranks) { r.send(5, "a", lost) },
			"0 b0 runs 4, 1 b1 runs 4, 2 a0 gone 4, 3 a1 unknown 4"},
		{"its GPU hangs", 6, func(r ranks) { r.send(5, "a", hung) },
			"0 b0 runs 4, 1 b1 runs 4, 2 a0 gone 4, 3 a1 unknown 4"},
		{"its GPU is not listed", 6, func(r ranks) { r.send(5, "a", refused) },
			"0 b0 runs 4, 1 b1 runs 4, 2 a0 gone 4, 3 a1 unknown 4"},
		{"a node falls silent", 20, func(r ranks) { r.list(20, "b", 4, 116, 0, 1) },
			"0 b0 runs 20, 1 b1 runs 20, 2 a0 unknown 4, 3 a1 unknown 4"},
		{"a silent node, and one is gone", 20, func(r ranks) { r.list(20, "b", 4, 116, 1) },
			"0 b0 gone 4, 1 b0 runs 20, 2 a0 unknown 4, 3 a1 unknown 4"},
		{"a node has failed", 40, func(r ranks) {
			r.Apply(cluster.Event{At: at(5), Node: "a", Down: &down})
			r.list(20, "b", 4, 116, 0, 1)
			r.list(40, "b", 4, 136, 0, 1)
		}, "0 b0 runs 40, 1 b1 runs 40, 2 a0 unknown 4, 3 a1 unknown 4"},
	} {
		r := newRanks()
		r.list(4, "a", 4, 100, 2, 3)
		r.list(4, "b", 4, 100, 0, 1)
		test.story(r)
		if got := r.table(test.sec); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.name, got, test.want)
		}
	}
}

// Ranks that were never seen are missing only if they could be seen, and if each needs a GPU.
func TestUnseenRanks(t *testing.T) {
	for _, test := range []struct {
		name  string
		story func(r ranks)
		want  string
	}{
		{"a node has not reported", func(ranks) {},
			"0 b0 runs 4, 1 b1 runs 4, 2 a-1 unknown never, 3 a-1 unknown never"},
		{"it has not listed", func(r ranks) { r.send(5, "a", &wire.Report{MonoMS: 5000}) },
			"0 b0 runs 4, 1 b1 runs 4, 2 -1 unknown never, 3 -1 unknown never"},
		{"it runs others", func(r ranks) { r.list(5, "a", 4, 0, -1, 2) },
			"0 b0 runs 4, 1 b1 runs 4, 2 a1 runs 5, 3 -1 unseen never, - a0 runs 5"},
		{"more ranks than GPUs", func(r ranks) { r.list(5, "a", 5, 0, 2, 3); r.list(5, "b", 5, 0, 0) },
			"0 b0 runs 5, 2 a0 runs 5, 3 a1 runs 5"},
		{"more than there can be", func(r ranks) { r.list(5, "b", 1<<30, 0, 0) }, "0 b0 runs 5"},
	} {
		r := newRanks()
		r.list(4, "b", 4, 100, 0, 1)
		test.story(r)
		if got := r.table(6); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.name, got, test.want)
		}
	}
}

// A rank that was never seen is on a lost GPU if its neighbor is beside that GPU. Only the other ranks are on a silent
// node, and only if no GPU of another node may have them.
func TestUnseenOnALostGPU(t *testing.T) {
	for _, test := range []struct {
		name   string
		beside int // rank on the GPU beside the lost one
		listed bool
		want   string
	}{
		{"all others run", 0, true, "0 b0 runs 5, 1 b1 unknown never, 2 a0 runs 5, 3 a1 runs 5"},
		{"others are on a silent node", 0, false,
			"0 b0 runs 5, 1 b1 unknown never, 2 a-1 unknown never, 3 a-1 unknown never"},
		{"in another order", 3, false,
			"0 -1 unknown never, 1 -1 unknown never, 2 -1 unknown never, 3 b0 runs 5"},
	} {
		r := newRanks()
		if test.listed {
			r.list(5, "a", 4, 101, 2, 3)
		}
		b := &wire.Report{MonoMS: 5000, Listed: true, GPUs: []wire.GPU{{Index: 0}, {Index: 1, Lost: "fell off"}},
			Processes: []wire.Process{{PID: 7, StartTicks: 9, ElapsedSec: new(int64(101)), Identity: wire.Identity{
				Job: "16", Rank: &wire.Rank{Rank: test.beside, World: new(4), From: "RANK"}}}}}
		r.send(5, "b", b)
		if got := r.table(6); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.name, got, test.want)
		}
	}
}

// Ranks are missing only if they could be seen, and once the job has run for some time.
func TestMissing(t *testing.T) {
	for name, tc := range map[string]struct {
		list  bool
		since time.Duration
		want  string
	}{"starting": {true, time.Minute, "0 of 0, false"}, "later": {true, time.Hour, "3 of 4, true"},
		"a node has not reported": {false, time.Hour, "0 of 0, false"}} {
		r := newRanks()
		r.list(4, "b", 4, 100, 0, 1)
		if tc.list {
			r.list(5, "a", 4, 0, -1, 2)
		}
		s := r.Snapshot(at(6))
		s.Jobs[0].Start = s.At.Add(-tc.since)
		runs, world, known := Missing(s, &s.Jobs[0])
		if got := fmt.Sprintf("%d of %d, %v", runs, world, known); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}

func TestRankOfGPU(t *testing.T) {
	rank := func(n, world int) *wire.Rank { return &wire.Rank{Rank: n, World: &world, From: "RANK"} }
	g := &cluster.GPU{Card: &wire.Card{}, GPU: &wire.GPU{Index: 3}}
	for _, test := range []struct {
		name string
		on   []*wire.Rank
		want int // -1: none
	}{
		{"no process", nil, -1}, {"no rank", []*wire.Rank{nil}, -1}, {"one", []*wire.Rank{nil, rank(5, 8)}, 5},
		{"twice", []*wire.Rank{rank(5, 8), rank(5, 8)}, 5}, {"two", []*wire.Rank{rank(5, 8), rank(6, 8)}, -1},
		{"two programs", []*wire.Rank{rank(5, 8), rank(5, 9)}, -1},
	} {
		n := &cluster.Node{Processes: []wire.Process{{GPU: 2, Identity: wire.Identity{Rank: rank(1, 8)}}}}
		for _, r := range test.on {
			n.Processes = append(n.Processes, wire.Process{GPU: 3, Identity: wire.Identity{Rank: r}})
		}
		got := -1
		if r := Rank(n, g); r != nil {
			got = r.Rank
		}
		if got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
}

// Two equal programs are apart, with a rank of the second gone, and each knows its own.
func TestRanksOfTwoPrograms(t *testing.T) {
	r := newRanks()
	list := func(sec int, dead bool) {
		for node, program := range map[string]string{"a": "aa", "b": "bb"} {
			report := wire.Report{MonoMS: int64(1000 * sec), Listed: true, GPUs: []wire.GPU{{Index: 0}, {Index: 1}}}
			for rank := range 2 {
				if dead && node == "b" && rank == 1 {
					continue
				}
				p := wire.Process{PID: 100 + rank, StartTicks: 7, GPU: rank, ElapsedSec: new(int64(100 + sec))}
				p.Job, p.Rank = "16", &wire.Rank{Rank: rank, World: new(2), From: "RANK", Program: program}
				report.Processes = append(report.Processes, p)
			}
			r.send(sec, node, &report)
		}
	}
	list(4, false)
	list(5, true)
	s := r.Snapshot(at(6))
	var got []string
	for _, row := range Ranks(s, &s.Jobs[0]) {
		got = append(got, fmt.Sprintf("%d/%d %s %d", row.Program, row.Rank.Rank, row.Node, row.State))
	}
	if want := "1/0 a 0, 1/1 a 0, 2/0 b 0, 2/1 b 1"; strings.Join(got, ", ") != want &&
		strings.Join(got, ", ") != "1/0 b 0, 1/1 b 1, 2/0 a 0, 2/1 a 0" {
		t.Errorf("%v, want %s, or the nodes the other way round", got, want)
	}
	if n := RanksOf(s, &s.Jobs[0]); n != 4 {
		t.Errorf("%d ranks, want 4", n)
	}
}
