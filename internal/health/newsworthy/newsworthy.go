// Package newsworthy decides which events and problems are news. The user chooses events. For each kind of problem, a
// row of package say has its event, its least severity and how long it must last. Package notify finds the news.
package newsworthy

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
)

// Event is a kind of news. The user chooses which events to get.
type Event = say.Event

// The events of jobs, and those of problems.
const (
	Start   Event = "start"   // a job has begun to run
	End     Event = "end"     // a job has ended well, or was canceled
	Failure Event = "failure" // a job has ended in another way

	Node    = say.EventNode
	GPU     = say.EventGPU
	Slow    = say.EventSlow
	Disk    = say.EventDisk
	Rank    = say.EventRank
	Hang    = say.EventHang
	Lag     = say.EventLag
	Idle    = say.EventIdle
	Memory  = say.EventMemory
	Time    = say.EventTime
	Warning = say.EventWarning
)

// Events lists all events. The first and the last one are reported only on request.
var Events = []Event{Start, End, Failure, Node, GPU, Slow, Disk, Rank, Hang, Lag, Idle, Memory, Time, Warning}

// Names lists the names of all events.
func Names() (names []string) {
	for _, e := range Events {
		names = append(names, string(e))
	}
	return names
}

// WayTerminal is the only way to deliver news that does not leave the user's own terminal.
const WayTerminal = "terminal"

// Ways lists the names of the ways to deliver news. Package notify/ways has them.
var Ways = []string{WayTerminal, "command", "webhook", "mail"}

// Settings are the user's choice of news.
type Settings struct {
	Events   []string      // names of Events, and of kinds of findings, which count from a note upwards
	Idle     time.Duration // how long GPUs must be idle to be news
	TimeLeft time.Duration // how long before a job's time limit
	PerHour  int           // the most messages in any hour
}

// Defaults are the Settings of a user who has chosen nothing: all events but the first and the last.
func Defaults() Settings {
	return Settings{Events: Names()[1 : len(Events)-1], Idle: 30 * time.Minute, TimeLeft: 10 * time.Minute, PerHour: 20}
}

// Words lists what a user may choose: the events, and the kinds of findings.
func Words() []string {
	words := Names()
	kinds := say.Kinds()
	slices.Sort(kinds)
	for _, k := range kinds {
		_, told := say.NewsOf(k)
		if word := string(k); told && !slices.Contains(words, word) { // a lag and idle GPUs are events of that name
			words = append(words, word)
		}
	}
	return words
}

// Wants reports whether an event is chosen.
func (s *Settings) Wants(e Event) bool { return slices.Contains(s.Events, string(e)) }

// Of returns how a finding becomes news, false if it does not. A critical problem of an unknown kind is news.
func (s *Settings) Of(f *cluster.Finding) (p say.News, wanted bool) {
	p, known := say.NewsOf(f.Kind)
	if !known {
		p = say.News{Event: GPU, Least: cluster.Critical}
	}
	if p.Event == Idle {
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
		return p.AsWarning(), s.Wants(Warning)
	}
	return p, false
}
