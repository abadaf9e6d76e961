package ui

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// screen is what fills the body.
type screen uint8

const (
	screenNode screen = iota
	screenOverview
	screenDoctor
)

// grid is how the overview shows nodes.
type grid uint8

const (
	gridAuto grid = iota // rows while they fit, else the heat map
	gridRows
	gridMap
)

// view is what a person has chosen to see. Jobs and nodes are chosen by name, so that lists may change under the choice.
type view struct {
	screen screen
	under  screen // what Esc leaves the doctor for
	help   bool   // it covers the screen

	job    string            // ID
	jobAt  int               // where it was in the list: its place is taken over when it ends
	node   map[string]string // by job ID: the node chosen last
	nodeAt map[string]int

	processes bool
	mine      bool // GPUs of other jobs are hidden
	worst     bool // the overview puts the worst nodes first
	grid      grid
	classic   bool
}

func newView(classic bool) *view {
	return &view{node: map[string]string{}, nodeAt: map[string]int{}, classic: classic}
}

// settle makes the choices ones that the Snapshot has. It returns the index of the job, or -1 when there is none.
func (v *view) settle(s *cluster.Snapshot) int {
	if len(s.Jobs) == 0 {
		return -1
	}
	at := slices.IndexFunc(s.Jobs, func(j cluster.JobView) bool { return j.ID == v.job })
	if at < 0 {
		at = min(v.jobAt, len(s.Jobs)-1)
	}
	job := &s.Jobs[at]
	v.job, v.jobAt = job.ID, at
	if len(job.Nodes) == 0 {
		return at
	}
	node := slices.Index(job.Nodes, v.node[v.job])
	if node < 0 {
		node = min(v.nodeAt[v.job], len(job.Nodes)-1)
	}
	v.choose(job.Nodes[node], node)
	return at
}

// choose selects the node of that name, at that place of the job's list.
func (v *view) choose(node string, at int) {
	v.node[v.job], v.nodeAt[v.job] = node, at
}

// moveJob selects the job by places further, round the ends.
func (v *view) moveJob(s *cluster.Snapshot, by int) {
	if at := v.settle(s); at >= 0 {
		v.jobAt = wrap(at+by, len(s.Jobs))
		v.job = s.Jobs[v.jobAt].ID
		v.settle(s)
	}
}

// moveNode selects the node by places further in the order shown, round the ends.
func (v *view) moveNode(s *cluster.Snapshot, by int) {
	at := v.settle(s)
	if at < 0 || len(s.Jobs[at].Nodes) == 0 {
		return
	}
	job := &s.Jobs[at]
	order := v.order(job, newHealth(s, job))
	i := slices.Index(order, v.node[v.job])
	next := order[wrap(i+by, len(order))]
	v.choose(next, slices.Index(job.Nodes, next))
}

// order is the job's nodes in the order shown: SLURM's, or the worst first.
func (v *view) order(job *cluster.JobView, h health) []string {
	if !v.worst || v.screen != screenOverview {
		return job.Nodes
	}
	order := slices.Clone(job.Nodes)
	slices.SortStableFunc(order, func(a, b string) int { return h.rank(b) - h.rank(a) })
	return order
}

func wrap(i, n int) int { return (i%n + n) % n }
