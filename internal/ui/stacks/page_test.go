package stacks

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/hang/nccl"
	"github.com/nvnodetop/nvnodetop/internal/hang/nccl/ask"
	"github.com/nvnodetop/nvnodetop/internal/hang/stacks"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// rig is the page over nodes of eight ranks each. Rank 11 is elsewhere.
type rig struct {
	*Page
	t      *testing.T
	s      *part.Scene
	now    time.Time
	flying []nav.Ask
	asked  map[string]int
	nccl   []*nav.NCCL // the questions to the job's library
	told   []*rankstacks.Verdict
	silent string // a node that does not answer
	line   int    // of all ranks but 11
}

func newRig(t *testing.T, nodes int) *rig {
	r := &rig{Page: New(), t: t, now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), asked: map[string]int{},
		line: 212}
	snap := &cluster.Snapshot{At: r.now, Discovery: cluster.Discovery{User: "alice"}, Nodes: map[string]*cluster.Node{}}
	job := cluster.JobView{Job: cluster.Job{ID: "7", Number: "7", User: "alice", Minors: map[string][]int{}}}
	for i := range nodes {
		n := &cluster.Node{Name: fmt.Sprintf("n%03d", i), State: cluster.NodeReporting, Listed: true, ListedAt: r.now}
		for g := range 8 {
			n.GPUs = append(n.GPUs, cluster.GPU{GPU: &wire.GPU{Index: g}, Card: &wire.Card{Index: g},
				Key: fmt.Sprint(i, g), Number: g})
			n.Processes = append(n.Processes, wire.Process{PID: 1000 + 8*i + g, StartTicks: 9, GPU: g,
				Identity: wire.Identity{User: "alice", Job: "7",
					Rank: &wire.Rank{Rank: 8*i + g, World: new(8 * nodes)}}})
			job.Minors[n.Name] = append(job.Minors[n.Name], g)
		}
		snap.Nodes[n.Name] = n
		job.Nodes = append(job.Nodes, n.Name)
	}
	snap.Jobs = []cluster.JobView{job}
	r.s = &part.Scene{Snap: snap, Memory: &part.Memory{}}
	r.s.Resize(120, 40)
	r.s.SetJob(0)
	r.s.SetNode(0)
	return r
}

// due lets so much time pass, and sends the questions that are due then.
func (r *rig) due(after time.Duration, shown bool) {
	r.now = r.now.Add(after)
	r.send(r.Due(r.now, r.s, shown))
}

func (r *rig) send(a nav.Answer) {
	if a.Stacks != nil {
		r.told = append(r.told, a.Stacks)
	}
	for _, ask := range a.Ask {
		if ask.NCCL != nil {
			r.nccl = append(r.nccl, ask.NCCL)
			continue
		}
		r.asked[ask.Node]++
		r.flying = append(r.flying, ask)
	}
	if len(r.flying) > stacks.Abreast {
		r.t.Fatalf("%d questions at a time", len(r.flying))
	}
}

// answer answers all questions but those to the silent node.
func (r *rig) answer() {
	for i := 0; i < len(r.flying); {
		ask := r.flying[i]
		if ask.Node == r.silent {
			i++
			continue
		}
		r.flying = append(r.flying[:i], r.flying[i+1:]...)
		r.send(r.Press(r.result(ask), r.s))
	}
}

func (r *rig) result(ask nav.Ask) nav.Result {
	result := nav.Result{Ask: ask, Reply: wire.Reply{
		ReadMS: uint64(r.now.Add(ask.Request.Stacks.Over()).UnixMilli())}}
	for _, id := range ask.Request.Stacks.Processes {
		f := wire.Frame{Function: "all_reduce", File: "/x/train.py", Line: r.line}
		if id.PID == 1011 {
			f = wire.Frame{Function: "load", File: "/x/data.py", Line: 5}
		}
		result.Reply.Stacks = append(result.Reply.Stacks, wire.ProcessStacks{ProcessID: id, State: "S",
			Threads: []wire.ThreadStack{{Main: true, State: "S", CPUTicks: new(uint64(1)), Switches: new(uint64(9)),
				Frames: []wire.Frame{f}}}})
	}
	return result
}

