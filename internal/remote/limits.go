package remote

import (
	"cmp"
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/remote/install"
	"github.com/nvnodetop/nvnodetop/internal/remote/link"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// exhausted matches the line with which a program or a shell says that the system refused memory, a thread or a file:
// the messages of Go's runtime and of shells, and those of the errors ENOMEM, EAGAIN, EMFILE and EFBIG.
var exhausted = regexp.MustCompile(`(?im)^.*(out of memory|failed to reserve .*memory|cannot allocate|` +
	`can't allocate|thread_create failed|failed to create new os thread|can(no|')t fork|` +
	`resource temporarily unavailable|too many open files|(epollcreate|eventfd|pipe) failed with 2[34]|` +
	`(file size|cpu|cpu time) limit exceeded|file too large).*$`)

// signalsOfLimits are the signals that the kernel sends at a limit.
var signalsOfLimits = map[string]string{"XCPU": "CPU time limit exceeded", "XFSZ": "file size limit exceeded"}

// ruleLimits handles the end of a program that needs more than a limit of the site permits.
func ruleLimits(c *Case, e *link.EndError) bool {
	status, exited := e.Status()
	switch signal := e.Signal(); {
	case !e.IsEnd(), signal == "" && (!exited || status == 0), signal == "TERM", signal == "HUP", status == 126:
		return false
	}
	if c.Stage == StageProbe {
		if short := crash.ProbeShortage(install.SessionLimits(e.Stderr), 0); short != nil {
			classifyLimit(c, short)
			return true
		}
	}
	line := cmp.Or(exhausted.FindString(install.WithoutMarks(e.Stderr)), signalsOfLimits[e.Signal()])
	if line == "" {
		return false
	}
	c.Is(reach.ClassLimit, "a limit has ended the probe")
	c.Failure.Cause = strings.TrimSpace(line)
	return true
}

// classifyLimit classifies a probe that does not run because of a limit.
func classifyLimit(c *Case, short *crash.Shortage) {
	c.Is(reach.ClassLimit, "this session may "+short.May)
	c.Failure.Cause = "nvnodetop needs " + short.Needs
}

// NotBegun classifies the end of a shell that did not begin our script. It returns false if err is not such an end, or
// the shell's exit status is not known.
func (c *Case) NotBegun(err error) bool {
	e, ok := errors.AsType[*link.EndError](err)
	if !ok {
		return false
	}
	status, exited := e.Status()
	if !exited || !e.IsEnd() {
		return false
	}
	if status == 0 {
		c.Is(reach.ClassGarbage, "probe did not start")
		return true
	}
	c.Is(reach.ClassProbeFailed, "probe did not start")
	c.Failure.Detail = "status " + strconv.Itoa(status)
	return true
}
