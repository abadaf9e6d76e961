package lists

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/list"
	"github.com/nvnodetop/nvnodetop/internal/ui/overview"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

// fullProblem draws the GPU of a problem, or its node, with the evidence. A problem of the whole job is drawn as its
// full sentence.
func fullProblem(f *part.Frame, x *cluster.Finding) {
	if x.Node == "" {
		header.DrawSentence(f, 0, 0, x)
		return
	}
	if g := f.NodeOf(x.Node).GPUWith(x.Key); g != nil && x.Key != "" {
		list.DrawGPU(f, x.Node, g)
		return
	}
	list.DrawNode(f, x.Node)
}

// fullRank draws the process of a rank and its GPU, or the GPU that the rank has left.
func fullRank(f *part.Frame, r *tally.RankRow) {
	switch n := f.NodeOf(r.Node); {
	case r.Node == "":
		f.Left(1, 0, f.W-2, "no process of this job has had this rank", draw.Dim)
	case r.Process != nil:
		list.DrawProcess(f, tally.TargetOf(f.Snap, n, r.Process), r.GPU)
	case r.GPU != nil:
		list.DrawGPU(f, r.Node, r.GPU)
	default:
		list.DrawNode(f, r.Node)
	}
}

// jobPane draws jobs on the pane. It has an overview of its own, so that it does not share the order of the overview
// page.
type jobPane struct{ of *overview.Page }

// drawJob draws the overview of a job with several nodes, or its node if there is only one. For any other job it draws
// everything that the row has.
func (p *jobPane) drawJob(f *part.Frame, r *tally.JobRow) {
	if r.Running == nil {
		f.Left(1, 0, f.W-2, r.ID+"  "+r.Name, draw.Strong)
		f.Paragraphs(1, table.Facts(f, r))
		return
	}
	at := slices.IndexFunc(f.Snap.Jobs, func(j cluster.JobView) bool { return j.ID == r.ID })
	if at < 0 || len(r.Running.Nodes) == 0 {
		return
	}
	if f.Job != &f.Snap.Jobs[at] {
		f.SetJob(at)
	}
	if len(r.Running.Nodes) == 1 {
		list.DrawNode(f, r.Running.Nodes[0])
		return
	}
	header.JobLine(f, f.W-1)
	header.Problems(f)
	f.Rule(2)
	if p.of == nil {
		p.of = overview.New(nil)
	}
	f.Node = &cluster.Node{} // no node is selected
	p.of.Rows(f)
}

// fullUser names the nodes of a user, and lists the user's processes there, as far as there is room.
func fullUser(f *part.Frame, u *rows.UserRow) {
	rows, nodes := processesOf(f.Scene, u.User)
	names := make([]string, len(nodes))
	for i, n := range nodes {
		names[i] = n.Name
	}
	f.Left(1, 0, f.W-2, cmp.Or(u.User, "n/a")+" on "+part.Plural(len(nodes), "node", "nodes"), draw.Strong)
	y := f.Paragraphs(1, []string{strings.Join(names, " ")})
	t := table.NewProcessList(f.W, nodes, false, 0, "")
	t.Head(f, y, "", false)
	for i := range rows {
		if y++; y >= f.H-1 {
			break
		}
		t.Row(f, y, &rows[i], false, false)
	}
}

// ofUser is a key of part.OfSnapshot.
type ofUser struct {
	user string
	most int // rows
}

// userProcesses has the first processes of a user, by node and GPU, and all of the user's nodes.
type userProcesses struct {
	ofUser
	rows  []table.ProcessRow
	nodes []*cluster.Node
}

// processesOf returns the first processes of a user on the GPUs to show, and all nodes with processes of that user.
func processesOf(s *part.Scene, user string) ([]table.ProcessRow, []*cluster.Node) {
	of := ofUser{user, s.H}
	h := part.OfSnapshot(s, of, func() userProcesses {
		h := userProcesses{ofUser: of}
		for _, name := range slices.Sorted(maps.Keys(s.Snap.Nodes)) {
			h.addProcesses(s, s.Snap.Nodes[name])
		}
		return h
	})
	return h.rows, h.nodes
}

func (h *userProcesses) addProcesses(s *part.Scene, n *cluster.Node) {
	found := false
	for i := range n.Processes {
		if n.Processes[i].User != h.user {
			continue
		}
		p := tally.Process{Process: &n.Processes[i], Number: n.Processes[i].GPU, Own: true}
		if g := n.GPUAt(p.GPU); g != nil {
			p.On, p.Number = g, g.Number
		}
		if p.On != nil && !s.Only.Shows(p.On) {
			continue
		}
		if found = true; len(h.rows) == h.most {
			break
		}
		h.rows = append(h.rows, table.ProcessRow{Process: p, Node: n, Job: tally.JobOf(s.Snap, p.Process)})
	}
	if found {
		h.nodes = append(h.nodes, n)
	}
}
