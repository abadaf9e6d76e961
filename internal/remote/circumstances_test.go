package remote

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"github.com/nvnodetop/nvnodetop/internal/remote/install"
	"github.com/nvnodetop/nvnodetop/internal/remote/link"
	"github.com/nvnodetop/nvnodetop/internal/remote/smi"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

func silentDoor(*Case, error) {}

// TestSettle: failures of the probe are known without the door.
func TestSettle(t *testing.T) {
	at := func(s reach.Stage) *Case { return &Case{Node: "n1", Stage: s} }
	refused := func(s install.State, words string) error {
		return &install.NoPlaceError{Refused: []install.Refusal{{Directory: "home", State: install.NoWrite},
			{Directory: "tmp", State: s}}, Words: words}
	}
	exit := func(status int) error {
		return &link.EndError{Read: io.EOF, Exit: link.Exit{Known: true, Status: status},
			Stderr: "nvnodetop-need/1: x\nsome words"}
	}
	limits := func(status int, limit, words string) error {
		return &link.EndError{Read: io.EOF, Exit: link.Exit{Known: true, Status: status},
			Stderr: "nvnodetop-limit:" + limit + "   99 units\n" + words}
	}
	const plenty = "Max open files   1024"
	for _, c := range []struct {
		c       *Case
		err     error
		class   reach.Class
		summary string
		says    string // a part of the words, the meaning or the hints
	}{
		{at(StageProbe), &install.PayloadError{Err: syscall.EMFILE}, reach.ClassLocal,
			"cannot read the probe executable: too many open files", "on this host"},
		{at(StageProbe), &LocalError{What: "a thing", Err: errors.New("broke"), Hints: []string{"mend it"}},
			reach.ClassLocal, "a thing: broke", "mend it"},
		{at(StageProbe), &install.PlatformError{Machine: "Linux sparc64", Have: []string{"Linux ppc64le"}},
			reach.ClassPlatform, "no probe for Linux sparc64", "use a release build"},
		{at(StageProbe), refused(install.NoWrite, "Disk quota exceeded"), reach.ClassNoSpace, "no space for the probe",
			"~/.cache/nvnodetop (not writable), /tmp/nvnodetop- (not w"},
		{at(StageProbe), refused(install.NoExec, ""), reach.ClassNoExec, "probe not executable", "(mounted noexec)"},
		{at(StageProbe), refused(install.Damaged, ":noexec"), reach.ClassOther, "probe was corrupted in transfer",
			"corrupt"},
		{at(StageProbe), refused(install.Taken, ""), reach.ClassNoSpace,
			"nowhere to put the probe (not private to you: /tmp/nvnodetop-)", "ls -ld /tmp/nvnodetop-"},
		{at(StageProbe), exit(0), reach.ClassGarbage, "probe did not start", "some words"},
		{at(""), exit(0), reach.ClassProbeFailed, "probe exited with status 0", "report it"},
		{at(StageProbe), exit(1), reach.ClassProbeFailed, "probe exited with status 1", "what a session there may use"},
		{at(StageDriver), exit(1), reach.ClassProbeFailed, "probe exited with status 1", "report it"},
		{at(StageProbe), limits(2, "Max address space   614400000", "fatal error: failed to reserve page summary memory"),
			reach.ClassLimit,
			"this session may use only 585 MiB of virtual memory (ulimit -v): nvnodetop needs 1.75 GiB", "page summary"},
		{at(StageProbe), limits(134, "Max processes   5", ""), reach.ClassLimit,
			"this session may have only 5 processes and threads (ulimit -u): nvnodetop needs 16", "ulimit -a"},
		{at(StageProbe), limits(137, "cgroup memory 1048576", ""), reach.ClassLimit,
			"this session may use only 1 MiB of memory (cgroup): nvnodetop needs 48 MiB", ""},
		{at(StageProbe), limits(143, "cgroup memory 1048576", ""), reach.ClassProbeKilled,
			"probe was killed (signal TERM)", ""},
		{at(StageProbe), limits(2, plenty, "panic: oh"), reach.ClassProbeFailed, "probe exited with status 2",
			"panic: oh"},
		{at(StageProbe), limits(2, plenty, "runtime/cgo: pthread_create failed: Resource temporarily unavailable"),
			reach.ClassLimit, "a limit has ended the probe: runtime/cgo: pthread_create failed: Resource temporarily " +
				"unavailable", "ulimit -a"},
		{at(""), limits(2, plenty, "panic: oh"), reach.ClassProbeFailed, "probe exited with status 2", "report it"},
		{at(""), limits(2, plenty, "x\nruntime: out of memory: cannot allocate 4194304-byte block\ny"), reach.ClassLimit,
			"a limit has ended the probe: runtime: out of memory: cannot allocate 4194304-byte block", ""},
		{at(""), limits(152, plenty, ""), reach.ClassLimit, "a limit has ended the probe: CPU time limit exceeded", ""},
		{at(StageProbe), &install.NoPlaceError{Refused: []install.Refusal{{Directory: "tmp", State: install.NoWrite}},
			Limits: "Max file size   512 512 bytes\n", Size: 5 << 20}, reach.ClassLimit,
			"this session may write only files of 512 bytes (ulimit -f): nvnodetop needs 5 MiB", "tried: "},
		{at(""), exit(126), reach.ClassNoExec, "probe not executable", ""},
		{at(""), exit(wire.ExitOutdated), reach.ClassReplaced, "driver replaced, restarting the probe",
			"no action needed"},
		{at(""), exit(137), reach.ClassProbeKilled, "probe was killed (signal KILL)", "memory ran out"},
		{at(""), &link.EndError{Read: wire.ErrLineTooLong}, reach.ClassTooMuch,
			"too much data from the node: line too long", "than a probe ever would"},
		{at(""), &link.EndError{Read: &wire.MalformedError{Line: "{", Cause: wire.ErrListTooLong}}, reach.ClassTooMuch,
			"too much data from the node: list too long", ""},
		{at(""), &link.EndError{Read: link.ErrUnasked}, reach.ClassTooMuch,
			"too much data from the node: more answers than requests", ""},
		{at(""), &link.EndError{Read: link.ErrWords}, reach.ClassTooMuch,
			"too much data from the node: too much output on standard error", ""},
		{at(""), link.ErrSilent, reach.ClassSilent, "connection lost: no data received", ""},
		{at(StageDriver), fmt.Errorf("waiting: %w", syscall.ETIMEDOUT), reach.ClassDriverHangs,
			"driver not responding after 0s", "fallen off the bus"},
		{at(StageProbe), fmt.Errorf("waiting: %w", syscall.ETIMEDOUT), reach.ClassProbeLate,
			"probe not started after 0s", "overloaded"},
		{at(""), errors.New("the moon fell"), reach.ClassOther, "unexpected error: the moon fell",
			"does not recognize"},
	} {
		t.Run(c.summary, func(t *testing.T) {
			f := c.c.Settle(c.err, silentDoor)
			all := f.Words + f.Meaning + strings.Join(f.Hints, "|")
			if f.Class != c.class || f.Summary() != c.summary || f.Stage != c.c.Stage || f.Meaning == "" {
				t.Errorf("got %+v, want %s %q", f, c.class, c.summary)
			}
			if !strings.Contains(all, c.says) || strings.Contains(all, "NODE") || strings.Contains(all, "need/1") ||
				strings.Contains(all, "nvnodetop-limit") {
				t.Errorf("%q is not said in %q", c.says, all)
			}
		})
	}
}

