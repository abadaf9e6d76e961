package process

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// box is an overlay that hears keys until q, and asks for the family of a process.
type box struct{ heard []string }

func (b *box) Draw(f *part.Frame)          { f.Put(1, 1, "box", draw.Strong) }
func (b *box) Wants(*part.Scene) nav.Wants { return nav.Wants{Everywhere: true} }
func (b *box) Press(msg tea.Msg, _ *part.Scene) (nav.Answer, bool) {
	k, is := msg.(tea.KeyPressMsg)
	if !is {
		b.heard = append(b.heard, "result")
		return nav.Taken, true
	}
	b.heard = append(b.heard, k.String())
	return nav.Taken, k.String() != "q"
}

// sceneOf is a job on one node with three processes, of which one is on two GPUs.
func sceneOf() *part.Scene {
	id := func(user, command string) wire.Identity {
		return wire.Identity{User: user, Command: command, Job: "16"}
	}
	n := &cluster.Node{
		Name: "n1", State: cluster.NodeReporting, Listed: true,
		GPUs: []cluster.GPU{{Card: &wire.Card{}, GPU: &wire.GPU{Index: 0}, Key: "a", Number: 0},
			{Card: &wire.Card{}, GPU: &wire.GPU{Index: 1}, Key: "b", Number: 1}},
		Processes: []wire.Process{
			{PID: 7, StartTicks: 70, GPU: 0, Identity: id("alice", "one")},
			{PID: 7, StartTicks: 70, GPU: 1, Identity: id("alice", "one")},
			{PID: 8, StartTicks: 80, GPU: 1, Identity: id("bob", "two")},
		},
	}
	snap := &cluster.Snapshot{Discovery: cluster.Discovery{User: "alice"}, Nodes: map[string]*cluster.Node{"n1": n}}
	snap.Jobs = []cluster.JobView{{Job: cluster.Job{ID: "16", Number: "16", User: "alice", Nodes: []string{"n1"}}}}
	s := &part.Scene{Snap: snap, Size: part.Size{W: 100, H: 20}, Memory: &part.Memory{}}
	s.SetJob(0)
	s.SetNode(0)
	return s
}

func press(p *Page, s *part.Scene, keys ...rune) (a nav.Answer) {
	for _, k := range keys {
		a = p.Press(tea.KeyPressMsg{Code: k, Text: string(k)}, s)
		p.Settle(s)
	}
	return a
}

// An overlay takes every message until it closes, but for what a node answers about the tree.
func TestOverlay(t *testing.T) {
	p, s, b := New(&footer.History{}), sceneOf(), &box{}
	p.begin(OfNode, "")
	tree := press(p, s, 't').Ask[0]
	if a := p.over.openOverlay(b, nav.Answer{Copy: "x"}); !a.Taken || a.Copy != "x" || !p.Wants(s).Everywhere {
		t.Errorf("opened: %+v", a)
	}
	p.Press(nav.Result{Ask: tree, Reply: wire.Reply{Family: []wire.Relative{{ProcessID: wire.ProcessID{PID: 9},
		Parent: 7, Command: "a\x1b" + strings.Repeat("x", 2*wire.MaxCommand)}}}}, s)
	p.Press(nav.Result{Ask: nav.Ask{Node: "n1", Request: wire.Request{Family: &wire.Family{PIDs: []int{7}}}}}, s)
	c := draw.New(100, 20)
	p.Draw(&part.Frame{Canvas: c, Scene: s})
	press(p, s, 'j', 'q', 'j')
	if want := []string{"result", "j", "q"}; !slices.Equal(b.heard, want) || len(p.over) > 0 || !p.Wants(s).Selected {
		t.Errorf("the overlay has heard %q", b.heard)
	}
	v := p.View(s)
	if v.Len() != 4 {
		t.Fatalf("the tree has %d rows", v.Len())
	}
	kin := v.At(v.Find(func(r *table.ProcessRow) bool { return r.Kin }))
	if strings.Contains(kin.Command, "\x1b") || len(kin.Command) > wire.MaxCommand+len("…") {
		t.Errorf("the command of a relative is not clean, or has %d bytes", len(kin.Command))
	}
}

// Targets are the process under the cursor, and those that are tagged, each once.
func TestTargets(t *testing.T) {
	p, s := New(&footer.History{}), sceneOf()
	p.begin(OfNode, "")
	p.Settle(s)
	one := tally.Target{Node: "n1", ProcessID: wire.ProcessID{PID: 7, StartTicks: 70}, GPUs: []int{0, 1}, User: "alice",
		Command: "one", Job: "16", Mine: true}
	two := tally.Target{Node: "n1", ProcessID: wire.ProcessID{PID: 8, StartTicks: 80}, GPUs: []int{1}, User: "bob",
		Command: "two", Job: "16"}
	if got, ok := p.cursorTarget(s); !ok || cmp.Diff(one, got) != "" || p.tags.taggedTargets(s, p.View(s)) != nil {
		t.Errorf("under the cursor: %s", cmp.Diff(one, got))
	}
	press(p, s, ' ', ' ', ' ', 's', 'P')
	if diff := cmp.Diff([]tally.Target{two, one}, p.tags.taggedTargets(s, p.View(s))); diff != "" {
		t.Errorf("tagged: %s", diff)
	}
	s.Node.Processes = nil
	next := *s.Snap
	s.Snap = &next
	p.Settle(s)
	if _, ok := p.cursorTarget(s); ok || p.tags.taggedTargets(s, p.View(s)) != nil {
		t.Error("there is a target where there is no process")
	}
}
