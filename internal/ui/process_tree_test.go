package ui

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// t asks the nodes on the screen for relatives, each once and again after r, and draws what they answer as a tree.
func TestProcessTree(t *testing.T) {
	r := nvitopRig(t, uitest.Fixture())
	asked := func(key string) (nodes []string) {
		a := r.view.passMessage(pressed(key), r.scene)
		for _, ask := range a.Ask {
			nodes = append(nodes, ask.Node)
			if len(ask.Request.Family.PIDs) != 9 {
				t.Errorf("%s is asked about %v", ask.Node, ask.Request.Family.PIDs)
			}
		}
		return nodes
	}
	r.press("5")
	for _, step := range []struct{ key, asks string }{{"j", ""}, {"t", "gpu-n01"}, {"k", ""}, {"r", "gpu-n01"},
		{"w", "gpu-n02"}, {"t", ""}, {"r", ""}} {
		if got := strings.Join(asked(step.key), " "); got != step.asks {
			t.Errorf("%s asks %q, want %q", step.key, got, step.asks)
		}
		r.view.resolveSelection(r.scene)
	}
	r = nvitopRig(t, uitest.TreeFixture())
	r.press("right", "5")
	ask := r.view.passMessage(pressed("t"), r.scene).Ask[0]
	r.send(resultMsg{r.view.process(), uitest.Relatives(ask)})
	r.press("space", "up")
	want := []string{"358701", "358709", "358802", "358901", "358761", "358902"}
	if got := r.pids(); !slices.Equal(got[:6], want) || !strings.Contains(r.cursorLine(), "358802") ||
		!strings.Contains(r.title(), "1 tagged of 13, as a tree") {
		t.Errorf("the tree is %v, with the cursor on %q; %s", got, r.cursorLine(), r.title())
	}
	for _, branch := range []string{"slurmstepd: [48211.0]", "└─ torchrun", "   ├─ python -u",
		"   │  ├─ pt_data_worker", "   │  │  └─ python -m ray.worker", "   │  └─ pt_data_worker", "   └─ python -u"} {
		if !strings.Contains(r.text(), branch) {
			t.Errorf("there is no %q in\n%s", branch, r.text())
		}
	}
	if r.press("down", "space"); !strings.Contains(r.title(), "2 tagged of 13") {
		t.Errorf("a relative is not tagged: %s", r.title())
	}
	later := *r.snap
	later.At = later.At.Add(time.Minute)
	r.snap = &later
	if r.send(tick{r.chain}); !strings.Contains(r.title(), "2 tagged of 13, as a tree, relatives of 1m ago") {
		t.Errorf("a minute later: %s", r.title())
	}
	if r.send(resultMsg{r.view.process(), nav.Result{Ask: ask,
		Err: errors.New("not watched")}}); !strings.Contains(r.title(),
		"2 tagged of 13, as a tree, not all nodes answer") {
		t.Errorf("a node that does not answer: %s", r.title())
	}
	if r.press("o", "c"); !strings.Contains(r.title(), "1 tagged of 9, by %CPU, most first") {
		t.Errorf("sorted: %s", r.title())
	}
}

// The share of the CPU of a relative is known from the second answer of its node on, by the node's own clock. One that
// comes a moment later, or fails, changes nothing; after a boot or a minute, and for another process with the PID, it
// is not known.
func TestSharesOfRelatives(t *testing.T) {
	r := nvitopRig(t, uitest.TreeFixture())
	r.press("right", "5")
	for _, step := range []struct {
		keys      string
		ms, ticks uint64
		start     uint64
		err       error
		want      string
	}{
		{keys: "t", ms: 10_000, ticks: 500, start: 3, want: "–"},
		{keys: "r", ms: 14_000, ticks: 700, start: 3, want: "50.0"},
		{keys: "r", ms: 14_100, ticks: 800, start: 3, want: "50.0"},
		{keys: "r", ms: 16_000, ticks: 800, start: 3, want: "50.0"}, // since 14 s
		{keys: "r", err: errors.New("not watched"), want: "50.0"},
		{keys: "t t", ms: 18_000, ticks: 900, start: 3, want: "50.0"},
		{keys: "r", ms: 19_000, ticks: 890, start: 3, want: "–"},
		{keys: "r", ms: 20_000, ticks: 890, start: 3, want: "0.0"},
		{keys: "r", ms: 21_000, ticks: 900, start: 5, want: "–"},
		{keys: "r", ms: 1_000, ticks: 910, start: 5, want: "–"},
		{keys: "r", ms: 2_000, ticks: 915, start: 5, want: "5.0"}, // it has booted
		{keys: "r", ticks: 920, start: 5, want: "–"},
		{keys: "r", ms: 5_000, ticks: 930, start: 5, want: "–"},
		{keys: "r", ms: 6_000, ticks: 1130, start: 5, want: "200.0"},
		{keys: "r", ms: 67_000, ticks: 1140, start: 5, want: "–"}, // nobody looked for a minute
		{keys: "r", ms: 68_000, ticks: 1240, start: 5, want: "100.0"},
	} {
		var ask nav.Ask
		for k := range strings.FieldsSeq(step.keys) {
			if asks := r.view.passMessage(pressed(k), r.scene).Ask; len(asks) > 0 {
				ask = asks[0]
			}
		}
		kin := []wire.Relative{{ProcessID: wire.ProcessID{PID: 358901, StartTicks: step.start}, Parent: 358802,
			User: "alice", Name: "pt_data_worker", CPUTicks: &step.ticks}}
		r.send(resultMsg{r.view.process(), nav.Result{Ask: ask, Err: step.err,
			Reply: wire.Reply{Family: kin, ReadMS: step.ms}}})
		if got := cpuOf(r.text()); got != step.want {
			t.Errorf("%s at %d ms with %d ticks: %q, want %q", step.keys, step.ms, step.ticks, got, step.want)
		}
	}
}

