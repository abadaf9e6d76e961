package capacity

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/slurm/capacity"
	"github.com/nvnodetop/nvnodetop/internal/slurm/notation"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

var now = time.Date(2026, 11, 20, 18, 42, 7, 0, time.UTC)

// counted is a cluster of two partitions; "x" has the nodes with odd numbers.
func counted(nodes int) *capacity.Cluster {
	s := &capacity.Supply{Partitions: []capacity.SuppliedPartition{{Name: "gpu", State: "up"}, {Name: "x", State: "up"}}}
	for i := range nodes {
		name := fmt.Sprintf("n%04d", i)
		s.Nodes = append(s.Nodes, capacity.SuppliedGPUs{Name: name, States: []string{"MIXED"},
			Types: []notation.GPUType{{Name: "a100", Total: 8, Used: i % 8, Known: true}}})
		for p := range s.Partitions {
			if p == 0 || i%2 == 1 {
				s.Partitions[p].Nodes = append(s.Partitions[p].Nodes, name)
			}
		}
	}
	return capacity.Of(s, now)
}

func scene(w, h int) *part.Scene {
	s := &part.Scene{Memory: &part.Memory{}, Snap: &cluster.Snapshot{At: now.Add(12 * time.Second)}}
	s.Snap.Jobs = []cluster.JobView{{Job: cluster.Job{ID: "7", Nodes: []string{"n0003"}}}}
	s.Resize(w, h)
	return s
}

// picture is the page as text.
func picture(p *Page, s *part.Scene) string {
	f := &part.Frame{Canvas: draw.New(s.W, s.H), Scene: s}
	p.Draw(f)
	return string(draw.NewTheme(colorprofile.NoTTY, false, false).Encode(nil, f.Canvas))
}

func press(p *Page, s *part.Scene, names ...string) (a nav.Answer) {
	named := map[string]tea.KeyPressMsg{"enter": {Code: tea.KeyEnter}, "down": {Code: tea.KeyDown},
		"esc": {Code: tea.KeyEscape}}
	for _, name := range names {
		k, is := named[name]
		if !is {
			k = tea.KeyPressMsg{Code: rune(name[0]), Text: name}
		}
		a = p.Press(k, s)
	}
	return a
}

// The page asks at once when it is opened, then every few seconds, never while it has no answer, and not at all while
// another page is on the screen.
func TestOnlyAnOpenPageAsks(t *testing.T) {
	p, s := New(&footer.History{}, false), scene(80, 24)
	if len(p.Due(now, false).Ask) != 0 {
		t.Error("a page that is not open asks")
	}
	due := p.Due(now, true).Ask
	if len(due) != 1 || due[0].Cluster == nil || due[0].Cluster.Fresh {
		t.Fatalf("an open page asks %+v", due)
	}
	if len(p.Due(now.Add(time.Minute), true).Ask) != 0 {
		t.Error("asks again before there is an answer")
	}
	p.Press(nav.Result{Ask: nav.Ask{Cluster: &nav.Cluster{}}, GPUs: counted(1)}, s)
	if p.known != nil {
		t.Error("takes the answer to another question")
	}
	p.Press(nav.Result{Ask: due[0], GPUs: counted(4)}, s)
	if len(p.Due(now.Add(time.Second), true).Ask) != 0 || len(p.Due(now.Add(time.Hour), false).Ask) != 0 {
		t.Error("asks again at once, or while it is not open")
	}
	if press(p, s, "r").Taken {
		t.Error("r is for the page alone")
	}
	if due = p.Due(now.Add(time.Second), true).Ask; len(due) != 1 || !due[0].Cluster.Fresh {
		t.Errorf("after r it asks %+v", due)
	}
	p.Press(nav.Result{Ask: due[0], Err: errors.New("x\x1b[31mgone")}, s)
	if text := picture(p, s); p.known == nil || !strings.Contains(text, "numbers from") ||
		strings.Contains(text, "\x1b[31m") {
		t.Errorf("after a failure:\n%s", text)
	}
}

