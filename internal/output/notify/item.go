// Package notify decides what is news for a user who does not look at a screen: the end of a job, and problems that
// last. It is pure. A Watcher turns Snapshots into Items, and a Gatherer turns Items into few Messages. Package
// health/say defines what is news. A Post delivers Messages.
//
// The problems are the findings of package health; there are no rules here. A finding causes one Item when it begins,
// and others when it gets worse and when it ends. A problem that a silent node hides has not ended. A job that is over
// takes its problems with it. The loss of a node counts only once SLURM has said that its job goes on, since sessions
// end with their job. A Watcher and a Gatherer belong to one goroutine each.
package notify

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
)

// Item is one piece of news.
type Item struct {
	At       time.Time
	Event    say.Event
	Over     bool // the problem has ended
	Kind     cluster.Kind
	Severity cluster.Severity

	Job, Name string // ID and name of the job
	Node      string // "": the whole job
	GPU       int    // cluster.NoNumber: the node
	Since     time.Time

	State cluster.EndState // for a job that has ended
	Exit  *cluster.Exit    // likewise; nil: unknown

	Title string // one line, with the job and the place
	Text  string // sentences
	Place string // the node and the GPU, for lists; "": the whole job
	Many  string // follows a count of such items: "nodes unreachable"
}

// OfJob reports whether a job has one of these names: its ID, its number, or the ID of its array or heterogeneous job.
// An empty list stands for all jobs.
func OfJob(id, number string, names []string) bool {
	return len(names) == 0 || slices.ContainsFunc(names, (&cluster.Job{ID: id, Number: number}).PartOf)
}
