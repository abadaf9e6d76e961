package reach

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// Class is the class of a Failure: what a program decides by.
type Class string

// Classes of failures.
const (
	ClassUnknownHost    Class = "unknown_host"     // the name does not resolve
	ClassRefused        Class = "refused"          // connection refused: no sshd
	ClassNoRoute        Class = "no_route"         // no route to the host, network unreachable
	ClassTimeout        Class = "timeout"          // the host does not respond
	ClassFrozen         Class = "frozen"           // TCP connects, sshd says nothing
	ClassLoginHangs     Class = "login_hangs"      // sshd responds, the login does not end
	ClassProbeLate      Class = "probe_late"       // login accepted, but no probe started in time
	ClassDriverHangs    Class = "driver_hangs"     // the probe started, the NVIDIA driver does not respond
	ClassHostKeyChanged Class = "host_key_changed" // the key is another one than the known one
	ClassHostKeyUnknown Class = "host_key_unknown" // no known_hosts file has the host
	ClassAuth           Class = "auth"             // no key of ours is accepted
	ClassAdopt          Class = "adopt"            // pam_slurm_adopt: no running job on the node
	ClassDenied         Class = "denied"           // login accepted, then closed by the node for another reason
	ClassNoSpace        Class = "no_space"         // no room for the probe anywhere
	ClassNoExec         Class = "no_exec"          // the probe may not be executed anywhere
	ClassPlatform       Class = "platform"         // no probe for the node's architecture
	ClassOldDriver      Class = "old_driver"       // the driver's library lacks a symbol that the probe cannot do without
	ClassProbeKilled    Class = "probe_killed"     // the probe was ended by a signal
	ClassProbeFailed    Class = "probe_failed"     // the probe ended with an error of its own
	ClassGarbage        Class = "garbage"          // what came is not the protocol
	ClassTooMuch        Class = "too_much"         // a line longer than the protocol allows
	ClassSilent         Class = "silent"           // the connection stands but nothing comes
	ClassClosed         Class = "closed"           // the connection was closed
	ClassLocal          Class = "local"            // something on this side: ssh configuration, agent, limits
	ClassSlurm          Class = "slurm"            // squeue or scontrol failed
	ClassSlurmTimeout   Class = "slurm_timeout"    // squeue or scontrol did not answer before our deadline
	ClassOther          Class = "other"
)

// Failure is why something did not work, for a program (Class) and for a person (the rest).
type Failure struct {
	Class   Class    `json:"class"`
	Stage   Stage    `json:"stage,omitempty"`   // of the attempt; empty when reporting or not of a node
	Short   string   `json:"short"`             // a few words, in place of data: "login refused"
	Detail  string   `json:"detail,omitempty"`  // what narrows Short down: "pam_slurm_adopt"
	Cause   string   `json:"cause,omitempty"`   // whose fault it is, or what was said to it: "Socket timed out"
	Words   string   `json:"words,omitempty"`   // the other side's own words, capped, lines parted by \n
	Meaning string   `json:"meaning,omitempty"` // one or two sentences: what it means
	Hints   []string `json:"hints,omitempty"`   // what a person can do, one sentence each
}

// Summary is the failure in one line: "login refused (pam_slurm_adopt)", "slurmctld not responding: Socket timed out".
func (f *Failure) Summary() string {
	s := f.Short
	if f.Detail != "" {
		s += " (" + f.Detail + ")"
	}
	if f.Cause != "" {
		s += ": " + f.Cause
	}
	return s
}

func (f *Failure) Error() string { return f.Summary() }

// AsFailure is err as a Failure, nil for nil. An error that is none was not foreseen: it is shown as it is, as one of that class.
func AsFailure(err error, class Class) *Failure {
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[*Failure](err); ok {
		return f
	}
	return &Failure{Class: class, Short: err.Error()}
}

// Recover makes a panic an error: a mistake of ours costs the session that it came up in, not the program. It is to be deferred.
func Recover(err *error) {
	if p := recover(); p != nil {
		*err = Mistake(p)
	}
}

// Mistake is the Failure for what recover returned: an error of ours, which costs the session that it came up in and nothing else.
func Mistake(panicked any) *Failure {
	return &Failure{Class: ClassLocal, Short: "internal error (bug in nvnodetop)", Words: fmt.Sprintf("%v\n%s", panicked, debug.Stack())}
}
