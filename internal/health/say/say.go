// Package say has everything that outputs say about the findings of package health. Each kind of problem has a row
// (kinds.go): its words, its letter, when it is news, and which charts show it. Finding takes the evidence (a
// temperature, a clock) from the Snapshot when a finding is displayed. Strings from nodes are already safe to display.
package say

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// Words are the text of a finding, in several lengths. They do not repeat the node or the GPU of the Finding.
type Words struct {
	Label
	Flag     string // in the row of a GPU, without the age: "!THERM", "!PWR", "ECC:2"; "" for none
	Long     string // in the overview, where there is room: "thermal throttling, 87°C"
	Short    string // in a narrow overview: "thermal 87°C"
	Brief    string // of a failure: Short without its details
	Sentence string // complete, for the list of problems: "Thermal throttling: 87°C, SM clock 1215 of 1980 MHz."
	Hint     string // what to do; may be empty
}

// Label is the name of a kind of finding. It contains no evidence.
type Label struct {
	Letter  byte   // in an overview cell: X E T P N L I; 0: none
	AgeFlag bool   // the age follows the flag: "!THERM 40s"
	One     string // after the name of the node or GPU: "login refused"
	Many    string // after a count: "logins refused"
}

// FailureLabels are the labels of the failures of nodes, by class. Other classes have the label of KindFailed.
var FailureLabels = map[reach.Class]Label{
	reach.ClassAdopt: refused, reach.ClassAuth: refused, reach.ClassDenied: refused,
	reach.ClassRefused: unreachable, reach.ClassNoRoute: unreachable, reach.ClassTimeout: unreachable,
	reach.ClassFrozen:         unreachable,
	reach.ClassLoginHangs:     {One: "login hung", Many: "logins hung"},
	reach.ClassProbeLate:      {One: "probe not started", Many: "probes not started"},
	reach.ClassDriverHangs:    {One: "driver hung", Many: "drivers hung"},
	reach.ClassReplaced:       {One: "driver replaced", Many: "drivers replaced"},
	reach.ClassUnknownHost:    {One: "unknown host", Many: "unknown hosts"},
	reach.ClassHostKeyChanged: {One: "host key changed", Many: "host keys changed"},
	reach.ClassHostKeyUnknown: {One: "host key unknown", Many: "host keys unknown"},
	reach.ClassSilent:         {One: "not responding", Many: "nodes not responding"},
	reach.ClassClosed:         {One: "connection lost", Many: "connections lost"},
	reach.ClassNotWatched:     {One: "not watched", Many: "nodes not watched"},
	reach.ClassProbeKilled:    {One: "probe was killed", Many: "probes killed"},
}

var (
	refused     = Label{One: "login refused", Many: "logins refused"}
	awaited     = Label{Letter: 'I', AgeFlag: true, One: "awaited", Many: "GPUs awaited"}
	unreachable = Label{One: "unreachable", Many: "nodes unreachable"}
)

// LabelOf returns the label of a finding.
func LabelOf(f *cluster.Finding) Label {
	row := rowOf(f.Kind)
	l := row.Label
	switch {
	case f.OfAwaited():
		l = awaited
		if f.Severity < cluster.Warning {
			l.Letter = 0
		}
	case f.Class != "":
		l = cmp.Or(FailureLabels[f.Class], rowOf(cluster.KindFailed).Label)
	case f.Every:
		l.One, l.Many = row.every.one, row.every.many
	case f.Kind == cluster.KindFault && f.Key != "":
		l.Many = "GPUs missing metrics"
	case f.Kind == cluster.KindLag && f.Key == "":
		l = Label{One: "a different GPU is slow each time", Many: "jobs whose slow GPU changes"}
	case f.Kind == cluster.KindLag && f.Compared != nil && f.Compared.How == cluster.Alone:
		l = awaited
		l.Letter, l.AgeFlag = 0, true
	case f.Kind == cluster.KindLag && f.Severity < cluster.Warning:
		l.Letter = 0
	case f.Kind == cluster.KindRankGone && f.Severity < cluster.Critical:
		l.Letter, l.One, l.Many = 0, "rank ended", "GPUs whose rank has ended"
	case f.Kind == cluster.KindMissing && f.Severity < cluster.Critical:
		l.One, l.Many = "GPU not listed", "nodes with unlisted GPUs"
	case f.Severity == cluster.Note:
		l.Letter = 0 // nothing is wrong with the cell
	}
	return l
}