// Enter on a partition shows its nodes, Esc leads back; Enter on a node of a job opens it, and only there.
func TestIntoAPartition(t *testing.T) {
	p, s := New(&footer.History{}, false), scene(80, 24)
	p.known = counted(8)
	press(p, s, "down", "down", "enter")
	text := picture(p, s)
	if p.on != byNode || strings.Contains(text, "n0002") || !strings.Contains(text, "n0003") {
		t.Fatalf("the nodes of x:\n%s", text)
	}
	if a := press(p, s, "enter"); a.Page != "" || !strings.Contains(a.Notice, "n0001 has no job of yours") {
		t.Errorf("a node of others: %+v", a)
	}
	if a := press(p, s, "down", "enter"); a.Page != keys.OnNode || a.Job != "7" || a.Node != "n0003" {
		t.Errorf("a node of a job: %+v", a)
	}
	if press(p, s, "esc"); p.on == byNode || p.nodes.Filter.On("") {
		t.Error("Esc does not lead back")
	}
	if press(p, s, "esc").Taken {
		t.Error("Esc does not leave the page")
	}
	if press(p, s, "v"); p.on != byNode || press(p, s, "esc").Taken {
		t.Error("v does not show all nodes, or Esc does not leave from there")
	}
}

// Enter on a job of all users goes to the first of its nodes that is read; a job may have none.
func TestNodesOfAJob(t *testing.T) {
	s := scene(120, 30)
	for name, tc := range map[string]struct {
		nodes  []string
		node   string
		notice string
	}{
		"second": {nodes: []string{"n0001", "n0003"}, node: "n0003"},
		"other":  {nodes: []string{"n0001", "n0002"}, notice: "have no job of yours"},
		"one":    {nodes: []string{"n0001"}, notice: "n0001 has no job of yours"},
		"none":   {notice: "SLURM names no node of this job"},
	} {
		a := openNodeOf(s, nav.Go{Page: keys.OnNode}, tc.nodes...)
		if !a.Taken && tc.node == "" || a.Node != tc.node || !strings.Contains(a.Notice, tc.notice) {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

// A job without a limit has no number of seconds left; of another one the end is not known.
func TestWithoutALimit(t *testing.T) {
	p, s := New(&footer.History{}, true), scene(120, 30)
	p.on = ofAll
	p.known = capacity.Of(&capacity.Supply{Nodes: []capacity.SuppliedGPUs{{Name: "n1",
		Types: []notation.GPUType{{Name: "a100", Total: 8, Known: true}}}}, Jobs: []capacity.SuppliedJob{
		{ID: "1", Nodes: []string{"n1"}, Start: now, Unlimited: true}, {ID: "2", Nodes: []string{"n1"}, Start: now}}}, now)
	text := picture(p, s)
	if strings.Count(text, "no limit") != 1 || strings.Count(text, "n/a") < 1 {
		t.Errorf("it shows\n%s", text)
	}
}

// The pending jobs have a part of the page, and the partitions the rest, in every terminal.
func TestPendingJobsHaveRoom(t *testing.T) {
	for h := 5; h < 60; h++ {
		p, s := New(&footer.History{}, false), scene(80, h)
		p.known = counted(8)
		for range 30 {
			s.Snap.Discovery.Pending = append(s.Snap.Discovery.Pending, cluster.PendingJob{ID: "4711", Reason: "Priority"})
		}
		text := picture(p, s)
		if h >= 16 && (!strings.Contains(text, "Your pending jobs") || !strings.Contains(text, "Priority")) ||
			h >= 7 && !strings.Contains(text, "all nodes") {
			t.Errorf("%d rows:\n%s", h, text)
		}
	}
}

// A key on a list of thousands of nodes, after a new Snapshot: 8 ms are allowed.
func BenchmarkKey(b *testing.B) {
	p, s := New(&footer.History{}, false), scene(200, 50)
	p.known, p.on = counted(5000), byNode
	snap := *s.Snap
	for b.Loop() {
		next := snap
		s.Snap = &next
		press(p, s, "down")
		p.Draw(&part.Frame{Canvas: draw.New(s.W, s.H), Scene: s})
	}
}

// On the pane, the text about a node is as wide as the pane allows, and at least 10 columns.
func TestFullNode(t *testing.T) {
	n := counted(4).ByNode()[1]
	n.Reason = strings.TrimSpace(strings.Repeat("broken ", 20))
	for width, longest := range map[int]int{20: 10, 40: 25, 80: 65} {
		s := scene(width, 60)
		f := &part.Frame{Canvas: draw.New(s.W, s.H), Scene: s}
		(&Page{}).fullNode(f, &n)
		most := 0
		for line := range strings.Lines(string(draw.NewTheme(colorprofile.NoTTY, false, false).Encode(nil, f.Canvas))) {
			if at := strings.Index(line, "broken"); at >= 0 {
				most = max(most, len(strings.TrimSpace(line[at:])))
			}
		}
		if most > longest || most+len(" broken") <= longest {
			t.Errorf("%d wide: %d columns of text, want up to %d", width, most, longest)
		}
	}
}
