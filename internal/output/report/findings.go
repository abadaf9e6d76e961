package report

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
)

// problemLog has the problems of a job. It is needed because the Store forgets those that ended an hour ago.
type problemLog struct {
	at      map[problemKey]int // in entries
	entries []problemEntry
}

// problemKey identifies a problem.
type problemKey struct {
	kind      cluster.Kind
	node, key string
}

// problemEntry is a problem, with all times when it occurred.
type problemEntry struct {
	cluster.Finding
	first   time.Time // Since of its first spell; Since itself is that of the last spell
	earlier int       // how often it began in earlier spells
	words   say.Words
	told    bool // words are from a time when it held
	looked  time.Time
}

// maxFindings limits how many problems are kept.
const maxFindings = 4096

// noteProblems adds the problems of a Snapshot.
func (l *problemLog) noteProblems(s *cluster.Snapshot, j *cluster.JobView) {
	if l.at == nil {
		l.at = map[problemKey]int{}
	}
	for i := range j.Findings {
		if f := &j.Findings[i]; f.Severity != cluster.Waiting {
			l.addFinding(s, f)
		}
	}
	for i := range l.entries { // a problem that disappeared on a node that does not report ended without notice
		if e := &l.entries[i]; e.Holds() && e.looked.Before(s.At) {
			e.Over = e.looked
		}
	}
}

func (l *problemLog) addFinding(s *cluster.Snapshot, f *cluster.Finding) {
	about := problemKey{f.Kind, f.Node, f.Key}
	i, known := l.at[about]
	if !known {
		if i = len(l.entries); i == maxFindings {
			return
		}
		l.at[about] = i
		l.entries = append(l.entries, problemEntry{Finding: *f, first: f.Since})
	}
	e := &l.entries[i]
	worst, before := max(e.Severity, f.Severity), e.Before
	if !f.Since.Equal(e.Since) {
		e.earlier += e.Times
	}
	e.Finding, e.looked = *f, s.At
	e.Severity, e.Before = worst, before
	if words := say.Finding(s, f); f.Holds() || !e.told {
		e.words, e.told = words, f.Holds()
	}
}

// atTheEnd is how long before the end of a job the loss of a node is part of that end: a job's sessions end with it.
const atTheEnd = time.Minute

// findingsUntil returns the findings of the report up to a time. ended says that the job ended at that time, and not
// because of a node.
func (l *problemLog) findingsUntil(to time.Time, ended bool) []Finding {
	out := []Finding{}
	for i := range l.entries {
		e := &l.entries[i]
		lost := e.Kind == cluster.KindFailed || e.Kind == cluster.KindStale
		if e.first.After(to) || ended && lost && !e.Since.Before(to.Add(-atTheEnd)) && e.earlier == 0 {
			continue
		}
		out = append(out, e.makeFinding(to))
	}
	slices.SortStableFunc(out, func(a, b Finding) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Node, b.Node),
			cmp.Compare(numberOf(a.GPU), numberOf(b.GPU)), cmp.Compare(a.Kind, b.Kind))
	})
	return out
}

func numberOf(n *int) int {
	if n == nil {
		return cluster.NoNumber
	}
	return *n
}

func (e *problemEntry) makeFinding(to time.Time) Finding {
	f := Finding{
		Kind: string(e.Kind), Severity: e.Severity.String(), Since: e.first.UTC(), Before: e.Before, Times: e.earlier +
			e.Times, Node: e.Node,
		Text: e.words.Sentence, Hint: e.words.Hint,
	}
	if !e.told {
		was := strings.TrimPrefix(e.words.Short, "cleared: ")
		f.Text, f.Hint = strings.ToUpper(was[:min(len(was), 1)])+was[min(len(was), 1):]+".", ""
	}
	if number := e.GPU; number != cluster.NoNumber {
		f.GPU = &number
	} else {
		f.Key = e.Key
	}
	if !e.Holds() && e.Over.Before(to) {
		f.Over = e.Over.UTC()
	}
	return f
}