func (r *rig) press(k string) nav.Answer {
	msg, is := map[string]tea.KeyPressMsg{"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape},
		"space": {Code: tea.KeySpace, Text: " "}, "down": {Code: tea.KeyDown}, "end": {Code: tea.KeyEnd}}[k]
	if !is {
		msg = tea.KeyPressMsg{Code: rune(k[0]), Text: k}
	}
	return r.Press(msg, r.s)
}

func (r *rig) said() string { return strings.Join(r.verdictParagraphs(), " ") }

func (r *rig) total() (n int) {
	for _, times := range r.asked {
		n += times
	}
	return n
}

// Each node is asked once for each of two looks, the second one over by 5 s after the first; then nobody is asked any
// more.
func TestTwoLooks(t *testing.T) {
	r := newRig(t, 64)
	if r.due(time.Second, false); r.total() != 0 {
		t.Fatalf("%d questions before anybody came", r.total())
	}
	r.Arrive(r.s, nav.Go{})
	r.due(0, true)
	r.answer()
	r.due(time.Second, false)
	if r.total() != 64 || r.doc == nil || r.doc.ComparedSeconds != nil || len(r.doc.Groups) != 2 {
		t.Fatalf("%d questions, %+v", r.total(), r.doc)
	}
	if r.due(time.Second, false); r.total() != 64 {
		t.Errorf("%d questions off the screen", r.total())
	}
	r.due(0, true)
	if over := r.flying[0].Request.Stacks.Over(); over != 3*time.Second {
		t.Errorf("the second look takes %v", over)
	}
	r.answer()
	for range 100 {
		r.due(time.Second, true)
	}
	if r.total() != 128 || r.asked["n003"] != 2 || len(r.asked) != 64 {
		t.Errorf("%d questions, %v", r.total(), r.asked)
	}
	want := "511 of 512 ranks are in all_reduce, rank 11 (n001 GPU3, PID 1011) is in load (data.py:5). None has " +
		"moved within 5 s."
	if r.said() != want || r.doc.State != "stuck" {
		t.Errorf("it says %s: %q", r.doc.State, r.said())
	}
}

// The job's library is asked once, and what it says comes first, whenever it comes; without an answer there is none.
func TestTheLibraryOfTheJob(t *testing.T) {
	r := newRig(t, 2)
	r.Arrive(r.s, nav.Go{})
	for range 2 {
		r.due(6*time.Second, true)
		r.answer()
	}
	if len(r.nccl) != 1 || r.nccl[0].Job != "7" || len(r.nccl[0].Places) != 16 || r.nccl[0].Places[3].PID != 1003 {
		t.Fatalf("asked %+v", r.nccl)
	}
	of := func(q *nav.NCCL, state nccl.State) nav.Result {
		v := &nccl.Verdict{State: state, Version: "2.29.7", Over: 4 * time.Second, Members: 16, Moved: 16, Waiting: 15,
			Causes: []nccl.Member{{Place: &q.Places[11]}}}
		return nav.Result{Ask: nav.Ask{NCCL: q}, Verdict: &ask.Result{Verdict: v}}
	}
	before := r.said()
	r.Press(nav.Result{Ask: nav.Ask{NCCL: r.nccl[0]}, Err: errors.New("no RAS")}, r.s)
	r.Press(of(&nav.NCCL{Job: "6", Places: r.nccl[0].Places}, nccl.Moving), r.s)
	if r.said() != before || r.doc.NCCL != nil {
		t.Errorf("without an answer it says %q", r.said())
	}
	r.Press(of(r.nccl[0], nccl.Stuck), r.s)
	want := "NCCL 2.29.7: 15 of 16 ranks wait for rank 11 (n001 GPU3, PID 1011). " + before
	if r.said() != want || r.doc.State != "stuck" || r.doc.NCCL.State != "stuck" {
		t.Errorf("it says %s: %q", r.doc.State, r.said())
	}
	if r.Press(of(r.nccl[0], nccl.Moving), r.s); r.doc.State != "moving" {
		t.Errorf("a job whose ranks launch collectives is %s", r.doc.State)
	}
	r.press("r")
	if r.due(time.Second, true); len(r.nccl) != 2 {
		t.Errorf("asked %d times", len(r.nccl))
	}
}

