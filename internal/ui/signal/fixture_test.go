package signal

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

var now = time.Date(2026, 11, 20, 18, 42, 7, 0, time.UTC)

// sceneOf is a job of alice's on so many nodes, with a rank on each of so many GPUs, and one process of bob's on the
// first node.
func sceneOf(nodes, gpus int) *part.Scene {
	job := cluster.JobView{Job: cluster.Job{ID: "48211", Number: "48211", Name: "llama", User: "alice",
		End: now.Add(time.Hour)}, GPUs: nodes * gpus}
	snap := &cluster.Snapshot{At: now, Nodes: map[string]*cluster.Node{}, Discovery: cluster.Discovery{User: "alice"}}
	for k := range nodes {
		n := &cluster.Node{Name: fmt.Sprintf("n%02d", k+1), State: cluster.NodeReporting, Listed: true, ListedAt: now}
		for g := range gpus {
			n.GPUs = append(n.GPUs, cluster.GPU{Card: &wire.Card{}, GPU: &wire.GPU{Index: g}, Number: g,
				Key: fmt.Sprintf("GPU-%d-%d", k, g)})
			n.Processes = append(n.Processes, wire.Process{
				PID: 1000*(k+1) + g, StartTicks: uint64(70 + g), GPU: g,
				Identity: wire.Identity{User: "alice", Name: "python", Command: "python train.py", Job: "48211",
					Rank: &wire.Rank{Rank: k*gpus + g, World: new(nodes * gpus), From: "RANK"}},
			})
		}
		job.Nodes, snap.Nodes[n.Name] = append(job.Nodes, n.Name), n
	}
	first := snap.Nodes["n01"]
	first.Processes = append(first.Processes, wire.Process{PID: 99, StartTicks: 5, GPU: 0,
		Identity: wire.Identity{User: "bob", Command: "gmx"}})
	snap.Jobs = []cluster.JobView{job}
	s := &part.Scene{Snap: snap, Size: part.Size{W: 120, H: 40}, Memory: &part.Memory{}, Still: true}
	s.SetJob(0)
	s.SetNode(0)
	return s
}

// targetAt is a process of the scene.
func targetAt(s *part.Scene, node string, i int) tally.Target {
	n := s.NodeOf(node)
	return tally.TargetOf(s.Snap, n, &n.Processes[i])
}

// rig presses the keys of a dialog and keeps what it asks for.
type rig struct {
	t    *testing.T
	s    *part.Scene
	open bool
	asks []nav.Ask
	dialog
}

type dialog interface {
	Draw(f *part.Frame)
	Press(msg tea.Msg, s *part.Scene) (nav.Answer, bool)
}

func dialogOf(t *testing.T, s *part.Scene, at tally.Target, tagged []tally.Target, by Signal) *rig {
	d, a := NewDialog(at, tagged, by, s)
	return &rig{t: t, s: s, open: true, asks: a.Ask, dialog: d}
}

var named = map[string]rune{
	"tab": tea.KeyTab, "enter": tea.KeyEnter, "esc": tea.KeyEscape, "backspace": tea.KeyBackspace, "down": tea.KeyDown,
	"up": tea.KeyUp, "pgdown": tea.KeyPgDown,
	"pgup": tea.KeyPgUp, "space": tea.KeySpace,
}

// press presses keys until the dialog is closed. Drawing changes nothing, so it may draw after each.
func (r *rig) press(keys string) {
	r.t.Helper()
	for k := range strings.FieldsSeq(keys) {
		msg := tea.KeyPressMsg{Code: []rune(k)[0], Text: k}
		if code, ok := named[k]; ok {
			msg = tea.KeyPressMsg{Code: code}
		}
		if k == "shift+tab" {
			msg = tea.KeyPressMsg{Code: tea.KeyTab, Mod: tea.ModShift}
		}
		if !r.open {
			r.t.Fatalf("%s comes after the end", k)
		}
		var a nav.Answer
		a, r.open = r.Press(msg, r.s)
		if !a.Taken {
			r.t.Errorf("%s is left to others", k)
		}
		r.asks = append(r.asks, a.Ask...)
		r.text()
	}
}

// hear gives the dialog a result, and reports whether it was its own.
func (r *rig) hear(result nav.Result) bool {
	a, open := r.Press(result, r.s)
	r.open = r.open && open
	return a.Taken
}

var plain = draw.NewTheme(colorprofile.NoTTY, false, false)

// text is what the box says, without its border.
func (r *rig) text() string {
	c := draw.New(r.s.W, r.s.H)
	r.Draw(&part.Frame{Canvas: c, Scene: r.s})
	var lines []string
	for line := range strings.SplitSeq(string(plain.Encode(nil, c)), "\n") {
		line = strings.TrimSpace(strings.Trim(strings.TrimSpace(line), "─╭╮╰╯│"))
		if line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// says reports words that the box lacks, or that it has after a "!".
func (r *rig) says(words ...string) {
	r.t.Helper()
	text := r.text()
	for _, w := range words {
		forbidden, not := strings.CutPrefix(w, "!")
		if strings.Contains(text, strings.TrimPrefix(w, "!")) == not {
			r.t.Errorf("%q, forbidden %v (%s), in\n%s", w, not, forbidden, text)
		}
	}
}

// sentTo are the requests: "n01 15 1000/70 1001/71".
func sentTo(asks []nav.Ask) string {
	var lines []string
	for _, a := range asks {
		line := a.Node
		switch {
		case a.Cancel != nil:
			line = "scancel " + a.Cancel.Signal + " " + a.Cancel.Job
		case a.Request.Family != nil:
			line += fmt.Sprintf(" family %v", a.Request.Family.PIDs)
		default:
			line += fmt.Sprintf(" %d", a.Request.Signal.Number)
			for _, p := range a.Request.Signal.Processes {
				line += fmt.Sprintf(" %d/%d", p.PID, p.StartTicks)
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "; ")
}

// reply is the answer of a node to a request: what became of each process.
func reply(a nav.Ask, fates ...wire.Signaled) nav.Result {
	r := nav.Result{Ask: a}
	for i, p := range a.Request.Signal.Processes {
		f := wire.Signaled{}
		if i < len(fates) {
			f = fates[i]
		}
		f.PID = p.PID
		r.Reply.Signaled = append(r.Reply.Signaled, f)
	}
	return r
}
