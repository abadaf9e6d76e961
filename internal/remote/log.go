package remote

import (
	"strings"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/text"
)

// The stages that are behind every door.
const (
	StageProbe  reach.Stage = "probe"  // find or copy the probe, start it
	StageDriver reach.Stage = "driver" // the probe's Hello: NVML answers
)

// Log takes the stages of one attempt as they come, and what the node says on the way. It may be used by several goroutines.
type Log struct {
	node string

	mu    sync.Mutex // protects the following
	step  func(reach.Step)
	stage reach.Stage
	began time.Time
	over  bool // no step is handed on any more
	words text.Capture
}

// NewLog makes the Log of an attempt to reach node. It hands each step to step, one at a time.
func NewLog(node string, step func(reach.Step)) *Log {
	return &Log{node: node, step: step, words: text.Capture{Limit: maxHeard}}
}

// maxHeard is how much is kept of what a node says on the way.
const maxHeard = 32 << 10

// Begin enters stage; called again for the same stage, it changes the text.
func (l *Log) Begin(stage reach.Stage, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stage != stage {
		l.stage, l.began = stage, time.Now()
	}
	l.send(reach.Step{Stage: stage, State: reach.StepBegan, Text: text})
}

// Done ends the stage well; text is what was found.
func (l *Log) Done(text string) { l.endStage(reach.StepDone, text) }

// Fail ends the attempt in its current stage. Only the first text counts, and nothing after it: what a Dial left behind may still speak.
func (l *Log) Fail(text string) { l.endStage(reach.StepFailed, text) }

func (l *Log) endStage(state reach.StepState, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.send(reach.Step{Stage: l.stage, State: state, Text: text, Took: time.Since(l.began)})
	l.over = l.over || state == reach.StepFailed
}

// send hands on a step. l.mu is held.
func (l *Log) send(s reach.Step) {
	if !l.over {
		l.step(s)
	}
}

// end ends an attempt that nobody wants any more.
func (l *Log) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
}

// Hear keeps words of the node, for a failure that comes of what they announce.
func (l *Log) Hear(words string) {
	_, _ = l.words.Write([]byte(words + "\n")) // it drops what is too much
}

// Case is what the log knows of a failure that happens now.
func (l *Log) Case() *Case {
	l.mu.Lock()
	defer l.mu.Unlock()
	return &Case{Node: l.node, Stage: l.stage, Took: time.Since(l.began), Words: strings.TrimSpace(l.words.String())}
}
