// Package cause finds out why a job failed, from the end of its log. It marks the lines that matter, and separates the
// first cause from what follows from it. It is pure.
//
// When a process of a job fails, the others fail after it: they lose their connections, a watchdog ends them, launchers
// report exit codes. So what counts is the first line that is a cause, after the last point at which the program did
// its work: an exception that the program handled is no cause.
package cause

import (
	"regexp"
	"strings"
)

// Most is the part of a log that is searched for the cause, in bytes before its end.
const Most = 64 << 10

// Cause is why a job failed.
type Cause struct {
	At   int    // the line that says it
	Text string // a sentence: "rank 3: ValueError: bad batch (train.py:20)"
	Mark Mark
}

// First returns the first cause in the last lines of a log; false: there is none.
func First(lines []string) (c Cause, is bool) {
	l := findMarks(lines)
	at := l.firstCause()
	if at < 0 {
		return Cause{}, false
	}
	return Cause{At: at, Text: l.sentenceOf(at), Mark: l.all[at].mark}, true
}

// judgedLines are the lines of a log, and what was found in them.
type judgedLines struct {
	lines []string
	all   []markedLine
}

func findMarks(lines []string) *judgedLines {
	l := &judgedLines{lines: lines, all: make([]markedLine, len(lines))}
	var m Marker
	for i, line := range lines {
		l.all[i] = m.markLine(line)
	}
	return l
}

// Evidence that the program has gone on after a mark: lines like those that it wrote before, or many lines that are
// alike. If the program's output is buffered and its errors are not, it may have written up to buffered bytes earlier
// than they appear in the log.
const (
	asBefore = 3
	alike    = 5
	buffered = 8 << 10
)

// firstCause returns the place of the first cause; negative: there is none.
func (l *judgedLines) firstCause() int {
	runs := l.cutRuns()
	for i := len(runs) - 1; i >= 0; i-- {
		at := l.pickCause(runs[i].marks)
		if at >= 0 && l.all[at].mark.markKind() >= doubt {
			return at
		}
		if i > 0 && runs[i].handled {
			return at
		}
		if i == 0 || l.causeOfLast(runs[:i]) < 0 {
			return at
		}
	}
	return -1
}

// causeOfLast returns the place of the cause in the last of some runs.
func (l *judgedLines) causeOfLast(runs []idleSection) int {
	for i := len(runs) - 1; i >= 0; i-- {
		if at := l.pickCause(runs[i].marks); at >= 0 && l.all[at].mark.markKind() >= doubt {
			return at
		}
		if runs[i].handled {
			break
		}
	}
	return -1
}

// idleSection is a part of a log in which the program does not do its work.
type idleSection struct {
	marks   []int // places of the lines with marks
	handled bool  // the program handled what was marked before: it has gone on
}

// cutRuns cuts a log where the program did its work. The last run may be empty: then the program worked up to the end.
func (l *judgedLines) cutRuns() (runs []idleSection) {
	runs = []idleSection{{}}
	before, since := map[string]*shapeCount{}, map[string]*shapeCount{}
	for i := range l.all {
		f := &l.all[i]
		if f.mark == 0 {
			if shape := shapeOf(f); shape != "" {
				noteShape(since, shape, len(l.lines[i]))
			}
			continue
		}
		runs = cutRun(runs, before, since)
		runs[len(runs)-1].marks = append(runs[len(runs)-1].marks, i)
		for shape, s := range since {
			noteShape(before, shape, s.bytes)
			before[shape].n += s.n - 1
		}
		clear(since)
	}
	return cutRun(runs, before, since)
}

// cutRun begins a new run, if the program has done its work since the last mark.
func cutRun(runs []idleSection, before, since map[string]*shapeCount) []idleSection {
	goesOn, handled := hasGoneOn(before, since)
	if len(runs[len(runs)-1].marks) == 0 || !goesOn {
		return runs
	}
	return append(runs, idleSection{handled: handled})
}

// shapeCount counts the lines of a shape.
type shapeCount struct{ n, bytes int }

func noteShape(of map[string]*shapeCount, shape string, bytes int) {
	s := of[shape]
	if s == nil {
		s = &shapeCount{}
		of[shape] = s
	}
	s.n++
	s.bytes += bytes
}

// hasGoneOn reports whether the lines since a mark show that the program has gone on, and whether they were surely
// written after it.
func hasGoneOn(before, since map[string]*shapeCount) (goesOn, surely bool) {
	known, flushed := 0, true
	for shape, s := range since {
		if b := before[shape]; b != nil && b.n >= 2 {
			known += s.n
			flushed = flushed && b.bytes >= buffered && s.bytes <= buffered
		}
		goesOn = goesOn || s.n >= alike
	}
	return goesOn || known >= asBefore, known >= asBefore && !flushed
}

var (
	numbers  = regexp.MustCompile(`[-+]?[0-9][0-9.,:]*(?:e[-+]?[0-9]+)?`)
	teardown = []string{"kill", "terminat", "signal", "abort", "exit", "clos", "shut", "wandb", "sync", "clean"}
)

// shapeOf returns a line without its numbers, or "" if the line is not from a program at work.
func shapeOf(f *markedLine) string {
	const much = 64
	if f.body || strings.HasPrefix(f.words, "  ") || strings.TrimSpace(f.words) == "" || f.level == 'E' ||
		f.level == 'F' || hasAny(strings.ToLower(f.words), teardown) {
		return ""
	}
	shape := numbers.ReplaceAllString(f.words[:min(len(f.words), 2*much)], "#")
	return shape[:min(len(shape), much)]
}

// pickCause returns the place of the cause among the marks of a run; negative: there is none.
func (l *judgedLines) pickCause(marks []int) int {
	best := -1
	for _, i := range marks {
		if best < 0 || l.rankMark(i) > l.rankMark(best) {
			best = i
		}
	}
	if best < 0 {
		return best
	}
	if warned := l.firstWarning(marks, best); warned >= 0 {
		return warned
	}
	if !killed.MatchString(l.all[best].text) {
		return best
	}
	for _, i := range marks { // the reason why it was killed
		if l.all[i].mark.Name() == hostMemory {
			return i
		}
	}
	return best
}

// firstWarning returns the first warning before a line that tells its outcome; negative: there is none.
func (l *judgedLines) firstWarning(marks []int, at int) int {
	if l.isPassing(at) || !l.isOutcome(at) {
		return -1
	}
	for _, i := range marks {
		if i < at && l.isPassing(i) && l.all[i].mark.isWarning() {
			return i
		}
	}
	return -1
}

// rankMark returns what a mark is worth. All marks that say how something failed are worth the same, and more than
// something that may pass.
func (l *judgedLines) rankMark(i int) causeWorth {
	if l.isPassing(i) {
		return doubt
	}
	return min(l.all[i].mark.markKind(), death)
}

// killed is a process that was killed, without saying by whom.
var killed = regexp.MustCompile(`^\S*: line \d+: +\d+ Killed|^Killed$`)
