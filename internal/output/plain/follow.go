package plain

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
)

// Follower says what changes: jobs that begin and end, nodes that are lost and return, problems that begin, get worse
// and end. Numbers that change all the time are no change.
type Follower struct {
	Only tally.Only

	begun    bool
	jobs     map[string]string // names, by ID
	silent   map[string]bool   // nodes without numbers, by name
	problems []seenProblem
}

// seenProblem is a problem that was said.
type seenProblem struct {
	cluster.Finding
	place, name string
}

// See returns the lines about the next Snapshot, each with its time. Those about the first Snapshot say everything.
func (w *Follower) See(s *cluster.Snapshot) (lines []string) {
	said := w.changes(s)
	if !w.begun {
		w.begun, said = true, Lines(s, w.Only)
	}
	for _, line := range said {
		lines = append(lines, s.At.Format(time.TimeOnly)+" "+line)
	}
	return lines
}

// changes returns what is not as it was, and takes it over.
func (w *Follower) changes(s *cluster.Snapshot) []string {
	lines := w.jobChanges(s)
	lines = append(lines, w.nodeChanges(s)...)
	return append(lines, w.problemChanges(s)...)
}

func (w *Follower) jobChanges(s *cluster.Snapshot) (lines []string) {
	now := map[string]string{}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		now[j.ID] = jobName(j.ID, j.Name)
		if w.jobs[j.ID] == "" {
			lines = append(lines, jobLine(s, j))
		}
	}
	for id, name := range w.jobs {
		if now[id] == "" {
			lines = append(lines, endLine(s, id, name))
		}
	}
	w.jobs = now
	return lines
}

// endLine says how a job has ended, as far as SLURM has said it.
func endLine(s *cluster.Snapshot, id, name string) string {
	line := name + ": has ended"
	for i := range s.Discovery.Ended {
		e := &s.Discovery.Ended[i]
		if e.ID != id {
			continue
		}
		if word := tally.EndOf(e).Word; word != "" {
			line += ": " + word
		}
		if why := tally.WhyEnded(e); why != "" {
			line += ": " + why
		}
	}
	return line + "."
}

func (w *Follower) nodeChanges(s *cluster.Snapshot) (lines []string) {
	now := map[string]bool{}
	for i := range s.Jobs {
		for _, name := range s.Jobs[i].Nodes {
			n := tally.Node(s, name)
			silent := n.State != cluster.NodeReporting
			was, known := w.silent[name]
			switch now[name] = silent; {
			case known && silent && !was:
				lines = append(lines, silentNode(n))
			case known && !silent && was:
				lines = append(lines, name+": reports.")
			}
		}
	}
	w.silent = now
	return lines
}

func (w *Follower) problemChanges(s *cluster.Snapshot) (lines []string) {
	var now []seenProblem
	for i := range s.Jobs {
		j := &s.Jobs[i]
		for k := range j.Findings {
			f := &j.Findings[k]
			if !f.Holds() || f.Severity == cluster.Waiting {
				continue
			}
			if was := find(w.problems, f); was == nil || was.Severity < f.Severity {
				lines = append(lines, problemLine(s, j, f))
			}
			now = append(now, seenProblem{*f, place(j, f), say.LabelOf(f).One})
		}
	}
	for i := range w.problems {
		p := &w.problems[i]
		if find(now, &p.Finding) == nil {
			lines = append(lines, p.place+": over: "+p.name+".")
		}
	}
	w.problems = now
	return lines
}

// find returns the same problem in a list; nil: it is not there.
func find(list []seenProblem, f *cluster.Finding) *seenProblem {
	for i := range list {
		if list[i].IsSame(*f) {
			return &list[i]
		}
	}
	return nil
}
