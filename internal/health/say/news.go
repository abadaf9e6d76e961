package say

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// Event is a kind of news. The user chooses which events to get. Package notify finds them.
type Event string

// The events of jobs, and those of problems.
const (
	EventStart   Event = "start"   // a job has begun to run
	EventEnd     Event = "end"     // a job has ended well, or was canceled
	EventFailure Event = "failure" // a job has ended in another way

	EventNode    Event = "node"    // a node, or its driver, is lost
	EventGPU     Event = "gpu"     // a critical problem of a GPU
	EventSlow    Event = "slow"    // clocks or a link are slowed down for long
	EventDisk    Event = "disk"    // /tmp is nearly full
	EventRank    Event = "rank"    // a rank has ended while others run
	EventHang    Event = "hang"    // the job or the driver hangs
	EventLag     Event = "lag"     // a GPU is slower than the others
	EventIdle    Event = "idle"    // GPUs are idle for longer than the user allows
	EventMemory  Event = "memory"  // memory is nearly full, or will be
	EventTime    Event = "time"    // the time limit of a job is near, or the job will not finish before it
	EventWarning Event = "warning" // any other warning
)

// How long problems must hold to be news. A node that does not answer for half a minute may just be slow, and clocks
// are often reduced for a moment.
const (
	atOnce  = 0
	lostFor = 30 * time.Second
	unclear = time.Minute
	steady  = 10 * time.Minute
)

// News says when a kind of problem is news.
type News struct {
	Event Event
	Least cluster.Severity // a mere warning of a kind that must be critical is an EventWarning
	Lasts time.Duration    // how long it must hold
}

// NewsOf returns when a kind of problem is news; false: it never is, or the kind is unknown.
func NewsOf(k cluster.Kind) (News, bool) {
	news := rowOf(k).news
	return news, news.Event != ""
}

// asWarning returns the news for a mere warning of a kind that must be critical.
func (n News) asWarning() News {
	n.Event, n.Lasts = EventWarning, max(n.Lasts, unclear)
	return n
}

// Events lists all events. The first and the last one are reported only on request.
var Events = []Event{EventStart, EventEnd, EventFailure, EventNode, EventGPU, EventSlow, EventDisk, EventRank,
	EventHang, EventLag, EventIdle, EventMemory, EventTime, EventWarning}

// EventNames lists the names of all events.
func EventNames() (names []string) {
	for _, e := range Events {
		names = append(names, string(e))
	}
	return names
}

// WayTerminal is the only way to deliver news that does not leave the user's own terminal.
const WayTerminal = "terminal"

// NewsWays lists the names of the ways to deliver news. Package notify/ways has them.
var NewsWays = []string{WayTerminal, "command", "webhook", "mail"}

// NewsSettings are the user's choice of news.
type NewsSettings struct {
	Events   []string      // names of Events, and of kinds of findings, which count from a note upwards
	Idle     time.Duration // how long GPUs must be idle to be news
	TimeLeft time.Duration // how long before a job's time limit
	PerHour  int           // the most messages in any hour
}

// DefaultNews returns the NewsSettings of a user who has chosen nothing: all events but the first and the last.
func DefaultNews() NewsSettings {
	return NewsSettings{Events: EventNames()[1 : len(Events)-1],
		Idle: 30 * time.Minute, TimeLeft: 10 * time.Minute, PerHour: 20}
}

// NewsWords lists what a user may choose: the events, and the kinds of findings.
func NewsWords() []string {
	words := EventNames()
	kinds := Kinds()
	slices.Sort(kinds)
	for _, k := range kinds {
		_, told := NewsOf(k)
		if word := string(k); told && !slices.Contains(words, word) { // a lag and idle GPUs are events of that name
			words = append(words, word)
		}
	}
	return words
}

// Wants reports whether an event is chosen.
func (s *NewsSettings) Wants(e Event) bool { return slices.Contains(s.Events, string(e)) }

// Of returns how a finding becomes news, false if it does not. A critical problem of an unknown kind is news.
func (s *NewsSettings) Of(f *cluster.Finding) (p News, wanted bool) {
	p, known := NewsOf(f.Kind)
	if !known {
		p = News{Event: EventGPU, Least: cluster.Critical}
	}
	if p.Event == EventIdle {
		p.Lasts = s.Idle
	}
	switch {
	case f.Severity == cluster.Waiting:
		return p, false
	case known && string(f.Kind) != string(p.Event) && slices.Contains(s.Events, string(f.Kind)):
		return p, f.Severity >= cluster.Note
	case f.Severity >= p.Least:
		return p, s.Wants(p.Event)
	case f.Severity >= cluster.Warning:
		return p.asWarning(), s.Wants(EventWarning)
	}
	return p, false
}