// cpuOf is the %CPU of the process that loads data.
func cpuOf(text string) string {
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); strings.Contains(line, "358901") {
			return words[slices.Index(words, "alice")+5]
		}
	}
	return ""
}

// A node's answer about relatives may be nonsense: a circle, a process as its own parent, or text that would corrupt
// the screen.
func TestHostileRelatives(t *testing.T) {
	s := uitest.Fixture()
	s.Nodes["gpu-n01"].Processes[0].Parent, s.Nodes["gpu-n01"].Processes[1].Parent = 400001, 400003
	r := nvitopRig(t, s)
	r.press("5")
	ask := r.view.passMessage(pressed("t"), r.scene).Ask[0]
	kin := []wire.Relative{
		{ProcessID: wire.ProcessID{PID: 400001}, Parent: 400002, Command: "a\x1b[2Jb"},
		{ProcessID: wire.ProcessID{PID: 400002}, Parent: 400001},
		{ProcessID: wire.ProcessID{PID: 400003}, Parent: 400003},
	}
	parent := 318823
	for pid := range 900 {
		kin = append(kin, wire.Relative{ProcessID: wire.ProcessID{PID: 500000 + pid}, Parent: parent,
			Command: strings.Repeat("x", 3000)})
		parent = 500000 + pid
	}
	r.send(resultMsg{r.view.process(), nav.Result{Ask: ask, Reply: wire.Reply{Family: kin}}})
	if !strings.Contains(r.title(), "912 processes, as a tree") {
		t.Errorf("the title is %q", r.title())
	}
	r.press("end")
	r.checkGeometry("hostile", 120, 40)
	if text := r.text(); !strings.Contains(text, "400001") || strings.Contains(text, "\x1b") ||
		!strings.Contains(r.cursorLine(), "400003") {
		t.Errorf("the cursor is on %q in\n%s", r.cursorLine(), text)
	}
}

// The answer of a node is also about processes that a filter or the scope leaves out: they are no relatives of those
// that are shown. What was not asked about is asked when it is shown, and an answer that is old is renewed by any key.
func TestTreeOfSomeProcesses(t *testing.T) {
	r := nvitopRig(t, uitest.TreeFixture())
	asked := func(keys ...string) (about []int) {
		for _, k := range keys {
			for _, ask := range r.view.passMessage(pressed(k), r.scene).Ask {
				about = ask.Request.Family.PIDs
				kin := slices.Clone(uitest.Family)
				for _, w := range r.snap.Nodes["gpu-n02"].Processes {
					kin = append(kin, wire.Relative{ProcessID: wire.ProcessID{PID: w.PID, StartTicks: w.StartTicks},
						Parent: w.Parent, User: "alice", Command: "python -u train.py"})
				}
				r.send(resultMsg{r.view.process(), nav.Result{Ask: ask, Reply: wire.Reply{Family: kin}}})
			}
			r.view.resolveSelection(r.scene)
		}
		r.send(tick{r.chain})
		return about
	}
	r.press("right", "5")
	if asked("t"); len(r.pids()) != 13 {
		t.Fatalf("the tree is %v", r.pids())
	}
	if got := asked("F", "g", "p", "u", "=", "1", "enter"); got != nil ||
		!slices.Equal(r.pids(), []string{"358701", "358709", "358805"}) {
		t.Errorf("with a filter the tree is %v, and %v are asked about", r.pids(), got)
	}
	r.view.process().Arrive(r.scene, nav.Go{Node: r.scene.Node.Name})
	if got := asked("t"); !slices.Equal(got, []int{358805}) {
		t.Errorf("after a new start %v are asked about", got)
	}
	if got := asked("esc"); len(got) != 9 || len(r.pids()) != 13 {
		t.Errorf("without the filter %v are asked about, and the tree is %v", got, r.pids())
	}
	if got := asked("down"); got != nil {
		t.Errorf("a key asks about %v again", got)
	}
	later := *r.snap
	later.At = later.At.Add(11 * time.Second)
	r.snap = &later
	r.send(tick{r.chain})
	if got := asked("down"); len(got) != 9 {
		t.Errorf("11 s later a key asks about %v", got)
	}
}
