package stacks

import (
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Processes without a rank have a reason, in words and in the document; a rank that a look tells counts, unless it
// cannot be or the process has another one.
func TestNoRank(t *testing.T) {
	var places []Place
	for r := range 5 {
		places = append(places, Place{Number: NoRank, NoRank: wire.NoRankOverwritten, Node: "a",
			ProcessID: wire.ProcessID{PID: r + 1, StartTicks: 1}})
	}
	places[4].Number, places[4].NoRank = 7, ""
	survey := func(told func(pid int) *wire.Rank) *rankstacks.Verdict {
		s := newSurvey("7", places, now, 0)
		q, _ := s.Next()
		reply := &wire.Reply{}
		for _, id := range q.Request.Stacks.Processes {
			reply.Stacks = append(reply.Stacks, wire.ProcessStacks{ProcessID: id, Rank: told(id.PID),
				Threads: []wire.ThreadStack{{Main: true, Frames: reduce}}})
		}
		s.Take(q, reply, nil)
		return Of(NewPair(nil, s.Look()), Evidence{})
	}
	for _, test := range []struct {
		name          string
		told          func(pid int) *wire.Rank
		members, said string
	}{
		{"not told", func(int) *wire.Rank { return nil }, "rank 7, 4 processes without a rank",
			"The ranks of 4 processes are not known: the program has overwritten its environment, as setproctitle " +
				"does; SPT_NOENV=1 keeps it."},
		{"told", func(pid int) *wire.Rank { return &wire.Rank{Rank: 4 - pid, World: new(8), From: "RANK"} },
			"ranks 0-3, 7", ""},
		{"told of one", func(pid int) *wire.Rank {
			return map[int]*wire.Rank{2: {Rank: 2}}[pid]
		}, "ranks 2, 7, 3 processes without a rank", "The ranks of 3 processes are not known: "},
		{"impossible", func(pid int) *wire.Rank {
			return map[int]*wire.Rank{1: {Rank: -5}, 2: {Rank: 9, World: new(8)}, 3: {Rank: 3}, 4: {Rank: 4}}[pid]
		}, "ranks 3, 4, 7, a PID 1, a PID 2", "The ranks of 2 processes are not known: "},
	} {
		d := survey(test.told)
		if got := d.Groups[0].Members; got != test.members {
			t.Errorf("%s: %q, want %q", test.name, got, test.members)
		}
		if said := strings.Join(d.Said, " "); !strings.Contains(said, test.said) ||
			test.said == "" && strings.Contains(said, "not known") {
			t.Errorf("%s: %q", test.name, said)
		}
		for _, r := range d.Groups[0].Ranks {
			if (r.Rank == nil) != (r.NoRank == wire.NoRankOverwritten) {
				t.Errorf("%s: %+v", test.name, r)
			}
		}
	}
}

// A main thread that runs a greenlet is not where the others are that wait.
func TestGreenletsAreSaid(t *testing.T) {
	hub := func(p *wire.ProcessStacks) { p.Greenlets = true }
	for name, test := range map[string]struct {
		at   func(rank int) []is
		want string
	}{
		"one": {all(in(reduce), 2, in(load), hub),
			"Rank 2 (n1 GPU2, PID 102) runs greenlets, as with gevent: those that wait are not read."},
		"all":  {all(both(in(load), hub), -1), "Ranks 0-3 run greenlets, as with gevent: those that wait are not read."},
		"none": {all(in(load), -1), ""},
	} {
		said := strings.Join(Of(NewPair(nil, job(0, 4, test.at)), Evidence{}).Said, " ")
		if !strings.Contains(said, test.want) || strings.Contains(said, "greenlet") != (test.want != "") {
			t.Errorf("%s: %s", name, said)
		}
	}
}
