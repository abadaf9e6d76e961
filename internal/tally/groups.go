package tally

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// Group counts findings that are told of together.
type Group struct {
	Names    [2]string // of one, of several
	Severity cluster.Severity
	Count    int
}

// Groups counts findings that hold by what they are called, in order. Notes are not counted: they are no fault.
func Groups(findings []cluster.Finding, names func(*cluster.Finding) [2]string) []Group {
	var groups []Group
	for i := range findings {
		f := &findings[i]
		if f.Severity == cluster.Note || !f.Holds() {
			continue
		}
		called := names(f)
		at := slices.IndexFunc(groups, func(g Group) bool { return g.Names == called && g.Severity == f.Severity })
		if at < 0 {
			at = len(groups)
			groups = append(groups, Group{Names: called, Severity: f.Severity})
		}
		groups[at].Count++
	}
	return groups
}

// Over is the place in BySeverity of what holds no more.
const Over cluster.Severity = -1

// BySeverity counts findings by how bad they are.
func BySeverity(findings []*cluster.Finding) map[cluster.Severity]int {
	counts := map[cluster.Severity]int{}
	for _, f := range findings {
		if f.Holds() {
			counts[f.Severity]++
		} else {
			counts[Over]++
		}
	}
	return counts
}