// A node that does not answer costs 5 s, and nothing but its own ranks. Late answers count no more.
func TestASilentNode(t *testing.T) {
	r := newRig(t, 4)
	r.silent = "n002"
	r.Arrive(r.s, nav.Go{})
	r.due(0, true)
	r.answer()
	if r.due(time.Second, true); r.doc == nil || r.doc.Read != 24 {
		t.Errorf("after 1 s %+v", r.doc)
	}
	r.due(4*time.Second, true)
	late := r.flying[0]
	if r.flying = nil; r.doc.Refused[0].Cause != "the node has not answered within 5 s" || r.doc.Refused[0].Count != 8 {
		t.Errorf("refused %+v", r.doc.Refused)
	}
	if a := r.Press(r.result(late), r.s); len(a.Ask) > 0 || r.doc.Read != 24 {
		t.Errorf("a late answer counts: %+v", a)
	}
	r.due(time.Second, true)
	r.answer()
	if r.due(7*time.Second, true); r.doc.State != "unclear" || !strings.HasSuffix(r.said(),
		"None of the 24 that were read twice has moved within 8 s, of 32. 8 of 32 processes could not be read: see "+
			"below.") {
		t.Errorf("%s: %s", r.doc.State, r.said())
	}
}

// The key that refreshes asks anew, and keeps the groups until there are newer ones.
func TestRefresh(t *testing.T) {
	r := newRig(t, 2)
	r.Arrive(r.s, nav.Go{})
	for range 2 {
		r.due(6*time.Second, true)
		r.answer()
	}
	r.line = 300
	if a := r.press("r"); a.Taken || r.doc == nil {
		t.Error("SLURM is not asked, or the groups are gone")
	}
	r.due(time.Second, true)
	r.answer()
	if r.doc.Groups[0].Frames[0].Line != 300 || r.total() != 6 {
		t.Errorf("%d questions, %+v", r.total(), r.doc.Groups[0])
	}
	other := cluster.JobView{Job: cluster.Job{ID: "8"}}
	r.Settle(&part.Scene{Snap: r.s.Snap, Job: &other})
	if r.doc != nil {
		t.Error("another job has its groups")
	}
}

// While nodes have not listed their processes the page waits, but not for ever.
func TestListsAreAwaited(t *testing.T) {
	r := newRig(t, 2)
	r.s.Snap.Nodes["n001"].Listed = false
	r.Arrive(r.s, nav.Go{})
	r.due(0, true)
	r.due(3*time.Second, true)
	if r.total() != 0 {
		t.Errorf("%d questions", r.total())
	}
	if r.due(time.Second, true); r.total() != 2 {
		t.Errorf("%d questions after %v", r.total(), listedBy)
	}
}

// What Enter, c and y do with the groups.
func TestSheets(t *testing.T) {
	r := newRig(t, 2)
	r.Arrive(r.s, nav.Go{})
	r.due(0, true)
	r.answer()
	if a := r.press("y"); !strings.HasPrefix(a.Copy, "15 of the job's processes: all_reduce  train.py:212\n") {
		t.Errorf("y copies %q", a.Copy)
	}
	if a := r.press("Y"); !strings.Contains(a.Copy, "rank 11") || !strings.Contains(a.Copy, "/x/data.py:5") {
		t.Errorf("Y copies %q", a.Copy)
	}
	for keys, want := range map[string]string{"enter": "15 ranks", "down enter": "1 rank",
		"c":            "Where two groups part, outermost frame first",
		"space down c": "Where two groups part, outermost frame first"} {
		r.cursor = nav.Cursor[string]{}
		for k := range strings.FieldsSeq(keys) {
			r.press(k)
		}
		if r.sheet == nil || r.sheet.title != want {
			t.Errorf("%s opens %+v", keys, r.sheet)
			continue
		}
		if a := r.press("y"); a.Copy == "" {
			t.Errorf("%s: nothing to copy", keys)
		}
		if a := r.press("esc"); !a.Taken || r.sheet != nil {
			t.Errorf("%s: Esc does not close it", keys)
		}
	}
	if a := r.press("esc"); a.Taken {
		t.Error("Esc does not lead back")
	}
}

