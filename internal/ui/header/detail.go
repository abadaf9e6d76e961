package header

import (
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// detail says how much of a finding is written.
type detail int

// From nothing to all of it: each has the words of the one before.
const (
	hidden   detail = iota
	oneLine         // a short sentence
	sentence        // all facts
	withHint        // and what to do
)

// sayable is a finding with its lines at each detail.
type sayable struct {
	finding *cluster.Finding
	lines   [withHint + 1][]sentenceLine
	shown   detail
}

// newSayable writes the lines of a finding at each detail, where columns from its place on.
func newSayable(f *part.Frame, where int, finding *cluster.Finding, words say.Words) sayable {
	facts := words
	facts.Hint = ""
	at, room := sentenceText(where), max(f.W-1-sentenceText(where), 10)
	s := sayable{finding: finding}
	s.lines[oneLine] = []sentenceLine{{0, at, inOneLine(words, room), draw.Text}}
	s.lines[sentence], s.lines[withHint] = sentenceLines(f, where, facts), sentenceLines(f, where, words)
	return s
}

// rows returns the number of rows at a detail.
func (s *sayable) rows(at detail) int {
	if at == hidden {
		return 0
	}
	lines := s.lines[at]
	return lines[len(lines)-1].row + 1
}

// isProblem reports whether a finding is more than a note, and holds.
func (s *sayable) isProblem() bool { return s.finding.Severity >= cluster.Warning && s.finding.Holds() }

// details distributes rows over findings, the worst first. Facts come before hints: first the worst finding in full, a
// line for each other problem, all their facts, the notes, and then the hints. Findings without room are the last ones.
type details struct {
	all  []sayable
	rows int // that are left
}

// chooseDetails sets what is shown of each finding in a number of rows.
func chooseDetails(all []sayable, rows int) {
	d := details{all, rows}
	problems := 0
	for problems < len(all) && all[problems].isProblem() {
		problems++
	}
	if len(all) > 0 && !d.raise(0, sentence) {
		d.raise(0, oneLine)
	}
	d.show(problems)
	d.raiseAll(sentence)
	d.show(len(all))
	d.raiseAll(sentence)
	d.raiseAll(withHint)
}

// show gives a line to each of the first n findings, as far as there are rows.
func (d *details) show(n int) {
	for i := range n {
		if d.all[i].shown == hidden && !d.raise(i, oneLine) {
			return
		}
	}
}

// raiseAll raises the shown findings to a detail, as far as there are rows.
func (d *details) raiseAll(to detail) {
	for i := range d.all {
		if s := &d.all[i]; s.shown != hidden && (to < withHint || s.shown == sentence) {
			d.raise(i, to)
		}
	}
}

// raise shows more of a finding if there are rows for it. The number of the hidden ones takes a row.
func (d *details) raise(i int, to detail) bool {
	s := &d.all[i]
	need := s.rows(to) - s.rows(s.shown)
	if last := len(d.all) - 1; i < last && d.all[last].shown == hidden {
		need++
	}
	if s.shown >= to || need > d.rows {
		return s.shown >= to
	}
	d.rows -= s.rows(to) - s.rows(s.shown)
	s.shown = to
	return true
}
