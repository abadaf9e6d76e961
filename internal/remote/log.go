package remote

import (
	"strings"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// Stages after those of the door.
const (
	StageProbe  reach.Stage = "probe"  // find or copy the probe, start it
	StageDriver reach.Stage = "driver" // wait for the probe's Hello: NVML responds
)

// Log records the stages of one attempt and the node's output. It may be used by several goroutines.
type Log struct {
	node string

	mu    sync.Mutex // protects the following
	step  func(reach.Step)
	stage reach.Stage
	began time.Time
	over  bool // no more steps are passed on
	words text.Capture
}

// NewLog returns the Log of an attempt to reach node. It calls step for each step, one at a time.
func NewLog(node string, step func(reach.Step)) *Log {
	return &Log{node: node, step: step, words: text.Capture{Limit: maxHeard}}
}

// maxHeard limits the node's output that is kept.
const maxHeard = 32 << 10

// Begin enters a stage. Called again for the same stage, it changes the text.
func (l *Log) Begin(stage reach.Stage, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stage != stage {
		l.stage, l.began = stage, time.Now()
	}
	l.passStep(reach.Step{Stage: stage, State: reach.StepBegan, Text: text})
}

// Done ends the stage with success. text is the result.
func (l *Log) Done(text string) { l.endStage(reach.StepDone, text) }

// Fail ends the attempt in its current stage. Later reports are ignored: goroutines that a Dial left behind may still
// report.
func (l *Log) Fail(text string) { l.endStage(reach.StepFailed, text) }

func (l *Log) endStage(state reach.StepState, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.passStep(reach.Step{Stage: l.stage, State: state, Text: text, Took: time.Since(l.began)})
	l.over = l.over || state == reach.StepFailed
}

// passStep passes on a step. l.mu is held.
func (l *Log) passStep(s reach.Step) {
	if !l.over {
		l.step(s)
	}
}

// dropAttempt ends an attempt that is no longer wanted.
func (l *Log) dropAttempt() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
}

// Hear keeps output of the node, which may explain why the attempt fails.
func (l *Log) Hear(words string) {
	_, _ = l.words.Write([]byte(words + "\n")) // when it is full, the rest is dropped
}

// Case returns the circumstances of a failure that happens now.
func (l *Log) Case() *Case {
	l.mu.Lock()
	defer l.mu.Unlock()
	return &Case{Node: l.node, Stage: l.stage, Took: time.Since(l.began), Words: strings.TrimSpace(l.words.String())}
}
