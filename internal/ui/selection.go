package ui

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// selection is the job and the node of each job that a person has chosen. They are chosen by name, so that lists may change under the
// choice; the place of what is gone is taken over.
type selection struct {
	job   string // ID
	jobAt int    // its place in the list
	nodes map[string]choice
}

// choice is the node of a job that was chosen last.
type choice struct {
	name string
	at   int // its place in the job's list
}

// choose selects the node of that name, at that place of the job's list.
func (s *selection) choose(node string, at int) { s.nodes[s.job] = choice{node, at} }

// resolveJob selects a job that the Snapshot has, and returns its place, -1 when there is none.
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

// resolveNode selects a node that the job has, one of order unless that is empty, and returns its place, -1 when there is none.
func (s *selection) resolveNode(nodes, order []string) int {
	if len(nodes) == 0 {
		return -1
	}
	chosen := s.nodes[s.job]
	at := slices.Index(nodes, chosen.name)
	if at < 0 {
		at = min(chosen.at, len(nodes)-1)
	}
	for i := range nodes { // from there on, round the end
		if next := (at + i) % len(nodes); slices.Contains(order, nodes[next]) {
			at = next
			break
		}
	}
	s.choose(nodes[at], at)
	return at
}

// moveJob selects the job by places further, round the ends.
func (s *selection) moveJob(jobs []cluster.JobView, by int) {
	s.jobAt = wrap(s.jobAt+by, len(jobs))
	s.job = jobs[s.jobAt].ID
}

// moveNode selects the node by places further in order, round the ends.
func (s *selection) moveNode(nodes, order []string, by int) {
	if len(order) == 0 {
		return
	}
	next := order[wrap(slices.Index(order, s.nodes[s.job].name)+by, len(order))]
	s.choose(next, slices.Index(nodes, next))
}

func wrap(i, n int) int { return (i%n + n) % n }
