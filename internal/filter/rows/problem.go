package rows

import (
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/filter"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
)

// ProblemFields are the fields of a problem.
var ProblemFields = filter.Of(filter.Severity, filter.Node, filter.Problem, filter.Letter, filter.State, filter.GPU,
	filter.UUID, filter.Time, filter.Job)

// Problem is a finding as a filter.Subject.
type Problem struct {
	Snapshot *cluster.Snapshot

	finding *cluster.Finding
}

// Of is that finding.
func (r *Problem) Of(f *cluster.Finding) filter.Subject {
	r.finding = f
	return r
}

// Values implements filter.Subject.
func (r *Problem) Values(key filter.Key, to []filter.Value) []filter.Value {
	switch f := r.finding; key {
	case filter.Node:
		return word(to, f.Node)
	case filter.Job:
		return word(to, f.Job)
	case filter.UUID:
		return word(to, f.Key)
	case filter.GPU:
		return gpuNumber(to, f.GPU)
	case filter.Time:
		if f.Since.IsZero() {
			return to
		}
		return number(to, r.Snapshot.At.Sub(f.Since).Seconds())
	case filter.State:
		if f.Holds() {
			return word(to, "holds")
		}
		return word(to, "cleared")
	}
	return finding(to, key, r.finding)
}

// Texts implements filter.Subject: the node and the words of the problem.
func (r *Problem) Texts(to []string) []string {
	words := say.Finding(r.Snapshot, r.finding)
	return append(to, r.finding.Node, words.One, words.Sentence, words.Hint)
}