// Finding returns the text of a finding in the Snapshot. A cleared finding no longer has evidence: its text is only its
// name.
func Finding(s *cluster.Snapshot, f *cluster.Finding) Words {
	how := rowOf(f.Kind)
	w := Words{Label: LabelOf(f)}
	if !f.Holds() {
		was := cmp.Or(how.was, w.One)
		cleared := was + ", cleared " + formatDuration(s.At.Sub(f.Over)) + " ago"
		w.Short, w.Long, w.Sentence = "cleared: "+was, cleared, Sentence(cleared)
		return w
	}
	if how.say != nil {
		e := evidenceOf(s, f)
		how.say(&w, e)
		addRankStacks(&w, e)
		if f.OfAwaited() {
			sayAwaited(&w, e)
		}
		if how.advised {
			useDriverAdvice(&w, e)
		}
	}
	return w
}

// Times says how often a finding that holds has begun, and when it was last over: " 3 times since 18:00:00, last over
// at 18:05:10.". It returns "" for the first time, and for Xids, whose sentence says it.
func Times(f *cluster.Finding) string {
	times, since := f.Times+f.Earlier.Times, f.Since
	if times < 2 || f.Last.IsZero() || !f.Holds() || f.Kind == cluster.KindXid {
		return ""
	}
	if f.Earlier.Times > 0 {
		since = f.Earlier.Since
	}
	return fmt.Sprintf(" %d times since %s, last over at %s.", times, since.Format(time.TimeOnly),
		f.Last.Format(time.TimeOnly))
}

// evidence is the data of a finding in the Snapshot. Its pointers are never nil.
type evidence struct {
	node  *cluster.Node
	hello *wire.Hello
	gpu   *cluster.GPU // the zero GPU if the finding is about the node
	job   *cluster.Job

	common *cluster.Common

	discovery *cluster.Discovery
	nodes     map[string]*cluster.Node
	compared  *cluster.Comparison
	silence   *cluster.Silence
	stacks    *rankstacks.Verdict // of the job's ranks, since it stands still; nil: they were not asked
	kind      cluster.Kind        // of the finding
	severity  cluster.Severity    // likewise
	every     bool                // it is about all GPUs of the node; gpu is one of them
	since     time.Time           // likewise
	at        time.Time           // of the Snapshot
}

// nothing is evidence without any data.
var nothing = evidence{
	node: &cluster.Node{}, hello: &wire.Hello{}, gpu: &cluster.GPU{GPU: &wire.GPU{}, Card: &wire.Card{}},
	job:    &cluster.Job{},
	common: &cluster.Common{}, discovery: &cluster.Discovery{}, compared: &cluster.Comparison{},
	silence: &cluster.Silence{},
}

func evidenceOf(s *cluster.Snapshot, f *cluster.Finding) evidence {
	e := nothing
	e.at, e.nodes, e.discovery = s.At, s.Nodes, &s.Discovery
	e.kind, e.severity, e.since, e.every = f.Kind, f.Severity, f.Since, f.Every
	if f.Compared != nil {
		e.compared = f.Compared
	}
	if f.Silence != nil {
		e.silence = f.Silence
	}
	if d := s.Stacks[f.Job]; d != nil && !d.Time.Before(f.Since) {
		e.stacks = d
	}
	if n := s.Nodes[f.Node]; n != nil {
		e.node = n
	}
	if e.node.Hello != nil {
		e.hello = e.node.Hello
	}
	for i := range e.node.GPUs {
		if g := &e.node.GPUs[i]; f.Of(g) {
			e.gpu = g
		}
	}
	for i := range s.Jobs {
		if s.Jobs[i].ID == f.Job {
			e.job, e.common = &s.Jobs[i].Job, &s.Jobs[i].Common
		}
	}
	return e
}

// Sentence returns s with a capital letter and a full stop.
func Sentence(s string) string {
	if s == "" {
		return s
	}
	s = strings.ToUpper(s[:1]) + s[1:]
	if !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}

// formatDuration formats a duration: "40s", "5m".
func formatDuration(d time.Duration) string {
	switch s := max(0, int(d/time.Second)); {
	case s >= 7200:
		return fmt.Sprintf("%dh", s/3600)
	case s >= 120:
		return fmt.Sprintf("%dm", s/60)
	default:
		return fmt.Sprintf("%ds", s)
	}
}

// formatTwoDigits formats a duration with two digits if it is below 10 s: "0.25s", "1.5s", "3s".
func formatTwoDigits(d time.Duration) string {
	if d >= 10*time.Second {
		return formatDuration(d)
	}
	return fmt.Sprintf("%.2gs", d.Seconds())
}
