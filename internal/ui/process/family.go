package process

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// families has the relatives of the processes in a tree: the questions to the nodes on the screen, and their answers.
type families struct {
	tree  bool                       // rows are ordered by parent and child, and include relatives
	asked map[string]*familyQuestion // by node
	of    map[string]*family
	heard int // number of answers: when it grows, the rows change
}

// family is a node's answer.
type family struct {
	kin    []*wire.Process
	at     time.Time // time of the Snapshot that was shown when the answer came
	cut    bool      // relatives are missing
	failed bool
	used   relativesTime
}

// noGPU replaces the index of a GPU for a relative, which uses none.
const noGPU = -1

// familyQuestion is the question to a node.
type familyQuestion struct {
	about    *wire.Family
	at       time.Time // time of the Snapshot that was shown
	cut      bool      // there are more processes than a node answers about
	answered bool
}

// renew is the age of an answer at which the next key asks again. The rates of relatives are those since the previous
// answer.
const renew = 10 * time.Second

// coversPIDs reports whether the node need not be asked about these PIDs, because an open question or a recent answer
// covers all of them.
func (q *familyQuestion) coversPIDs(pids []int, now time.Time) bool {
	if q == nil {
		return false
	}
	for _, pid := range pids {
		if !slices.Contains(q.about.PIDs, pid) {
			return !q.answered
		}
	}
	return !q.answered || now.Sub(q.at) < renew
}

// nextQuestions returns the questions about relatives to the nodes of some rows: one for each node. A node is asked
// again if it has other processes or its answer is old.
func (fs *families) nextQuestions(v *view, w nav.Window, now time.Time) (asks []nav.Ask) {
	if fs.asked == nil {
		fs.asked = map[string]*familyQuestion{}
	}
	last := ""
	for i := w.From; i < w.From+w.Shown; i++ {
		name := v.At(i).Node.Name
		if name == last {
			continue
		}
		last = name
		pids, cut := pidsOf(v, name)
		if !fs.asked[name].coversPIDs(pids, now) {
			fs.asked[name] = &familyQuestion{about: &wire.Family{PIDs: pids}, at: now, cut: cut}
			asks = append(asks, nav.Ask{Node: name, Request: wire.Request{Family: fs.asked[name].about}})
		}
	}
	return asks
}

// pidsOf returns the PIDs of the listed processes of a node. cut means that there are more than a node answers about.
func pidsOf(v *view, node string) (pids []int, cut bool) {
	for i := range v.Len() {
		switch r := v.At(i); {
		case r.Node.Name != node || r.Kin || slices.Contains(pids, r.PID):
		case len(pids) == wire.MaxTargets:
			return pids, true
		default:
			pids = append(pids, r.PID)
		}
	}
	return pids, false
}

// handleResult stores a node's answer to the last of the nextQuestions; for any other answer it returns false. After a
// failure, the relatives that were known before stay.
func (fs *families) handleResult(m nav.Result, s *part.Scene) bool {
	q := fs.asked[m.Node]
	if q == nil || m.Request.Family != q.about {
		return false
	}
	q.answered = true
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
	f := &family{at: s.Snap.At, cut: m.Reply.Truncated || q.cut, used: usedBy(&m.Reply)}
	for i := range m.Reply.Family {
		f.kin = append(f.kin, processOf(&m.Reply.Family[i]))
	}
	if old := fs.of[m.Node]; old != nil {
		f.computeCPUShares(old)
	}
	fs.of[m.Node] = f
	return true
}

// relativesOf returns the ancestors and descendants of some processes. The answer may also cover processes that a
// filter or the scope leaves out.
func (f *family) relativesOf(rows []table.ProcessRow) (kin []*wire.Process) {
	parent, children := map[int]int{}, map[int][]int{}
	for _, w := range f.kin {
		parent[w.PID] = w.Parent
		children[w.Parent] = append(children[w.Parent], w.PID)
	}
	// a hostile node may make a process its own ancestor, so each is visited once
	above, below := map[int]bool{}, map[int]bool{}
	var next []int
	for i := range rows {
		for up := rows[i].Parent; !above[up]; up = parent[up] {
			above[up] = true
		}
		next = append(next, children[rows[i].PID]...)
	}
	for len(next) > 0 {
		pid := next[len(next)-1]
		next = next[:len(next)-1]
		if !below[pid] {
			below[pid] = true
			next = append(next, children[pid]...)
		}
	}
	for _, w := range f.kin {
		if above[w.PID] || below[w.PID] {
			kin = append(kin, w)
		}
	}
	return kin
}

// processOf converts a relative to a process. Its strings stay as the node sent them.
func processOf(r *wire.Relative) *wire.Process {
	const name = 64
	return &wire.Process{
		PID: r.PID, StartTicks: r.StartTicks, GPU: noGPU, State: safe.Line(r.State, 1), RSS: r.RSS,
		ElapsedSec: r.ElapsedSec,
		Identity: wire.Identity{User: safe.Line(r.User, name), UID: r.UID, Name: safe.Line(r.Name, name),
			Command: safe.Line(r.Command, wire.MaxCommand), Parent: r.Parent},
	}
}

func (fs *families) hasRelative(tag nav.Process) bool {
	f := fs.of[tag.Node]
	return f != nil && slices.ContainsFunc(f.kin, func(w *wire.Process) bool {
		return w.PID == tag.PID &&
			w.StartTicks == tag.StartTicks
	})
}

// forgetAsked makes nextQuestions ask every node again.
func (fs *families) forgetAsked() { fs.asked = nil }

// treeText is, for a tree, the age of the relatives and a note if some are missing.
func (fs *families) treeText(now time.Time, v *view) string {
	text := ", as a tree"
	var oldest time.Duration
	var cut, failed bool
	for node, f := range fs.of {
		if v.Find(func(r *table.ProcessRow) bool { return r.Node.Name == node }) >= 0 {
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

// old is the age from which it is mentioned.
const old = 10 * time.Second
