package ui

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// selection is the chosen job, and the chosen node of each job. They are kept by name, so the lists may change. If one
// is gone, its neighbor is selected.
type selection struct {
	job   string // ID
	jobAt int    // its place in the list
	nodes map[string]choice
}

// choice is the chosen node of a job.
type choice struct {
	name string
	at   int // its place in the job's list
}

// chooseNode selects a node by its name and its place in the job's list.
func (s *selection) chooseNode(node string, at int) { s.nodes[s.job] = choice{node, at} }

// resolveJob selects a job of the Snapshot and returns its index, or -1 if there is none.
func (s *selection) resolveJob(snap *cluster.Snapshot) int {
	if len(snap.Jobs) == 0 {
		return -1
	}
	at := slices.IndexFunc(snap.Jobs, func(j cluster.JobView) bool { return j.ID == s.job })
	if at < 0 {
		at = min(s.jobAt, len(snap.Jobs)-1)
	}
	s.job, s.jobAt = snap.Jobs[at].ID, at
	return at
}

// resolveNode selects a node of the job, if possible one in order, and returns its index, or -1 if there is none.
func (s *selection) resolveNode(nodes, order []string) int {
	if len(nodes) == 0 {
		return -1
	}
	chosen := s.nodes[s.job]
	at := slices.Index(nodes, chosen.name)
	if at < 0 {
		at = min(chosen.at, len(nodes)-1)
	}
	for i := range nodes { // starting there, with a wrap at the end
		if next := (at + i) % len(nodes); slices.Contains(order, nodes[next]) {
			at = next
			break
		}
	}
	s.chooseNode(nodes[at], at)
	return at
}

// moveJob selects the job that many places further on, with a wrap at the ends.
func (s *selection) moveJob(jobs []cluster.JobView, by int) {
	s.jobAt = wrapIndex(s.jobAt+by, len(jobs))
	s.job = jobs[s.jobAt].ID
}

// moveNode selects the node that many places further on in order, with a wrap at the ends.
func (s *selection) moveNode(nodes, order []string, by int) {
	if len(order) == 0 {
		return
	}
	next := order[wrapIndex(slices.Index(order, s.nodes[s.job].name)+by, len(order))]
	s.chooseNode(next, slices.Index(nodes, next))
}

func wrapIndex(i, n int) int { return (i%n + n) % n }
