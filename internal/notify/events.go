// Package notify decides what is news for a user who does not look at a screen: the end of a job, and problems that
// last. It is pure: a Watcher turns Snapshots into Items, and a Gatherer turns Items into few Messages. Package
// notify/ways delivers Messages.
//
// The problems are the findings of package health; no rule is here. A finding that has told begins one Item, and its
// end another. What a silent node hides has not ended. A job that is over takes its problems with it, and the loss of a
// node counts only once SLURM has said that its job goes on: sessions end with their job. A Watcher and a Gatherer
// belong to one goroutine each.
package notify

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// Event is a kind of news. The user chooses among them.
type Event string

// The events.
const (
	Start   Event = "start"   // a job has begun to run
	End     Event = "end"     // a job has ended well, or was canceled
	Failure Event = "failure" // a job has ended in another way
	Node    Event = "node"    // a node is lost, or its driver
	GPU     Event = "gpu"     // a critical problem of a GPU
	Rank    Event = "rank"    // a rank has ended while others run
	Hang    Event = "hang"    // the job or the driver hangs
	Lag     Event = "lag"     // a GPU is slower than the others
	Idle    Event = "idle"    // GPUs are idle for longer than the user allows
	Memory  Event = "memory"  // memory is nearly full, or will be
	Time    Event = "time"    // the time limit of a job is near
)

// Events lists all events.
var Events = []Event{Start, End, Failure, Node, GPU, Rank, Hang, Lag, Idle, Memory, Time}

// Names lists the names of all events.
func Names() (names []string) {
	for _, e := range Events {
		names = append(names, string(e))
	}
	return names
}

// Settings are the user's choice of news.
type Settings struct {
	Events   []string      // names of Events
	Idle     time.Duration // the time from which idle GPUs are news
	TimeLeft time.Duration // the time before a job's time limit
	PerHour  int           // the most Messages in any hour
}

// Defaults are the Settings of a user who has chosen nothing: all events but the start of a job.
func Defaults() Settings {
	return Settings{Events: Names()[1:], Idle: 30 * time.Minute, TimeLeft: 10 * time.Minute, PerHour: 20}
}

func (s *Settings) wants(e Event) bool { return slices.Contains(s.Events, string(e)) }

// problem is how a kind of finding becomes news.
type problem struct {
	event Event
	least cluster.Severity
	lasts time.Duration // it must hold so long
}

// Times for which problems must hold. A node that does not answer for half a minute may just be slow.
const (
	atOnce  = 0
	lostFor = 30 * time.Second
	unclear = time.Minute
)

// problems are the kinds of findings that are news. Of all others, those are that are critical.
var problems = map[cluster.Kind]problem{
	cluster.KindFailed:     {Node, cluster.Critical, lostFor},
	cluster.KindStale:      {Node, cluster.Warning, unclear},
	cluster.KindSilence:    {Node, cluster.Warning, unclear},
	cluster.KindNoDriver:   {Node, cluster.Critical, lostFor},
	cluster.KindHang:       {Hang, cluster.Critical, lostFor},
	cluster.KindJobHang:    {Hang, cluster.Warning, atOnce},
	cluster.KindRankGone:   {Rank, cluster.Warning, atOnce},
	cluster.KindLag:        {Lag, cluster.Warning, atOnce},
	cluster.KindIdle:       {Idle, cluster.Note, atOnce},
	cluster.KindJobIdle:    {Idle, cluster.Note, atOnce},
	cluster.KindHostMemory: {Memory, cluster.Warning, atOnce},
}

// of returns how a finding becomes news.
func (s *Settings) of(f *cluster.Finding) problem {
	p, known := problems[f.Kind]
	switch {
	case !known:
		return problem{GPU, cluster.Critical, atOnce}
	case p.event == Idle:
		p.lasts = s.Idle
	}
	return p
}

// Item is one piece of news.
type Item struct {
	At       time.Time
	Event    Event
	Over     bool // the problem has ended
	Kind     cluster.Kind
	Severity cluster.Severity

	Job, Name string // ID and name of the job
	Node      string // "": the whole job
	GPU       int    // cluster.NoNumber: the node
	Since     time.Time

	State cluster.EndState // of a job that has ended
	Exit  *cluster.Exit    // likewise; nil: unknown

	Title string // one line with the job and the place
	Text  string // sentences
	Place string // the node and the GPU, for lists; "": the job
	Many  string // after a count of such items: "nodes unreachable"
}

// OfJob reports whether a job has one of these names: its ID, its number, or the ID of its array or heterogeneous job.
// No names stand for all jobs.
func OfJob(id, number string, names []string) bool {
	return len(names) == 0 || slices.ContainsFunc(names, (&cluster.Job{ID: id, Number: number}).PartOf)
}