// The first hint is an action: a row with room for one hint shows it.
func TestTheFirstHintSaysWhatToDo(t *testing.T) {
	for state, want := range map[install.State]string{install.NoWrite: "free some space",
		install.NoExec: "ask your admins"} {
		err := &install.NoPlaceError{Refused: []install.Refusal{{Directory: "tmp", State: state}}}
		f := (&Case{Node: "n1", Stage: StageProbe}).Settle(err, silentDoor)
		if len(f.Hints) != 2 || !strings.HasPrefix(f.Hints[0], want) || !strings.HasPrefix(f.Hints[1], "tried: ") {
			t.Errorf("%s: hints %q, want %q first", state, f.Hints, want)
		}
	}
}

func TestAFailureStaysAsItIs(t *testing.T) {
	f := &reach.Failure{Class: reach.ClassAdopt}
	if got := (&Case{}).Settle(fmt.Errorf("open: %w", f), silentDoor); got != f {
		t.Errorf("got %+v", got)
	}
}

func TestWordsAreCapped(t *testing.T) {
	for _, words := range []string{strings.Repeat("w", maxHeard), strings.Repeat("é", maxHeard/2),
		"a" + strings.Repeat("é", maxHeard/2)} {
		f := (&Case{Words: words}).Settle(errors.New(strings.Repeat("e", 999)), silentDoor)
		if n := len(f.Words); n > maxWords || n < maxWords-3 || !utf8.ValidString(f.Words) || len(f.Summary()) > 100 {
			t.Errorf("%d bytes of words, %d of summary", n, len(f.Summary()))
		}
	}
}

