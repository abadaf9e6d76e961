package reach

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// Class is the class of a Failure, for programs to act on.
type Class string

// Classes of failures.
const (
	ClassUnknownHost    Class = "unknown_host"     // the name does not resolve
	ClassRefused        Class = "refused"          // connection refused: no sshd
	ClassNoRoute        Class = "no_route"         // no route to the host, network unreachable
	ClassTimeout        Class = "timeout"          // the host does not respond
	ClassFrozen         Class = "frozen"           // TCP connects, sshd does not respond
	ClassLoginHangs     Class = "login_hangs"      // sshd responds, the login hangs
	ClassProbeLate      Class = "probe_late"       // login accepted, no probe started in time
	ClassDriverHangs    Class = "driver_hangs"     // the probe started, the NVIDIA driver does not respond
	ClassHostKeyChanged Class = "host_key_changed" // the host's key is not the known one
	ClassHostKeyUnknown Class = "host_key_unknown" // the host is in no known_hosts file
	ClassAuth           Class = "auth"             // none of our keys is accepted
	ClassAdopt          Class = "adopt"            // pam_slurm_adopt: no running job on the node
	ClassDenied         Class = "denied"           // login accepted, then closed by the node for another reason
	ClassNoSpace        Class = "no_space"         // nowhere to put the probe
	ClassNoExec         Class = "no_exec"          // nowhere to execute the probe
	ClassLimit          Class = "limit"            // a resource limit of the site keeps the probe from running
	ClassPlatform       Class = "platform"         // no probe for the node's platform
	ClassReplaced       Class = "driver_replaced"  // the driver was replaced while the probe ran
	ClassProbeKilled    Class = "probe_killed"     // a signal ended the probe
	ClassProbeFailed    Class = "probe_failed"     // the probe exited with an error
	ClassGarbage        Class = "garbage"          // the output is not the protocol
	ClassTooMuch        Class = "too_much"         // more than the protocol allows
	ClassSilent         Class = "silent"           // nothing received: the connection is dead, or the probe hangs
	ClassClosed         Class = "closed"           // the connection was closed
	ClassNoDoor         Class = "no_transport"     // the transport does not apply to the node
	ClassLocal          Class = "local"            // a problem on this host: ssh configuration, agent, limits
	ClassNotWatched     Class = "not_watched"      // more nodes than this program may watch
	ClassSlurm          Class = "slurm"            // squeue or scontrol failed
	ClassSlurmTimeout   Class = "slurm_timeout"    // squeue or scontrol timed out
	ClassOther          Class = "other"
)

// Failure says why something did not work, to programs (Class) and users (the rest).
type Failure struct {
	Class   Class    `json:"class"`
	Stage   Stage    `json:"stage,omitempty"`   // stage of the attempt; empty when reporting, or not about a node
	Short   string   `json:"short"`             // a few words, shown in place of data: "login refused"
	Detail  string   `json:"detail,omitempty"`  // more specific than Short: "pam_slurm_adopt"
	Cause   string   `json:"cause,omitempty"`   // the known cause: "Socket timed out"
	Words   string   `json:"words,omitempty"`   // the other side's own output, capped, lines separated by \n
	Meaning string   `json:"meaning,omitempty"` // one or two sentences: what it means
	Hints   []string `json:"hints,omitempty"`   // what to try, imperative, without a full stop

	Doors []Tried `json:"transports,omitempty"` // doors tried or passed over so far, in order, if there was a choice
	Next  bool    `json:"next,omitempty"`       // an attempt through another door follows at once
}

// ErrNoReply is in the error of a request that was sent, or may have been: nobody knows whether it arrived.
var ErrNoReply = errors.New("no reply")

// Tried is what one of several doors to a node answered, or why it was passed over.
type Tried struct {
	Door    string `json:"transport"`
	Class   Class  `json:"class"` // ClassNoDoor: it was passed over
	Summary string `json:"summary"`
	Hint    string `json:"hint,omitempty"` // what to try first
}

// Summary returns the failure in one line: "login refused (pam_slurm_adopt)", "slurmctld not responding: Socket timed
// out".
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

// AsFailure returns err as a Failure; nil for nil. An unexpected error that is not a Failure is shown unchanged, with
// that class.
func AsFailure(err error, class Class) *Failure {
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[*Failure](err); ok {
		return f
	}
	return &Failure{Class: class, Short: err.Error()}
}

// Recover, deferred, turns a panic into an error: a bug costs the session in which it occurs, not the program.
func Recover(err *error) {
	if p := recover(); p != nil {
		*err = Mistake(p)
	}
}

// Mistake returns the Failure for the result of recover.
func Mistake(panicked any) *Failure {
	return &Failure{Class: ClassLocal, Short: "internal error (bug in nvnodetop)",
		Words: fmt.Sprintf("%v\n%s", panicked, debug.Stack())}
}
