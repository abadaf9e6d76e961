package smi

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// lookEvery is the time between two looks for lost GPUs, each of which starts a new nvidia-smi. Tests shorten it.
var lookEvery = 10 * time.Second

// tickEvery is how often to check what is due without a line from the node.
const tickEvery = time.Second

// failureWatch keeps track of what nvidia-smi does not say by itself: that GPUs are lost, and why it ended.
type failureWatch struct {
	timer *time.Timer
	armed bool // the timer runs

	stopped string // why no loop runs: nvidia-smi fails for all GPUs
	again   bool   // the loop has to be started again
	had     bool   // the loop had rows
	said    string // the last line that is not a row
	blamed  string // the last such line about a GPU that has no row in its round

	strange bool // there was a row of an unknown GPU
	looked  time.Time
}

// startTimer starts the timer if anything is due without a line from the node. every is the interval of the loop.
func (w *failureWatch) startTimer(isAnyLost bool, every time.Duration) {
	if w.armed || !w.strange && !w.again && w.stopped == "" && !isAnyLost {
		return
	}
	if w.stopped == "" || every == 0 {
		every = min(tickEvery, max(every, tickEvery/4))
	}
	w.armed = true
	w.timer.Reset(every)
}

// noteLine records a line that is not a row. nvidia-smi may have failed because of a GPU that the line names; a GPU
// that has a row in this round was merely mentioned.
func (w *failureWatch) noteLine(line string, isMissing func(namedGPU) bool) {
	w.said = line
	if strings.Count(line, ", ") > 2 { // a row, not words
		return
	}
	if who, ok := findNamed(line); ok && isMissing(who) {
		w.blamed = line
	}
}

// isMissing reports whether a GPU that a line names has no row in this round.
func (t *translator) isMissing(who namedGPU) bool {
	return t.gpus.containsGPU(func(g *gpu) bool { return who.namesGPU(g) && g.round != t.round.number })
}

// handleTimer restarts a loop that has ended, looks for lost GPUs, and sends reports while no loop runs.
func (t *translator) handleTimer() error {
	w := &t.watch
	w.armed = false
	isDue := time.Since(w.looked) >= lookEvery
	if w.again || w.stopped != "" && isDue {
		w.again = false
		if err := t.schedule.restartLoop(); err != nil {
			return err
		}
	}
	if isDue {
		if err := t.askLostGPUs(); err != nil {
			return err
		}
	}
	if w.stopped == "" || t.schedule.loopInterval() == 0 {
		return nil
	}
	if err := t.sendHello(); err != nil {
		return err
	}
	return t.sendReport(time.Since(t.began).Milliseconds(), nil)
}

// askLostGPUs asks a new nvidia-smi about the lost GPUs: the one in the loop may not find a GPU again that was reset.
func (t *translator) askLostGPUs() error {
	t.watch.looked, t.watch.strange = time.Now(), false
	which := []string{everyGPU}
	for _, g := range t.gpus.list {
		if g.refused {
			which = append(which, strconv.Itoa(g.at))
		}
	}
	if len(which) > 1 {
		which = which[1:] // with one of them nvidia-smi refuses all
	}
	for _, gpus := range which {
		if err := t.console.sendLine("look 0 " + gpus + " " + t.gpus.query.rowFields(all)); err != nil {
			return err
		}
	}
	return nil
}

// handleLoopEnd handles a loop that ended by itself. If it named a GPU, the next loop leaves that GPU out. If it had
// rows, it starts again. Otherwise nvidia-smi no longer returns anything.
func (t *translator) handleLoopEnd(status string) error {
	w := &t.watch
	blamed, had := w.blamed, w.had
	w.blamed, w.had = "", false
	t.round.beginRound()
	t.gpus.forgetRound()
	switch {
	case blamed != "":
		return t.leaveOut(blamed)
	case had:
		w.again = true
		return nil
	}
	return &UnusableError{cmp.Or(w.said, "it ended with status "+status)}
}

// leaveOut leaves out the GPU that the words name. If nvidia-smi still fails, no loop runs for a while.
func (t *translator) leaveOut(words string) error {
	isNew := t.gpus.markRefused(words)
	which := t.gpus.readableGPUs()
	t.schedule.setGPUs(which)
	if isNew && which != noGPU {
		return t.schedule.restartLoop()
	}
	t.watch.stopped = words
	return nil
}

// markUnread makes a report say why nvidia-smi reads none of the GPUs.
func markUnread(r *wire.Report, why string) {
	fault := wire.Fault{Collector: "nvidia-smi", Error: why}
	for i := range r.GPUs {
		if g := &r.GPUs[i]; g.Lost == "" {
			g.Reading, g.Unlisted = false, why
			fault.GPUs = append(fault.GPUs, g.Index)
		}
	}
	if len(fault.GPUs) > 0 {
		r.Faults = append(slices.Clip(r.Faults), fault)
	}
}