// Groups with one summary are rows of their own, and stay them when their lines change.
func TestGroupsOfOneSummary(t *testing.T) {
	r := newRig(t, 1)
	group := func(caller, state string, line int) rankstacks.Group {
		return rankstacks.Group{Summary: fmt.Sprintf("all_reduce  train.py:%d", line),
			Ranks: []rankstacks.Rank{{PID: line, State: state}}, Frames: []rankstacks.Frame{
				{Function: "all_reduce", File: "/x/train.py", Line: line}, {Function: caller, File: "/x/train.py"}}}
	}
	r.doc = &rankstacks.Verdict{Groups: []rankstacks.Group{group("forward", "S", 1), group("backward", "S", 1),
		group("backward", "T", 1)}, Refused: []rankstacks.Refusal{{Cause: "no", Hint: "a"}, {Cause: "no", Hint: "b"}}}
	keys := map[string]bool{}
	for _, row := range r.listRows() {
		keys[row.key] = true
	}
	if len(keys) != 5 {
		t.Errorf("%d keys of 5 rows: %v", len(keys), keys)
	}
	r.press("down")
	r.press("space")
	r.doc = &rankstacks.Verdict{Groups: []rankstacks.Group{group("forward", "S", 2), group("backward", "R", 2)}}
	rows := r.listRows()
	if at := r.cursor.At(r.cursorList(r.s, rows)); at != 1 || r.marked != rows[1].key {
		t.Errorf("the cursor is in row %d, %q is marked", at, r.marked)
	}
	if r.press("down"); r.cursor.At(r.cursorList(r.s, rows)) != 1 {
		t.Error("the cursor has left the last row")
	}
}

// Nobody answers.
func TestNobodyAnswers(t *testing.T) {
	r := newRig(t, 2)
	r.Arrive(r.s, nav.Go{})
	r.due(0, true)
	for _, ask := range r.flying {
		r.send(r.Press(nav.Result{Ask: ask, Err: errors.New("\x1b[31mnot connected")}, r.s))
	}
	if r.doc == nil || r.doc.Refused[0].Cause != "not connected" || r.doc.Refused[0].Count != 16 {
		t.Errorf("%+v", r.doc)
	}
}

// A frame with 1,024 ranks.
func BenchmarkFrame(b *testing.B) {
	r := newRig(&testing.T{}, 128)
	r.Arrive(r.s, nav.Go{})
	for range 2 {
		r.due(6*time.Second, true)
		r.answer()
	}
	c, keys := draw.New(120, 40), []string{"down", "enter", "esc", "c"}
	for i := 0; b.Loop(); i++ {
		r.press(keys[i%len(keys)])
		r.Draw(&part.Frame{Canvas: c, Scene: r.s})
	}
}

// The other outputs get the result once, after the second look, and again with the words of the job's library.
func TestTheResultIsTold(t *testing.T) {
	r := newRig(t, 2)
	r.Arrive(r.s, nav.Go{})
	r.due(0, true)
	r.answer()
	r.due(time.Second, true)
	if len(r.told) != 0 {
		t.Fatalf("told after one look: %+v", r.told)
	}
	r.due(4*time.Second, true)
	r.answer()
	for range 10 {
		r.due(time.Second, true)
	}
	if len(r.told) != 1 || r.told[0] != r.doc || r.told[0].ComparedSeconds == nil {
		t.Fatalf("told %d times", len(r.told))
	}
	r.send(r.Press(nav.Result{Ask: nav.Ask{NCCL: r.nccl[0]}, Verdict: &ask.Result{Verdict: &nccl.Verdict{
		State: nccl.Moving, Version: "2.28.9"}}}, r.s))
	if len(r.told) != 2 || r.told[1].NCCL == nil || !r.told[1].Time.Equal(r.told[0].Time) {
		t.Errorf("told %d times, at last %+v", len(r.told), r.told[len(r.told)-1])
	}
}

