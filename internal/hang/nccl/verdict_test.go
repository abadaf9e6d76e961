package nccl_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/hang/nccl"
	"github.com/nvnodetop/nvnodetop/internal/hang/nccl/ask"
	"github.com/nvnodetop/nvnodetop/test/ras"
)

// grid is a job of 8 nodes with 4 GPUs each.
var grid = ras.Grid(8, 4)

// roster is its processes as the nodes list them.
func roster(places []ras.Place) *nccl.Roster {
	var list []nccl.Place
	for i, p := range places {
		list = append(list, nccl.Place{Node: "n" + p.Host[len("172.16."):], Number: p.GPU, Index: p.GPU,
			PID: p.PID, Started: 5, Rank: &i})
	}
	return nccl.NewRoster(list)
}

// answer reads what a job says.
func answer(t *testing.T, w ras.World, at time.Duration, json bool) *nccl.Answer {
	t.Helper()
	var out bytes.Buffer
	out.WriteString("SERVER PROTOCOL 2\nOK\n")
	if json {
		out.WriteString("OK\n")
		if err := w.JSON(&out); err != nil {
			t.Fatal(err)
		}
	} else {
		out.WriteString("ERROR: Unknown command SET FORMAT json\n")
		if err := w.Text(&out); err != nil {
			t.Fatal(err)
		}
	}
	a, err := nccl.Read(&out)
	if err != nil {
		t.Fatal(err)
	}
	if a.JSON != json || a.Cut || len(a.Rest) > 0 {
		t.Fatalf("JSON %t, cut %t, not understood %q", a.JSON, a.Cut, a.Rest)
	}
	a.At = time.Unix(1000, 0).Add(at)
	return a
}

// stuck is a job in which the ranks without wait for nobody, and all others of their communicators for them.
func stuck(without ...int) ras.World {
	w := ras.Parallel(grid, 4, 100)
	for _, hash := range []uint64{0x1001, 0x1002} { // ranks 0–3 and 4–7
		w.Of(hash).Launch(1)
	}
	w.Of(1).Launch(1, without...)
	return w
}

