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

	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/remote/install"
	"github.com/nvnodetop/nvnodetop/internal/remote/link"
	"github.com/nvnodetop/nvnodetop/internal/text"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Case is a failure in the making: what is known beside the error.
type Case struct {
	Node  string
	Stage reach.Stage   // empty: the session streamed
	Took  time.Duration // in the stage
	Words string        // the node's

	Failure reach.Failure // what has been found out so far; it has a Class once that is known
}

// Settle says what an error means. The first rule that knows the error wins, from what is most particular to what is most general;
// explain is asked after those that have to do with the probe and not with the way to it.
func (c *Case) Settle(err error, explain func(*Case, error)) *reach.Failure {
	if f, ok := errors.AsType[*reach.Failure](err); ok {
		return f // it is one already
	}
	f := &c.Failure
	known := ruleLocal(c, err) || ruleProbe(c, err) || ruleInstall(c, err) || ruleTimeout(c, err)
	explain(c, err)
	if !known && f.Class == "" {
		c.Unknown(err)
	}
	advise(c)
	f.Stage, f.Words = c.Stage, capWords(c.Words)
	for i, h := range f.Hints {
		f.Hints[i] = strings.ReplaceAll(h, "NODE", c.Node)
	}
	return f
}

// Say adds to the node's words, on lines of their own.
func (c *Case) Say(words string) {
	if words = strings.TrimSpace(words); words != "" {
		c.Words = strings.TrimSpace(c.Words + "\n" + words)
	}
}

// Is settles what the failure is.
func (c *Case) Is(class reach.Class, short string) { c.Failure.Class, c.Failure.Short = class, short }

// Unknown settles a failure that nothing is known of but the error.
func (c *Case) Unknown(err error) {
	c.Is(reach.ClassOther, "unexpected error")
	c.Failure.Cause = clip(err.Error(), 60)
	c.Say(err.Error())
}

// After is for how long the stage has gone on, to be put behind what did not happen in it.
func (c *Case) After() string {
	return " after " + strconv.Itoa(int(c.Took.Round(time.Second)/time.Second)) + "s"
}

// LocalError is a fault on this side.
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
	c.Failure.Cause, c.Failure.Hints = clip(l.Err.Error(), max(58-len(l.What), 20)), l.Hints
	return true
}

// ruleInstall knows what keeps the probe from being put somewhere.
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
	switch {
	case strings.Contains(lower, "no space left") || strings.Contains(lower, "quota exceeded"):
		c.Is(reach.ClassNoSpace, "no space for the probe")
	case place.Any(install.NoExec):
		c.Is(reach.ClassNoExec, "probe not executable")
	case place.Any(install.Damaged):
		c.Is(reach.ClassOther, "probe was corrupted in transfer")
	default:
		c.Is(reach.ClassNoSpace, "nowhere to put the probe")
	}
	c.Failure.Hints = append(c.Failure.Hints, "tried: "+place.List())
	return true
}

// ruleProbe knows how a process ends that is, or should have been, a probe.
func ruleProbe(c *Case, err error) bool {
	e, ok := errors.AsType[*link.EndError](err)
	if !ok {
		return false
	}
	c.Say(install.WithoutNeed(e.Stderr))
	c.Say(e.Noise)
	status, exited := e.Status()
	switch {
	case errors.Is(e.Read, wire.ErrLineTooLong), errors.Is(e.Read, wire.ErrListTooLong),
		errors.Is(e.Read, link.ErrUnasked), errors.Is(e.Read, link.ErrWords):
		c.Is(reach.ClassTooMuch, "too much data from the node")
		c.Failure.Cause = tooMuch(e.Read)
	case strings.Contains(e.Stderr, "symbol lookup error"):
		c.Is(reach.ClassOldDriver, "driver too old for the probe")
	case strings.Contains(e.Stderr, "GLIBC_") && strings.Contains(e.Stderr, "not found"), strings.Contains(e.Stderr, "Exec format error"):
		c.Is(reach.ClassPlatform, "probe does not run on this system")
	case e.Signal() != "":
		c.Is(reach.ClassProbeKilled, "probe was killed")
		c.Failure.Detail = "signal " + e.Signal()
	case exited && status == 126:
		c.Is(reach.ClassNoExec, "probe not executable")
	case e.IsEnd() && exited && strings.Contains(c.Words, "This account is currently not available"): // a shell for those who may run nothing
		c.Is(reach.ClassDenied, "account may not run commands")
	case e.IsEnd() && exited && c.Stage == StageProbe && status == 0:
		c.Is(reach.ClassGarbage, "probe did not start")
	case e.IsEnd() && exited:
		c.Is(reach.ClassProbeFailed, "probe exited with status "+strconv.Itoa(status))
	case e.IsEnd(), TimedOut(e.Read):
		return false // the way to it ended, or our patience
	default:
		c.Is(reach.ClassGarbage, "unexpected output instead of the probe's")
		if bad, ok := errors.AsType[*wire.MalformedError](e.Read); ok {
			c.Say(bad.Line)
		} else {
			c.Say(e.Read.Error())
		}
	}
	return true
}

// tooMuch says in a few words of what a node sent too much.
func tooMuch(err error) string {
	switch {
	case errors.Is(err, wire.ErrLineTooLong):
		return "line too long"
	case errors.Is(err, wire.ErrListTooLong):
		return "list too long"
	}
	return err.Error()
}

// TimedOut reports whether err is of a deadline of ours or the kernel's.
func TimedOut(err error) bool {
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, syscall.ETIMEDOUT)
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

// Silent settles that nothing came through any more.
func (c *Case) Silent() {
	c.Is(reach.ClassSilent, "connection lost")
	c.Failure.Cause = "no data received"
}

// Late settles that a stage of the probe took too long. It returns false in the stages of a door.
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

// maxWords is how much of a node's words a Failure carries.
const maxWords = 4 << 10

// capWords cuts words in their middle when they are longer than maxWords: a legal notice of any length may stand before the line
// that counts, and garbage is known by its beginning.
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

// clip is the first line of s, cut to n characters.
func clip(s string, n int) string {
	s = text.FirstLine(s)
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
