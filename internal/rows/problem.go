package rows

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/lib/field"
)

// Problem is a row about a finding.
type Problem struct {
	Snapshot *cluster.Snapshot

	finding *cluster.Finding
}

// Problems are the fields of a problem.
var Problems = field.Table[Problem]{Name: "problems", Words: (*Problem).appendWords, Fields: slices.Concat(
	problemFields(func(r *Problem) []*cluster.Finding { return []*cluster.Finding{r.finding} }),
	[]field.Field[Problem]{
		{Key: "node", Also: []string{"host"}, Example: "gpu-n01", Help: "name of the node",
			Text: func(r *Problem) string { return r.finding.Node }},
		{Key: "state", Example: "holds", Help: "whether the problem holds, or is cleared", Text: (*Problem).problemState},
		{Key: "gpu", Also: numberOfGPU.Also, Unit: field.Count, Example: "3", Help: numberOfGPU.Help,
			Number: func(r *Problem) (float64, bool) { return gpuNumber(r.finding.GPU) }},
		{Key: "uuid", Example: "GPU-1c2d", Help: "UUID of the GPU",
			Text: func(r *Problem) string { return r.finding.Key }},
		{Key: "elapsed_seconds", Also: []string{"time"}, Unit: field.Seconds, Example: "2h",
			Help: "how long it is there", Number: (*Problem).problemAge},
		{Key: "job", Example: "48211", Help: "job ID", Text: func(r *Problem) string { return r.finding.Job }},
	},
)}

// Of sets the row to a finding.
func (r *Problem) Of(f *cluster.Finding) *Problem {
	r.finding = f
	return r
}

func (r *Problem) problemState() string {
	if r.finding.Holds() {
		return "holds"
	}
	return "cleared"
}

// problemAge returns the time since the problem began, in seconds.
func (r *Problem) problemAge() (float64, bool) {
	since := r.finding.Since
	return r.Snapshot.At.Sub(since).Seconds(), !since.IsZero()
}

// appendWords appends the node and the words of the problem.
func (r *Problem) appendWords(to []string) []string {
	words := say.Finding(r.Snapshot, r.finding)
	return append(to, r.finding.Node, words.One, words.Sentence, words.Hint)
}