// The cursor begins on the group of the GPU or the node from which the user came, and stays where a key has put it.
func TestTheCursorBeginsWhereTheUserCameFrom(t *testing.T) {
	key := tea.KeyPressMsg{Code: 'b', Text: "b"}
	for _, test := range []struct {
		name, node string
		to         nav.Go
		typed      string
		want       int
	}{
		{"a node whose rank stands out", "n001", nav.Go{Key: key}, "", 1},
		{"another node", "n000", nav.Go{Key: key}, "", 0},
		{"a problem of a GPU", "n000", nav.Go{Node: "n001", GPU: "13"}, "", 1},
		{"a problem of another GPU of the node", "n000", nav.Go{Node: "n001", GPU: "14"}, "", 0},
		{"a problem of the job", "n001", nav.Go{}, "", 0},
		{"a key moves the cursor", "n001", nav.Go{Key: key}, "k", 0},
	} {
		r := newRig(t, 2)
		r.s.SetNode(map[string]int{"n000": 0, "n001": 1}[test.node])
		for _, g := range []int{3, 4} {
			r.s.NodeOf("n001").GPUs[g].Key = fmt.Sprint("1", g)
		}
		r.Arrive(r.s, test.to)
		for range 2 {
			r.due(5*time.Second, true)
			r.answer()
			r.Settle(r.s)
			if test.typed != "" {
				r.press(test.typed)
			}
		}
		if at := r.cursor.At(r.cursorList(r.s, r.listRows())); at != test.want {
			t.Errorf("%s: the cursor is on row %d, want %d", test.name, at, test.want)
		}
	}
}

// In a recording, and while the user looks back, the page shows what was known then, and asks nobody. Back in the
// present it has its own result again.
func TestThePast(t *testing.T) {
	r := newRig(t, 2)
	r.Arrive(r.s, nav.Go{})
	r.due(0, true)
	r.answer()
	r.due(5*time.Second, true)
	r.answer()
	own, asked := r.doc, r.total()
	at := r.now.Add(-time.Hour)
	then := &rankstacks.Verdict{Job: "7", Time: at, ComparedSeconds: new(5.0), State: rankstacks.Stuck, Asked: 16,
		Read: 16,
		Groups: []rankstacks.Group{{Ranks: []rankstacks.Rank{{Node: "n000", PID: 1000}}},
			{Ranks: []rankstacks.Rank{{Node: "n001", PID: 1011}}, Outlier: true}}}
	past := func(known map[string]*rankstacks.Verdict, replay bool, ago string) {
		r.s.Snap.Stacks, r.s.Replay, r.s.Ago = known, replay, ago
		r.Settle(r.s)
		r.due(time.Second, true)
	}
	for _, way := range []struct {
		replay bool
		ago    string
	}{{true, ""}, {false, "−1m00s"}} {
		past(nil, way.replay, way.ago)
		if r.doc != nil || !strings.Contains(whyEmpty(r.Page), "Nobody had asked the ranks of this job by then") ||
			len(r.listRows()) != 0 {
			t.Errorf("%+v: before the question it shows %+v", way, r.doc)
		}
		past(map[string]*rankstacks.Verdict{"7": then, "8": own}, way.replay, way.ago)
		if rows := r.listRows(); r.doc != then || len(rows) != 2 || rows[0].key == rows[1].key ||
			r.statusText() != "11:00:05 and 5 s before" {
			t.Errorf("%+v: it shows %+v, %q", way, r.doc, r.statusText())
		}
		r.press("r")
		r.Arrive(r.s, nav.Go{})
		past(r.s.Snap.Stacks, way.replay, way.ago)
		if r.doc != then || r.total() != asked {
			t.Errorf("%+v: it asks again, and shows %+v", way, r.doc)
		}
		own = r.live
	}
	r.step = idle
	past(r.s.Snap.Stacks, false, "")
	if r.doc != own || own == nil {
		t.Errorf("back in the present it shows %+v", r.doc)
	}
}

