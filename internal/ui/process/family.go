package process

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/text/safe"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// families are the relatives of the processes that are shown as a tree: what the nodes on the screen have been asked, and have answered.
type families struct {
	asked map[string]*wire.Family // by node
	of    map[string]*family
	heard int // answers: rows of an earlier one are made anew
}

// family is a node's answer.
type family struct {
	kin    []*wire.Process
	at     time.Time // of the Snapshot that was shown when it came
	cut    bool      // it is not all of them
	failed bool
	used   used
}

// noGPU is the index of the GPU of a relative, which is on none.
const noGPU = -1

// ask asks the nodes of some rows for relatives, each once.
func (fs *families) ask(l *listing, w nav.Window) (asks []nav.Ask) {
	for i := w.From; i < w.From+w.Shown; i++ {
		name := l.at(i).Node.Name
		if fs.asked[name] != nil {
			continue
		}
		if fs.asked == nil {
			fs.asked = map[string]*wire.Family{}
		}
		fs.asked[name] = &wire.Family{PIDs: l.pids(name)}
		asks = append(asks, nav.Ask{Node: name, Request: wire.Request{Family: fs.asked[name]}})
	}
	return asks
}

// pids are those of the processes of a node, as many as a node answers about.
func (l *listing) pids(node string) (pids []int) {
	for i := range l.rows {
		if r := &l.rows[i]; r.Node.Name == node && !r.Kin && len(pids) < wire.MaxTargets && !slices.Contains(pids, r.PID) {
			pids = append(pids, r.PID)
		}
	}
	return pids
}

// hear keeps what a node has answered to the last request of ask; false: to another one. Where it fails, the relatives that were known stay.
func (fs *families) hear(m nav.Result, s *part.Scene) bool {
	if m.Request.Family == nil || m.Request.Family != fs.asked[m.Node] {
		return false
	}
	if fs.of == nil {
		fs.of = map[string]*family{}
	}
	fs.heard++
	if m.Err != nil || m.Reply.Error != "" {
		old := fs.of[m.Node]
		if old == nil {
			old = &family{at: s.Snap.At}
		}
		fs.of[m.Node] = &family{kin: old.kin, at: old.at, cut: old.cut, failed: true, used: old.used}
		return true
	}
	f := &family{at: s.Snap.At, cut: m.Reply.Truncated, used: usedBy(&m.Reply)}
	for i := range m.Reply.Family {
		f.kin = append(f.kin, processOf(&m.Reply.Family[i]))
	}
	if old := fs.of[m.Node]; old != nil {
		f.measure(old)
	}
	fs.of[m.Node] = f
	return true
}

// processOf is a relative as a process. Its strings are those of the node.
func processOf(r *wire.Relative) *wire.Process {
	const name = 64
	return &wire.Process{
		PID: r.PID, StartTicks: r.StartTicks, GPU: noGPU, State: safe.Line(r.State, 1), RSS: r.RSS, ElapsedSec: r.ElapsedSec,
		Identity: wire.Identity{User: safe.Line(r.User, name), UID: r.UID, Name: safe.Line(r.Name, name), Command: safe.Line(r.Command, wire.MaxCommand), Parent: r.Parent},
	}
}

// has reports whether a relative was listed.
func (fs *families) has(tag nav.Process) bool {
	f := fs.of[tag.Node]
	return f != nil && slices.ContainsFunc(f.kin, func(w *wire.Process) bool { return w.PID == tag.PID && w.StartTicks == tag.StartTicks })
}

// forget makes ask ask again.
func (fs *families) forget() { fs.asked = nil }

// words say of a tree how old the relatives are, and what is not known of them.
func (fs *families) words(now time.Time, l *listing) string {
	text := ", as a tree"
	var oldest time.Duration
	var cut, failed bool
	for node, f := range fs.of {
		if slices.ContainsFunc(l.rows, func(r table.ProcessRow) bool { return r.Node.Name == node }) {
			oldest, cut, failed = max(oldest, now.Sub(f.at)), cut || f.cut, failed || f.failed
		}
	}
	switch {
	case failed:
		return text + ", not all nodes answer"
	case cut:
		return text + ", some relatives are left out"
	case oldest >= old:
		return text + ", relatives of " + draw.Age(oldest) + " ago"
	}
	return text
}

// old is the age from which it is said.
const old = 10 * time.Second