func TestVerdict(t *testing.T) {
	still := ras.Parallel(grid, 4, 100)
	for _, c := range []struct {
		name   string
		world  func() ras.World
		later  func(w *ras.World) // what happens between the answers
		state  nccl.State
		less   bool // the text says less: that it is text
		text   nccl.State
		causes []int // ranks in the job
		says   string
	}{
		{name: "healthy", world: func() ras.World { return still.Clone() },
			later: func(w *ras.World) { w.Of(1).Launch(3) }, state: nccl.Moving, less: true, text: nccl.Unclear,
			says: "the job moves: 32 ranks launched collectives within 4 s"},
		{name: "a moving mismatch", world: func() ras.World { return stuck(5, 9) },
			later: func(w *ras.World) { w.Of(1).Launch(1, 7) }, state: nccl.Moving},
		{name: "a mismatch that is gone", world: func() ras.World { return stuck(5) },
			later: func(w *ras.World) { w.Of(1).Ranks[5].Counts[ras.AllReduce]++ }, state: nccl.Moving},
		{name: "one rank is behind", world: func() ras.World { return stuck(13) }, state: nccl.Stuck, causes: []int{13},
			says: "31 of 32 ranks wait in AllReduce #101 for rank 13 (n64.4 GPU1, PID 40001)"},
		{name: "two ranks are behind", world: func() ras.World { return stuck(13, 14) }, state: nccl.Stuck,
			causes: []int{13, 14}, says: "30 of 32 ranks wait in AllReduce #101 for ranks 13, 14"},
		{name: "the first cause is in another communicator", world: func() ras.World {
			w := stuck(8, 9, 10, 11) // a tensor group, which waits for 9
			w.Of(0x1003).Launch(1, 1)
			return w
		}, state: nccl.Stuck, causes: []int{9},
			says: "31 of 32 ranks wait for rank 9 (n64.3 GPU1, PID 30001), which has not " +
				"launched AllReduce #101"},
		{name: "a chain of three", world: func() ras.World {
			w := ras.Parallel(grid, 4, 100)
			w.Of(1).Launch(1, 8, 9, 10, 11, 16, 17, 18, 19)
			w.Of(0x1003).Launch(1, 1) // 9 is behind
			w.Of(0x1005).Launch(1, 1) // 17 too
			w.Of(0x2001).Launch(1, 4) // 17, the fifth of those with the second GPU, is behind 9
			return w
		}, state: nccl.Stuck, causes: []int{17}},
		{name: "two wait for each other", world: func() ras.World {
			w := ras.Parallel(grid, 4, 100)
			w.Comms = append(w.Comms, ras.Group(0x3000, grid[:2], 7), ras.Group(0x3001, grid[:2], 7))
			w.Of(0x3000).Launch(1, 0)
			w.Of(0x3001).Launch(1, 1)
			return w
		}, state: nccl.Stuck, causes: []int{0, 1}, says: "ranks 0, 1 wait for each other"},
		{name: "another collective", world: func() ras.World {
			w := ras.Parallel(grid, 4, 100)
			w.Of(1).Launch(1, 6)
			w.Of(1).Ranks[6].Counts[0]++
			return w
		}, state: nccl.Disagree, causes: []int{6}},
		{name: "all launched", world: func() ras.World { return still.Clone() }, state: nccl.AllLaunched, less: true,
			text: nccl.Unclear},
		{name: "nothing launched", world: func() ras.World { return ras.Parallel(grid, 4, 0) }, state: nccl.NotStarted,
			less: true, text: nccl.Unclear, says: "no rank has launched a collective"},
		{name: "a stopped process", world: func() ras.World {
			w := still.Clone()
			w.Lose(grid[21].Peer, true, false)
			w.Timeouts = 2
			return w
		}, state: nccl.NoAnswer, causes: []int{21}},
		{name: "a dead process", world: func() ras.World {
			w := still.Clone()
			w.Lose(grid[21].Peer, true, true)
			return w
		}, later: func(w *ras.World) { w.Of(1).Launch(1) }, state: nccl.RankDead, causes: []int{21},
			says: "rank 21 (n64.6 GPU1, PID 60001) is dead: RAS of NCCL no longer reaches it"},
		{name: "a job goes on without a dead process", world: func() ras.World {
			w := still.Clone()
			w.Lose(grid[21].Peer, true, true)
			w.Comms = append(w.Comms, ras.Group(0x4000, append(grid[:21:21], grid[22:]...), 7))
			return w
		}, later: func(w *ras.World) { w.Of(0x4000).Launch(1) }, state: nccl.Moving, less: true, text: nccl.RankDead,
			says: "the job moves: 31 of 32 ranks launched collectives within 4 s"},
		{name: "others leave a dead process", world: func() ras.World {
			w := still.Clone()
			w.Lose(grid[21].Peer, true, true)
			return w
		}, later: func(w *ras.World) { w.Of(0x1002).Ranks[1].Abort = true }, state: nccl.RankDead, causes: []int{21}},
		{name: "late for one answer", world: func() ras.World { return still.Clone() }, later: func(w *ras.World) {
			w.Lose(grid[21].Peer, true, false)
		}, state: nccl.Unclear},
		{name: "an error", world: func() ras.World {
			w := still.Clone()
			for i := range w.Of(1).Ranks {
				w.Of(1).Ranks[i].Async = 6
			}
			w.Of(0x1002).Ranks[2].Async = 1
			return w
		}, state: nccl.Failed, causes: []int{6},
			says: "rank 6 (n64.2 GPU2, PID 20002) reports \"unhandled CUDA error\""},
		{name: "initializing", world: func() ras.World {
			w := still.Clone()
			for i := range 3 {
				w.Of(0x2001).Ranks[i].Init = 7
			}
			return w
		}, state: nccl.Initializing},
		{name: "a rank has left", world: func() ras.World {
			w := still.Clone()
			c := w.Of(0x2001)
			c.Missing = []ras.Missing{{Peer: c.Ranks[2].Peer, Rank: 2, CUDA: 1, NVML: 1}}
			c.Ranks = slices.Delete(c.Ranks, 2, 3)
			return w
		}, state: nccl.RankLeft, causes: []int{9}},
	} {
		for _, json := range []bool{true, false} {
			name, want := c.name+" as text", c.state
			if json {
				name = c.name + " in JSON"
			} else if c.less {
				want = c.text
			}
			t.Run(name, func(t *testing.T) {
				before := c.world()
				after := before.Clone()
				if c.later != nil {
					c.later(&after)
				}
				first, second := answer(t, before, 0, json), answer(t, after, 4*time.Second, json)
				names := roster(grid).Match(second)
				if !names.Own() {
					t.Error("the answer is not about the job")
				}
				v := nccl.Judge(first, second, names)
				if v.State != want {
					t.Fatalf("%s, want %s: %s", v.State, want, ask.VerdictHeadline(v))
				}
				if json {
					check(t, v, c.causes, c.says)
				}
				for _, rank := range c.causes { // text names more: it does not tell who waits for whom
					if want != nccl.Unclear && !slices.ContainsFunc(v.Causes, func(m nccl.Member) bool {
						return m.Place != nil && *m.Place.Rank == rank
					}) {
						t.Errorf("rank %d is no cause: %s", rank, ask.VerdictHeadline(v))
					}
				}
				t.Log(ask.VerdictHeadline(v), "\n", strings.Join(ask.VerdictLines(v), "\n"))
			})
		}
	}
}

