package remote

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/remote/install"
	"github.com/nvnodetop/nvnodetop/internal/remote/link"
	"github.com/nvnodetop/nvnodetop/internal/remote/smi"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// Case collects the circumstances of an error until it is classified.
type Case struct {
	Node  string
	Stage reach.Stage   // empty: the session was reporting
	Took  time.Duration // time spent in the stage
	Words string        // the node's output

	Failure reach.Failure // the result so far; Class is set once it is known
}

// Settle classifies an error. The rules run from the most specific to the most general, and the first rule that
// recognizes the error decides. The rules about the probe come first, then explain, which knows about the connection.
func (c *Case) Settle(err error, explain func(*Case, error)) *reach.Failure {
	if f, ok := errors.AsType[*reach.Failure](err); ok {
		return f // already classified
	}
	f := &c.Failure
	known := ruleLocal(c, err) || ruleStandIn(c, err) || ruleProbe(c, err) || ruleInstall(c, err) || ruleTimeout(c, err)
	explain(c, err)
	if !known && f.Class == "" {
		c.Unknown(err)
	}
	addAdvice(c)
	f.Stage, f.Words = c.Stage, capWords(c.Words)
	f.Short, f.Detail, f.Cause, f.Meaning = clipLine(f.Short, maxText), clipLine(f.Detail, maxText),
		clipLine(f.Cause, maxText),
		clipLine(f.Meaning, maxAdvice)
	for i, h := range f.Hints {
		f.Hints[i] = clipLine(strings.ReplaceAll(h, "NODE", c.Node), maxAdvice)
	}
	return f
}

// Limits on the texts of a Failure, in characters. A host controls some of these texts.
const maxText, maxAdvice = 120, 1000

// Say adds lines to the node's output.
func (c *Case) Say(words string) {
	if words = strings.TrimSpace(words); words != "" {
		c.Words = strings.TrimSpace(c.Words + "\n" + words)
	}
}

// Is sets the class and the short description.
func (c *Case) Is(class reach.Class, short string) { c.Failure.Class, c.Failure.Short = class, short }

// Unknown classifies an error that no rule knows.
func (c *Case) Unknown(err error) {
	c.Is(reach.ClassOther, "unexpected error")
	c.Failure.Cause = clipLine(err.Error(), 60)
	c.Say(err.Error())
}

// After returns the time spent in the stage, as " after 5s".
func (c *Case) After() string {
	return " after " + strconv.Itoa(int(c.Took.Round(time.Second)/time.Second)) + "s"
}

// LocalError is a problem on this host.
type LocalError struct {
	What  string
	Err   error
	Hints []string
}

func (e *LocalError) Error() string { return e.What + ": " + e.Err.Error() }
func (e *LocalError) Unwrap() error { return e.Err }

func ruleLocal(c *Case, err error) bool {
	if p, ok := errors.AsType[*install.PayloadError](err); ok {
		err = &LocalError{What: "cannot read the probe executable", Err: p.Err}
	}
	l, ok := errors.AsType[*LocalError](err)
	if !ok {
		return false
	}
	c.Say(l.Error())
	c.Is(reach.ClassLocal, l.What)
	c.Failure.Cause, c.Failure.Hints = clipLine(l.Err.Error(), max(58-len(l.What), 20)), l.Hints
	return true
}

// ruleInstall handles failures to install the probe.
func ruleInstall(c *Case, err error) bool {
	if p, ok := errors.AsType[*install.PlatformError](err); ok {
		c.Say(p.Error())
		c.Is(reach.ClassPlatform, "no probe for "+p.Machine)
		return true
	}
	place, ok := errors.AsType[*install.NoPlaceError](err)
	if !ok {
		return false
	}
	c.Say(place.Words)
	lower := strings.ToLower(place.Words)
	short := crash.ProbeShortage(place.Limits, uint64(max(place.Size, 0)))
	switch {
	case short != nil && place.Any(install.NoWrite):
		classifyLimit(c, short)
	case strings.Contains(lower, "no space left") || strings.Contains(lower, "quota exceeded"):
		c.Is(reach.ClassNoSpace, "no space for the probe")
	case place.Any(install.NoExec):
		c.Is(reach.ClassNoExec, "probe not executable")
	case place.Any(install.Damaged):
		c.Is(reach.ClassOther, "probe was corrupted in transfer")
	default:
		c.Is(reach.ClassNoSpace, "nowhere to put the probe")
		if taken := place.Taken(); taken != "" {
			c.Failure.Detail = "not private to you: " + taken
			c.Failure.Hints = append(c.Failure.Hints, "see whose they are, and have them removed: ls -ld "+
				strings.ReplaceAll(taken, ",", ""))
		}
	}
	c.Failure.Hints = append(c.Failure.Hints, "tried: "+place.List())
	return true
}

