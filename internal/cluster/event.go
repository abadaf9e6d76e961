package cluster

import (
	"context"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Source is where Events come from. Run emits them until ctx ends, in order, from one goroutine at a time or from several: emit is
// safe for that and does not block for long. It returns nil when ctx ended it, else why it cannot go on.
type Source interface {
	Run(ctx context.Context, emit func(Event)) error
}

// Event is one thing that happened. Exactly one of the pointers is set, or Gone.
type Event struct {
	At   time.Time `json:"at"` // arrival at nvnodetop
	Node string    `json:"node,omitempty"`

	Discovery *Discovery   `json:"discovery,omitempty"` // the discoverer asked and was answered, or not
	Try       *Try         `json:"try,omitempty"`       // a new attempt to reach Node begins
	Step      *Step        `json:"step,omitempty"`      // a stage of the attempt began, was done or failed
	Hello     *wire.Hello  `json:"hello,omitempty"`     // Node's probe said what does not change
	Report    *wire.Report `json:"report,omitempty"`    // one sample of Node
	Down      *Down        `json:"down,omitempty"`      // the attempt failed, or the session ended
	Gone      bool         `json:"gone,omitempty"`      // Node is watched no more
}

// Try begins an attempt to reach a node.
type Try struct {
	Interval time.Duration `json:"interval"` // the pace that will be asked for: between two reports
}

// Down ends an attempt or a session.
type Down struct {
	Failure Failure   `json:"failure"`
	Retry   time.Time `json:"retry,omitzero"` // when the next attempt begins; zero: not by itself
}

// Stage is one stage on the way from a name to a stream of reports, in this order.
type Stage string

// The stages, as the screen names them.
const (
	StageName    Stage = "name"     // resolve the host name
	StageTCP     Stage = "TCP"      // connect
	StageSSH     Stage = "ssh"      // protocol version and key exchange
	StageHostKey Stage = "host key" // is it the host that we know
	StageLogin   Stage = "login"    // authenticate, open a session
	StageProbe   Stage = "probe"    // find or copy the probe, start it
	StageDriver  Stage = "driver"   // the probe's Hello: NVML answers
	StageStream  Stage = "stream"   // the first report
)

// Stages lists all stages in order.
var Stages = []Stage{StageName, StageTCP, StageSSH, StageHostKey, StageLogin, StageProbe, StageDriver, StageStream}

// StepState says how far a stage is.
type StepState string

// States of a stage.
const (
	StepBegan  StepState = "began"
	StepDone   StepState = "done"
	StepFailed StepState = "failed"
)

// Step is one stage of an attempt.
type Step struct {
	Stage Stage         `json:"stage"`
	State StepState     `json:"state"`
	Text  string        `json:"text,omitempty"` // what was found: "gpu-n04 is 10.12.0.14", "trying publickey (key 1 of 3)"
	Took  time.Duration `json:"took,omitzero"`  // of a stage that is done or failed
	At    time.Time     `json:"at,omitzero"`    // when it entered this state; the Store fills it in from the Event
}

// Class is the class of a Failure: what a program decides by.
type Class string

// Classes of failures.
const (
	ClassUnknownHost    Class = "unknown_host"     // the name does not resolve
	ClassRefused        Class = "refused"          // connection refused: no sshd
	ClassNoRoute        Class = "no_route"         // no route to the host, network unreachable
	ClassTimeout        Class = "timeout"          // nothing answers
	ClassFrozen         Class = "frozen"           // TCP connects, sshd says nothing
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
	Stage   Stage    `json:"stage,omitempty"`   // of the attempt; empty when streaming or not of a node
	Summary string   `json:"summary"`           // a few words, in place of data: "login refused (pam_slurm_adopt)"
	Words   string   `json:"words,omitempty"`   // the other side's own words, capped, lines parted by \n
	Meaning string   `json:"meaning,omitempty"` // one or two sentences: what it means
	Hints   []string `json:"hints,omitempty"`   // what a person can do, one sentence each
}

func (f *Failure) Error() string { return f.Summary }
