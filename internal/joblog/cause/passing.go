package cause

import "strings"

var (
	// passes is what a library tries again, or what ends by itself.
	passes = mustCompile(`(?i)timed? ?out|refused|unreachable|no route|not ready|busy`)
	// retried is a line whose program says that it tries again.
	retried = mustCompile(`(?i)\bretrying\b|\btrying again\b|\bwill (?:be )?(?:retry|retried|try again)\b`)
	// aborts is the end of a process that has ended itself, for a reason that it has said before.
	aborts = mustCompile(`\bAborted\b|\bSIGABRT\b|Signal 6\b`)
)

// isPassing reports whether a line warns of something that may pass: what fails after it, and not of it, is the cause.
func (l *looked) isPassing(i int) bool {
	f := &l.all[i]
	if f.mark.markKind() < doubt {
		return false
	}
	return retried.MatchString(f.words) || f.mark.isWarning() && passes.MatchString(f.words)
}

// isWarning reports whether such a line is a warning of a library, which goes on after it.
func (m Mark) isWarning() bool { return m != logged && m != bare && m != 0 && marks[m-1].mild }

// isOutcome reports whether a line tells what has come of a warning: the library's own error, or the end of a process
// that has ended itself.
func (l *looked) isOutcome(i int) bool {
	text := l.all[i].text
	return strings.Contains(strings.ToLower(text), "nccl") || aborts.MatchString(text)
}
