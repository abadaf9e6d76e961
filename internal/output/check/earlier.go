package check

import (
	"fmt"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/joblog/runs"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// repaired is the time within which a failed node is taken out and repaired. A failure longer ago is a note.
const repaired = 14 * 24 * time.Hour

// faultsBefore finds faults that the nodes had in other jobs of the user, unless they have them now: of each kind the
// last one of a node.
func (e *examination) faultsBefore() (found []Finding) {
	said := map[runs.Fault]bool{}
	for _, run := range slices.Backward(e.earlier) {
		for _, f := range run.Faults {
			is := runs.Fault{Node: f.Node, Kind: f.Kind}
			has := slices.ContainsFunc(e.held, func(now cluster.Finding) bool {
				return now.Node == f.Node && now.Kind == f.Kind
			})
			if run.Job == e.job.ID || f.Words() == "" || has || said[is] || !slices.Contains(e.job.Nodes, f.Node) {
				continue
			}
			said[is] = true
			failed := f.Failure && e.mayStillFail(f.Node, run.Seen)
			finding := Finding{Kind: KindEarlier, Node: f.Node, severity: cluster.Note, excludes: failed,
				Text: fmt.Sprintf("It had %s in your job %s (%s).", f.Words(), run.Job,
					run.Seen.Local().Format("2 Jan"))}
			if failed {
				finding.severity = cluster.Warning
				finding.Hint = "nothing shows that it was repaired: leave it out, and report it to your admins"
			}
			found = append(found, finding)
		}
	}
	return found
}

// mayStillFail reports whether a node that failed at a time may not have been repaired: it was not long ago, and the
// node has not been started since.
func (e *examination) mayStillFail(node string, seen time.Time) bool {
	up := tally.Node(e.Snapshot, node).Host.Float(metric.Uptime)
	started := up == up && e.At.Add(-time.Duration(up)*time.Second).After(seen)
	return e.At.Sub(seen) <= repaired && !started
}