// For a rank that lags the page looks three times, and says where the rank is beside the others; only if all agree.
func TestTheRankThatLags(t *testing.T) {
	lagging := nav.Go{Node: "n001", GPU: "1 3"}
	for _, c := range []struct {
		go1  nav.Go
		asks int // of each node
		said string
	}{
		{nav.Go{}, 2, "15 of 16 ranks"},
		{lagging, 3, "Rank 11 (n001 GPU3, PID 1011) is in load in 3 of 3 looks, the others in all_reduce."},
		{nav.Go{Node: "n000", GPU: "0 2"}, 3,
			"Rank 2 (n000 GPU2, PID 1002) is in all_reduce in 3 of 3 looks, as the others: its stack does not tell why it lags."},
		{nav.Go{Node: "n000", GPU: "?"}, 2, "15 of 16 ranks"},
	} {
		r := newRig(t, 2)
		r.Arrive(r.s, c.go1)
		for range 30 {
			r.due(time.Second, true)
			r.answer()
		}
		if r.asked["n000"] != c.asks || r.asked["n001"] != c.asks || !strings.HasPrefix(r.said(), c.said) ||
			len(r.told) != 1 {
			t.Errorf("%+v: asked %v, told %d times, says %q", c.go1, r.asked, len(r.told), r.said())
		}
		r.press("r")
		for range 30 {
			r.due(time.Second, true)
			r.answer()
		}
		if r.asked["n000"] != 2*c.asks || !strings.HasPrefix(r.said(), c.said) {
			t.Errorf("%+v: after a refresh: asked %v, says %q", c.go1, r.asked, r.said())
		}
	}
}

// In a job that moves no group stands out, unless a rank of it lags: as a finding says, or the user comes from its GPU.
func TestMarks(t *testing.T) {
	lag := cluster.Finding{Kind: cluster.KindLag, Node: "n001", GPU: 3, Key: "1 3"}
	cleared, elsewhere := lag, lag
	cleared.Over, elsewhere.Node = time.Now(), "n000"
	for name, c := range map[string]struct {
		moves    bool
		from     nav.Go
		findings []cluster.Finding
		marked   bool
	}{
		"it does not move":              {marked: true},
		"it moves":                      {moves: true},
		"it moves, and one lags":        {moves: true, findings: []cluster.Finding{lag}, marked: true},
		"it moves, and one lagged":      {moves: true, findings: []cluster.Finding{cleared}},
		"it moves, and another lags":    {moves: true, findings: []cluster.Finding{elsewhere}},
		"it moves, from one that lags":  {moves: true, from: nav.Go{Node: "n001", GPU: "1 3"}, marked: true},
		"it moves, from another's page": {moves: true, from: nav.Go{Node: "n001", GPU: "1 4"}},
	} {
		r := newRig(t, 2)
		r.s.Snap.Jobs[0].Findings = c.findings
		r.Arrive(r.s, c.from)
		for range 6 {
			r.due(time.Second, true)
			if c.moves {
				r.line++
			}
			r.answer()
		}
		var marked []string
		for i := range r.doc.Groups {
			if g := &r.doc.Groups[i]; standsOut(g, r.doc, r.s.Snap, &r.lag) {
				marked = append(marked, g.Members)
			}
		}
		if (r.doc.State == rankstacks.Moving) != c.moves || (len(marked) == 1) != c.marked ||
			c.marked && !strings.HasPrefix(marked[0], "rank 11 ") {
			t.Errorf("%s: %s, marked %q", name, r.doc.State, marked)
		}
	}
}

// Who leaves before the third look has told the other outputs of the first two.
func TestTheUserLeavesBeforeTheThirdLook(t *testing.T) {
	r := newRig(t, 2)
	r.Arrive(r.s, nav.Go{Node: "n001", GPU: "1 3"})
	for range 5 {
		r.due(time.Second, true)
		r.answer()
	}
	if r.step != waits || len(r.told) != 0 {
		t.Fatalf("step %d, told %d times", r.step, len(r.told))
	}
	for range 10 {
		r.due(time.Second, false)
	}
	if len(r.told) != 1 || r.told[0].ComparedSeconds == nil || r.asked["n000"] != 2 {
		t.Errorf("told %d times, asked %v", len(r.told), r.asked)
	}
}
