package smi

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// lookEvery is the time between two looks for lost GPUs, each of which starts a new nvidia-smi. Tests shorten it.
var lookEvery = 10 * time.Second

// tickEvery is how often what is due without a line from the node is looked at.
const tickEvery = time.Second

// lookout is what nvidia-smi does not say by itself: that GPUs are lost, and why it ended. It is for translate alone.
type lookout struct {
	timer *time.Timer
	armed bool // the timer runs

	stopped string // why no loop runs: nvidia-smi fails for all GPUs
	again   bool   // the loop has to be begun again
	had     bool   // the loop had rows
	said    string // the last line that is no row
	blamed  string // the last such line about a GPU without a row in its round

	round   int  // of rows
	last    int  // the index in the last row
	strange bool // there was a row of an unknown GPU
	looked  time.Time
}

// arm starts the timer if anything is due without a line from the node.
func (n *node) arm() {
	w := &n.watch
	if w.armed || !w.strange && !w.again && w.stopped == "" && !n.anyGPU(isLost) {
		return
	}
	n.mu.Lock()
	every := time.Duration(n.loop) * time.Millisecond
	n.mu.Unlock()
	if w.stopped == "" || every == 0 {
		every = min(tickEvery, max(every, tickEvery/4))
	}
	w.armed = true
	w.timer.Reset(every)
}

// tick begins a loop that has ended again, looks for lost GPUs, and reports while no loop runs.
func (n *node) tick() error {
	w := &n.watch
	w.armed = false
	isDue := time.Since(w.looked) >= lookEvery
	if w.again || w.stopped != "" && isDue {
		w.again = false
		if err := n.restart(); err != nil {
			return err
		}
	}
	if isDue {
		if err := n.look(); err != nil {
			return err
		}
	}
	n.mu.Lock()
	isAsked := n.loop > 0
	n.mu.Unlock()
	if w.stopped == "" || !isAsked {
		return nil
	}
	if err := n.announce(); err != nil {
		return err
	}
	return n.deliver(time.Since(n.began).Milliseconds(), nil)
}

// look asks a new nvidia-smi for the lost GPUs: the one in the loop may not find a GPU again that was reset.
func (n *node) look() error {
	n.watch.looked, n.watch.strange = time.Now(), false
	which := []string{everyGPU}
	for _, g := range n.gpus {
		if g.refused {
			which = append(which, strconv.Itoa(g.at))
		}
	}
	if len(which) > 1 {
		which = which[1:] // one is enough for nvidia-smi to refuse all
	}
	for _, gpus := range which {
		if err := n.tell("look 0 " + gpus + " " + n.fields(all)); err != nil {
			return err
		}
	}
	return nil
}

// found takes the row of a look: a lost GPU may be back, or there may be one more.
func (n *node) found(now *gpu) error {
	was := n.find(now.at, now.UUID)
	switch {
	case now.Lost != "" || was != nil && was.Lost == "" && was.Name != "" || was == nil && len(n.gpus) == maxCards:
		return nil
	case was == nil:
		now.Index = n.freeIndex(now.Index)
		n.gpus = append(n.gpus, now)
	default:
		now.Index = was.Index
		*was = *now
	}
	n.news = true
	n.regroup()
	return n.restart()
}

// freeIndex returns an index that no GPU has: the wanted one, if possible.
func (n *node) freeIndex(want int) int {
	for n.anyGPU(func(g *gpu) bool { return g.Index == want }) {
		want++
	}
	return want
}

// regroup decides which GPUs the loop reads.
func (n *node) regroup() {
	which := n.whole()
	n.mu.Lock()
	n.which = which
	n.mu.Unlock()
}

// heed notes a line that is no row. nvidia-smi may have failed because of a GPU that it names; a GPU with a row in this
// round was merely mentioned.
func (n *node) heed(line string) {
	w := &n.watch
	w.said = line
	if strings.Count(line, ", ") > 2 { // a row, not words
		return
	}
	if who, ok := naming(line); ok && n.anyGPU(func(g *gpu) bool { return who.is(g) && g.round != w.round }) {
		w.blamed = line
	}
}

// ended continues after a loop that ended by itself. If it named a GPU, the next loop leaves that GPU out. If it had
// rows, it begins again. Otherwise nvidia-smi gives nothing any more.
func (n *node) ended(status string) error {
	w := &n.watch
	blamed, had := w.blamed, w.had
	w.blamed, w.had, w.last, n.rows = "", false, -1, 0
	w.round++
	n.forget()
	switch {
	case blamed != "":
		return n.refuse(blamed)
	case had:
		w.again = true
		return nil
	}
	return &UnusableError{cmp.Or(w.said, "it ended with status "+status)}
}

// refuse leaves out the GPU that the words name. If nvidia-smi fails even so, no loop runs for a while.
func (n *node) refuse(words string) error {
	who, _ := naming(words)
	isNew := false
	for _, g := range n.gpus {
		if who.is(g) && !g.refused {
			g.refused, isNew = true, true
			n.news = g.say(words) || n.news
		}
	}
	if n.regroup(); isNew && n.whichGPUs() != noGPU {
		return n.restart()
	}
	n.watch.stopped = words
	return nil
}

// stop makes a report of GPUs that nvidia-smi does not read say so.
func (n *node) stop(r *wire.Report) {
	why := n.watch.stopped
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

// announce sends a Hello if anything about a GPU has changed. A list of processes belongs to each.
func (n *node) announce() error {
	if !n.news {
		return nil
	}
	n.listOK = false
	if err := n.introduceGPUs(); err != nil {
		return err
	}
	return n.list()
}

// forget forgets a round.
func (n *node) forget() {
	for _, g := range n.gpus {
		g.seen, g.values = false, metric.Values{}
	}
	n.faults = nil
}
