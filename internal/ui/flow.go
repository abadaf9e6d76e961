package ui

import "time"

// A write to a terminal behind a slow link succeeds at once: the frame is then in buffers of the kernel, of sshd and of TCP, which hold many seconds
// of frames, and the picture lags behind the keys by that. So after every window of bytes the terminal is asked whether it is there (DSR 5, which all
// terminals since the VT100 answer, and tmux and screen themselves), and no frame is written until it has answered: frames are skipped, never queued.
// An untouched screen asks every few seconds, and a local terminal answers within a millisecond.
const (
	window = 4 << 10 // bytes

	question = "\x1b[5n"
	fine     = "\x1b[0n" // the answer

	deafAfter = 2 * time.Second  // a terminal that has never answered is not asked again
	lateAfter = 10 * time.Second // one that has answered before may be behind a link that stalls
)

// flow is what is known of how far the terminal is behind. The terminal's mutex guards it.
type flow struct {
	asks  bool // questions are allowed
	heard bool // it has answered
	since int  // bytes since the last question
	asked *time.Timer
	clear chan struct{} // closed when the question is no longer open; nil: none is
}

// blocked reports whether no frame may be written now.
func (f *flow) blocked() bool { return f.clear != nil }

// settle ends the wait for the answer.
func (f *flow) settle() {
	if f.clear == nil {
		return
	}
	f.asked.Stop()
	close(f.clear)
	f.clear = nil
}

// inquire adds the question to a frame, if there were enough bytes since the last one.
func (t *terminal) inquire(frame []byte) []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	f := &t.flow
	f.since += len(frame)
	if !f.asks || f.blocked() || f.since < window {
		return frame
	}
	f.since, f.clear = 0, make(chan struct{})
	limit := deafAfter
	if f.heard {
		limit = lateAfter
	}
	open := f.clear
	f.asked = time.AfterFunc(limit, func() { t.giveUp(open) })
	return append(frame, question...)
}

// giveUp ends the wait for an answer that does not come.
func (t *terminal) giveUp(open chan struct{}) {
	t.mu.Lock()
	if t.flow.clear == open {
		t.flow.asks = t.flow.heard
		t.flow.settle()
	}
	t.mu.Unlock()
	t.wake.Ring()
}

// answered notes what may be an answer of the terminal.
func (t *terminal) answered(answer string) {
	if answer != fine {
		return
	}
	t.mu.Lock()
	t.flow.heard = true
	t.flow.settle()
	t.mu.Unlock()
	t.wake.Ring()
}

// hush asks nothing more, and returns what is closed when the last question has been answered; nil: none is open. An answer that comes when nobody
// reads any more would stand on the command line of the shell.
func (t *terminal) hush() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.flow.asks = false
	return t.flow.clear
}
