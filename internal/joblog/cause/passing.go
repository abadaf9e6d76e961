package cause

import "strings"

var (
	// passes matches what a library tries again, or what goes away by itself.
	passes = mustCompile(`(?i)timed? ?out|refused|unreachable|no route|not ready|busy`)
	// retried matches a line in which the program says that it tries again.
	retried = mustCompile(`(?i)\bretrying\b|\btrying again\b|\bwill (?:be )?(?:retry|retried|try again)\b`)
	// aborts matches the end of a process that ended itself, for a reason that it stated before.
	aborts = mustCompile(`\bAborted\b|\bSIGABRT\b|Signal 6\b`)
)

// isPassing reports whether a line warns of something that may pass. If something fails after it but not because of it,
// that is the cause.
func (l *judgedLines) isPassing(i int) bool {
	f := &l.all[i]
	if f.mark.markKind() < doubt {
		return false
	}
	return retried.MatchString(f.words) || f.mark.isWarning() && passes.MatchString(f.words)
}

// isWarning reports whether such a line is a warning of a library that goes on afterwards.
func (m Mark) isWarning() bool { return m != logged && m != bare && m != 0 && marks[m-1].mild }

// isOutcome reports whether a line tells the outcome of a warning: the library's own error, or the end of a process
// that ended itself.
func (l *judgedLines) isOutcome(i int) bool {
	text := l.all[i].text
	return strings.Contains(strings.ToLower(text), "nccl") || aborts.MatchString(text)
}
