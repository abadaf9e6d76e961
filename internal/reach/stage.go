package reach

import "time"

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