// TestLog: nothing is reported after a failure.
func TestLog(t *testing.T) {
	var told []string
	l := NewLog("n", func(s reach.Step) { told = append(told, string(s.State)+" "+s.Text) })
	l.Begin("a", "1")
	l.Begin("a", "2")
	l.Done("3")
	l.Hear(strings.Repeat("x", maxHeard))
	l.Hear("y")
	l.Begin("b", "4")
	l.Fail("5")
	l.Fail("6")
	l.Begin("c", "7")
	l.Done("8")
	if got := strings.Join(told, ","); got != "began 1,began 2,done 3,began 4,failed 5" {
		t.Errorf("told %s", got)
	}
	if c := l.Case(); c.Node != "n" || len(c.Words) != maxHeard {
		t.Errorf("case of %s with %d bytes of words", c.Node, len(c.Words))
	}
}

// TestAFailureIsShort: each text is one short line, whatever a host has written into it.
func TestAFailureIsShort(t *testing.T) {
	long := strings.Repeat("long ", 50_000) + "\nmore"
	c := &Case{Node: "n"}
	f := c.Settle(errors.New("x"), func(c *Case, _ error) {
		c.Is(reach.ClassOther, long)
		c.Failure.Detail, c.Failure.Cause, c.Failure.Meaning, c.Failure.Hints = long, long, long, []string{long}
	})
	for _, text := range []string{f.Short, f.Detail, f.Cause, f.Meaning, f.Hints[0]} {
		if len(text) > 2<<10 || strings.Contains(text, "\n") {
			t.Errorf("%d bytes: %.40q", len(text), text)
		}
	}
}

// An nvidia-smi that ended by itself was not killed by anybody, and its words are the reason.
func TestStandInEnds(t *testing.T) {
	c := &Case{Node: "n1"}
	err := &link.EndError{Read: &smi.UnusableError{Words: "NVIDIA-SMI has failed"}, Exit: link.Exit{Known: true, Signal: "KILL"},
		Stderr: "NVIDIA-SMI has failed"}
	f := c.Settle(err, func(*Case, error) {})
	if f.Class != reach.ClassClosed || f.Summary() != "nvidia-smi ended: NVIDIA-SMI has failed" ||
		!strings.Contains(f.Words, "NVIDIA-SMI has failed") || !strings.Contains(strings.Join(f.Hints, " "), "nvidia-smi on n1") {
		t.Errorf("%+v", f)
	}
}