func check(t *testing.T, v *nccl.Verdict, causes []int, says string) {
	t.Helper()
	var got []int
	for _, m := range v.Causes {
		if m.Place == nil || m.Place.PID != m.PID {
			t.Fatalf("the place of %+v", m)
		}
		got = append(got, *m.Place.Rank)
	}
	if !slices.Equal(got, causes) {
		t.Errorf("causes %v, want %v", got, causes)
	}
	if says != "" && ask.VerdictHeadline(v) != says {
		t.Errorf("says %q, want %q", ask.VerdictHeadline(v), says)
	}
}

// A dead rank is told of a job that moves, too.
func TestTheDeadOfAJobThatMoves(t *testing.T) {
	w := ras.Parallel(grid, 4, 100)
	w.Lose(grid[21].Peer, true, true)
	w.Comms = append(w.Comms, ras.Group(0x4000, grid[:20], 7))
	first := answer(t, w, 0, true)
	w.Of(0x4000).Launch(1)
	second := answer(t, w, 4*time.Second, true)
	v := nccl.Judge(first, second, roster(grid).Match(second))
	if lines := strings.Join(ask.VerdictLines(v), "\n"); v.State != nccl.Moving || !strings.Contains(lines, "dead: rank 21") {
		t.Errorf("%s: %s", v.State, lines)
	}
}

// Up to NCCL 2.30 a process that initializes a communicator may tell of an empty one in place of others: their ranks
// have not left, and the job has not moved by it.
func TestHoles(t *testing.T) {
	whole := ras.Parallel(grid, 4, 100)
	holed := whole.Clone()
	last := holed.Of(0x2003)
	last.Missing = []ras.Missing{{Peer: last.Ranks[2].Peer, Rank: 2, CUDA: 3, NVML: 3}}
	last.Ranks = slices.Delete(last.Ranks, 2, 3)
	holed.Comms = append(holed.Comms, ras.Comm{})
	gone := holed.Clone()
	gone.Comms = slices.DeleteFunc(gone.Comms, func(c ras.Comm) bool { return c.Hash == 0x2003 })
	for name, c := range map[string]struct {
		first, second ras.World
	}{"in both": {holed, holed}, "in the second": {whole, holed}, "in the first": {gone, whole},
		"without a communicator": {whole, gone}} {
		first, second := answer(t, c.first, 0, true), answer(t, c.second, 4*time.Second, true)
		v := nccl.Judge(first, second, nil)
		want := nccl.Initializing
		if name == "in the first" {
			want = nccl.AllLaunched
		}
		if v.State != want || v.Comms != len(c.second.Comms)-(map[bool]int{true: 1}[want == nccl.Initializing]) {
			t.Errorf("%s: %s, %d communicators: %s", name, v.State, v.Comms, ask.VerdictHeadline(v))
		}
	}
}

// Who launches operations of one communicator works together; who only has one with others does not.
func TestCoupled(t *testing.T) {
	half := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
	for name, tc := range map[string]struct {
		later func(w *ras.World)
		json  bool
		want  int
	}{
		"all":                       {func(w *ras.World) { w.Of(1).Launch(3) }, true, 32},
		"the text does not tell":    {func(w *ras.World) { w.Of(1).Launch(3) }, false, 0},
		"nobody":                    {func(*ras.World) {}, true, 0},
		"one by itself":             {func(w *ras.World) { w.Of(0x5000).Launch(3) }, true, 0},
		"a half, beside the others": {func(w *ras.World) { w.Of(1).Launch(3, half...) }, true, 0},
		"those of each node":        {func(w *ras.World) { w.Of(0x1001).Launch(3); w.Of(0x1002).Launch(2) }, true, 4},
	} {
		w := ras.Parallel(grid, 4, 100)
		w.Comms = append(w.Comms, ras.Group(0x5000, grid[:1], 7))
		first := answer(t, w, 0, tc.json)
		tc.later(&w)
		v := nccl.Judge(first, answer(t, w, 4*time.Second, tc.json), nil)
		if v.Coupled != tc.want {
			t.Errorf("%s: %d GPUs, want %d", name, v.Coupled, tc.want)
		}
	}
}
