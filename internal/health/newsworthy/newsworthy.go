// Package newsworthy decides which events and problems are news: each kind of problem is a row, with its event, from
// which severity on, and after which time. The user chooses among the events. Package notify finds them.
package newsworthy

import (
	"maps"
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
	Slow    Event = "slow"    // clocks are reduced, or a link is, for long
	Disk    Event = "disk"    // /tmp is nearly full
	Rank    Event = "rank"    // a rank has ended while others run
	Hang    Event = "hang"    // the job or the driver hangs
	Lag     Event = "lag"     // a GPU is slower than the others
	Idle    Event = "idle"    // GPUs are idle for longer than the user allows
	Memory  Event = "memory"  // memory is nearly full, or will be
	Time    Event = "time"    // the time limit of a job is near
	Warning Event = "warning" // any other warning
)

// Events lists all events: first and last those that are told only on request.
var Events = []Event{Start, End, Failure, Node, GPU, Slow, Disk, Rank, Hang, Lag, Idle, Memory, Time, Warning}

// Names lists the names of all events.
func Names() (names []string) {
	for _, e := range Events {
		names = append(names, string(e))
	}
	return names
}

// Settings are the user's choice of news.
type Settings struct {
	Events   []string      // names of Events, and of kinds of findings, which count from a note on
	Idle     time.Duration // the time from which idle GPUs are news
	TimeLeft time.Duration // the time before a job's time limit
	PerHour  int           // the most messages in any hour
}

// Defaults are the Settings of a user who has chosen nothing: all events but the first and the last one.
func Defaults() Settings {
	return Settings{Events: Names()[1 : len(Events)-1], Idle: 30 * time.Minute, TimeLeft: 10 * time.Minute, PerHour: 20}
}

// Words lists what a user may choose: the events, and the kinds of findings.
func Words() []string {
	words := Names()
	for _, k := range slices.Sorted(maps.Keys(problems)) {
		if word := string(k); !slices.Contains(words, word) { // a lag and idle GPUs are events of that name
			words = append(words, word)
		}
	}
	return words
}

// Wants reports whether an event is chosen.
func (s *Settings) Wants(e Event) bool { return slices.Contains(s.Events, string(e)) }

// Problem is how a kind of finding becomes news.
type Problem struct {
	Event Event
	Least cluster.Severity
	Lasts time.Duration // it must hold so long
}

// Times for which problems must hold. A node that does not answer for half a minute may just be slow, and clocks are
// reduced for moments.
const (
	atOnce  = 0
	lostFor = 30 * time.Second
	unclear = time.Minute
	steady  = 10 * time.Minute
)

// problems are the kinds of findings, and when each is news. A warning of a kind that must be critical is a Warning.
var problems = map[cluster.Kind]Problem{
	cluster.KindFailed:     {Node, cluster.Critical, lostFor},
	cluster.KindStale:      {Node, cluster.Warning, unclear},
	cluster.KindSilence:    {Node, cluster.Warning, unclear},
	cluster.KindNoDriver:   {Node, cluster.Critical, lostFor},
	cluster.KindHang:       {Hang, cluster.Critical, lostFor},
	cluster.KindJobHang:    {Hang, cluster.Warning, atOnce},
	cluster.KindRankGone:   {Rank, cluster.Warning, atOnce},
	cluster.KindLag:        {Lag, cluster.Warning, atOnce},
	cluster.KindIdle:       {Idle, cluster.Note, atOnce}, // lasts as long as the user allows
	cluster.KindJobIdle:    {Idle, cluster.Note, atOnce},
	cluster.KindHostMemory: {Memory, cluster.Warning, atOnce},
	cluster.KindDisk:       {Disk, cluster.Warning, unclear},

	cluster.KindThermal:     {Slow, cluster.Warning, steady},
	cluster.KindPowerBrake:  {Slow, cluster.Warning, steady},
	cluster.KindSlowdown:    {Slow, cluster.Warning, steady},
	cluster.KindGPUHot:      {Slow, cluster.Warning, steady},
	cluster.KindMemoryHot:   {Slow, cluster.Warning, steady},
	cluster.KindLowClock:    {Slow, cluster.Warning, steady},
	cluster.KindStepSlower:  {Slow, cluster.Warning, steady},
	cluster.KindStalled:     {Slow, cluster.Warning, steady},
	cluster.KindLinkUnused:  {Slow, cluster.Warning, steady},
	cluster.KindNVLinkDown:  {Slow, cluster.Warning, steady},
	cluster.KindFabricIll:   {Slow, cluster.Warning, steady},
	cluster.KindOtherClique: {Slow, cluster.Warning, steady},
	cluster.KindPCIe:        {Slow, cluster.Warning, steady},
	cluster.KindPCIeReplays: {Slow, cluster.Warning, steady},
	cluster.KindNVLink:      {Slow, cluster.Warning, steady},

	cluster.KindMissing:     {GPU, cluster.Critical, atOnce},
	cluster.KindHidden:      {GPU, cluster.Critical, atOnce},
	cluster.KindLost:        {GPU, cluster.Critical, atOnce},
	cluster.KindUnusable:    {GPU, cluster.Critical, atOnce},
	cluster.KindXid:         {GPU, cluster.Critical, atOnce},
	cluster.KindRecovery:    {GPU, cluster.Critical, atOnce},
	cluster.KindRemapFailed: {GPU, cluster.Critical, atOnce},
	cluster.KindECCGrowing:  {GPU, cluster.Critical, atOnce},
	cluster.KindFabric:      {GPU, cluster.Critical, atOnce},
	cluster.KindNoCompute:   {GPU, cluster.Critical, atOnce},

	cluster.KindECC:         {Warning, cluster.Warning, unclear},
	cluster.KindRemap:       {Warning, cluster.Warning, unclear},
	cluster.KindNoSpares:    {Warning, cluster.Warning, unclear},
	cluster.KindRetired:     {Warning, cluster.Warning, unclear},
	cluster.KindSlow:        {Warning, cluster.Warning, unclear},
	cluster.KindMemoryFull:  {Warning, cluster.Warning, unclear},
	cluster.KindLeftOver:    {Warning, cluster.Warning, unclear},
	cluster.KindStranger:    {Warning, cluster.Warning, unclear},
	cluster.KindWrongCgroup: {Warning, cluster.Warning, unclear},
	cluster.KindMixed:       {Warning, cluster.Warning, unclear},
	cluster.KindClockSkew:   {Warning, cluster.Warning, unclear},
	cluster.KindImbalance:   {Warning, cluster.Warning, unclear},
	cluster.KindPersistence: {Warning, cluster.Warning, unclear},
	cluster.KindFault:       {Warning, cluster.Warning, unclear},
}

// Of returns how a finding becomes news. False: it is none.
func (s *Settings) Of(f *cluster.Finding) (p Problem, wanted bool) {
	p, known := problems[f.Kind]
	if !known {
		p = Problem{GPU, cluster.Critical, atOnce}
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
		p.Event, p.Lasts = Warning, max(p.Lasts, unclear)
		return p, s.Wants(Warning)
	}
	return p, false
}