// ruleProbe handles the end of a process that is a probe, or should have become one.
func ruleProbe(c *Case, err error) bool {
	e, ok := errors.AsType[*link.EndError](err)
	if !ok {
		return false
	}
	c.Say(install.WithoutMarks(e.Stderr))
	c.Say(e.Noise)
	status, exited := e.Status()
	switch {
	case errors.Is(e.Read, wire.ErrLineTooLong), errors.Is(e.Read, wire.ErrListTooLong),
		errors.Is(e.Read, link.ErrUnasked), errors.Is(e.Read, link.ErrWords):
		c.Is(reach.ClassTooMuch, "too much data from the node")
		c.Failure.Cause = tooMuch(e.Read)
	case doesNotFit(e):
		c.Is(reach.ClassPlatform, "probe does not run on this system")
	case ruleLimits(c, e):
	case e.Signal() != "":
		c.Is(reach.ClassProbeKilled, "probe was killed")
		c.Failure.Detail = "signal " + e.Signal()
	case exited && status == wire.ExitOutdated:
		c.Is(reach.ClassReplaced, "driver replaced, restarting the probe")
	case exited && status == 126:
		c.Is(reach.ClassNoExec, "probe not executable")
	// nologin prints this
	case e.IsEnd() && exited && strings.Contains(c.Words, "This account is currently not available"):
		c.Is(reach.ClassDenied, "account not allowed to run commands")
	case e.IsEnd() && exited && c.Stage == StageProbe && !install.HasBegun(e.Stderr):
		return false // the node did not run our script
	case e.IsEnd() && exited && c.Stage == StageProbe && status == 0:
		c.Is(reach.ClassGarbage, "probe did not start")
	case e.IsEnd() && exited:
		c.Is(reach.ClassProbeFailed, "probe exited with status "+strconv.Itoa(status))
	case e.IsEnd(), TimedOut(e.Read):
		return false // the connection ended, or a deadline passed
	default:
		c.Is(reach.ClassGarbage, "unexpected output in place of the probe's")
		if bad, ok := errors.AsType[*wire.MalformedError](e.Read); ok {
			c.Say(bad.Line)
		} else {
			c.Say(e.Read.Error())
		}
	}
	return true
}

// ruleStandIn handles the end of an nvidia-smi that runs in place of a probe.
func ruleStandIn(c *Case, err error) bool {
	e, ok := errors.AsType[*smi.UnusableError](err)
	if !ok {
		return false
	}
	c.Say(e.Words)
	c.Is(reach.ClassClosed, "nvidia-smi ended")
	c.Failure.Cause = e.Words
	c.Failure.Meaning = "nvidia-smi, which is read in place of a probe there, ended by itself. Its error message is above."
	c.Failure.Hints = []string{"run nvidia-smi on NODE; if it fails too, report it to your admins"}
	return true
}

// doesNotFit reports whether the node's system refused to run the program.
func doesNotFit(e *link.EndError) bool {
	return strings.Contains(e.Stderr, "GLIBC_") && strings.Contains(e.Stderr, "not found") ||
		strings.Contains(e.Stderr, "symbol lookup error") || strings.Contains(e.Stderr, "Exec format error")
}

// cannotRun reports whether no probe of this build can run on the node.
func cannotRun(err error) bool {
	if e, ok := errors.AsType[*link.EndError](err); ok {
		status, _ := e.Status()
		return doesNotFit(e) || status == 126
	}
	_, platform := errors.AsType[*install.PlatformError](err)
	_, nowhere := errors.AsType[*install.NoPlaceError](err)
	return platform || nowhere
}

// tooMuch names the limit that a node exceeded.
func tooMuch(err error) string {
	switch {
	case errors.Is(err, wire.ErrLineTooLong):
		return "line too long"
	case errors.Is(err, wire.ErrListTooLong):
		return "list too long"
	}
	return err.Error()
}

// TimedOut reports whether err comes from a deadline, ours or the kernel's.
func TimedOut(err error) bool {
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, syscall.ETIMEDOUT)
}

func ruleTimeout(c *Case, err error) bool {
	switch {
	case errors.Is(err, link.ErrSilent):
		c.Silent()
	case !TimedOut(err):
		return false
	default:
		return c.Late()
	}
	return true
}

// Silent classifies a connection that went silent.
func (c *Case) Silent() {
	c.Is(reach.ClassSilent, "connection lost")
	c.Failure.Cause = "no data received"
}

// Late classifies a stage of the probe that took too long. It returns false in the stages of a door.
func (c *Case) Late() bool {
	switch c.Stage {
	case StageProbe:
		c.Is(reach.ClassProbeLate, "probe not started"+c.After())
	case StageDriver:
		c.Is(reach.ClassDriverHangs, "driver not responding"+c.After())
	default:
		return false
	}
	return true
}

// maxWords limits the node's output in a Failure.
const maxWords = 4 << 10

// capWords shortens words to maxWords. It cuts out the middle: the line that matters may follow a long legal notice,
// and garbage is recognized by its beginning.
func capWords(words string) string {
	if len(words) <= maxWords {
		return words
	}
	const head, gap = maxWords / 4, "\n…\n"
	rest := words[len(words)-(maxWords-head-len(gap)):]
	for rest != "" && !utf8.RuneStart(rest[0]) {
		rest = rest[1:]
	}
	return text.Cut(words, head) + gap + rest
}

// clipLine returns the first line of s, cut to n characters.
func clipLine(s string, n int) string {
	s = text.FirstLine(s)
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
