package terminal

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// A write to a terminal behind a slow link succeeds at once. The frame is then in buffers of the kernel, of sshd and of
// TCP, which hold many seconds of frames, and the picture lags behind the keys by that time. So after every window of
// bytes, the terminal is asked for its status (DSR 5, which all terminals since the VT100 answer; tmux and screen
// answer it themselves). No frame is written until the terminal has answered: frames are skipped, never queued. A
// screen that nobody touches asks every few seconds, and a local terminal answers within a millisecond.
const (
	window = 4 << 10 // bytes

	question = "\x1b[5n"
	fine     = "\x1b[0n"  // the answer
	fineDEC  = "\x1b[?0n" // the answer of some emulators

	deafAfter = 2 * time.Second  // a terminal that has never answered in this time is not asked again
	lateAfter = 10 * time.Second // a terminal that has answered before may be behind a stalled link
)

// queryState has the state of the questions to the terminal. The terminal's mutex guards it.
type queryState struct {
	asks   bool // the terminal may answer, as far as is known
	hushed bool // no more questions: the terminal is about to be given back
	heard  bool // the terminal has answered
	since  int  // bytes since the last question
	owed   int  // answers still to come; they arrive in the order of the questions
	came   bool // an answer has come since the last question
	asked  *time.Timer
	clear  chan struct{} // closed when the question has its answer; nil: no question is open
}

// isBlocked reports whether no frame may be written now.
func (f *queryState) isBlocked() bool { return f.clear != nil }

func (f *queryState) endWait() {
	if f.clear == nil {
		return
	}
	f.asked.Stop()
	close(f.clear)
	f.clear = nil
}

// addQuestion adds the question to a write if enough bytes were written since the last question.
func (t *Terminal) addQuestion(b []byte) []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	f := &t.flow
	f.since += len(b)
	if !f.asks || f.hushed || f.isBlocked() || f.since < window {
		return b
	}
	f.since, f.came, f.clear = 0, false, make(chan struct{})
	f.owed++
	limit := deafAfter
	if f.heard {
		limit = lateAfter
	}
	open := f.clear
	f.asked = time.AfterFunc(limit, func() { t.giveUp(open) })
	return append(b, question...)
}

// giveUp stops waiting for an answer that does not come. If other answers have come since the question, this one was
// lost, and nothing waits for it any more. Otherwise all answers may be late.
func (t *Terminal) giveUp(open chan struct{}) {
	t.mu.Lock()
	if f := &t.flow; f.clear == open {
		if f.came {
			f.owed = 0
		}
		f.asks = f.heard
		f.endWait()
	}
	t.mu.Unlock()
	t.wake.Ring()
}

// Answered handles an answer from the terminal. It may belong to an earlier question. The first answer may arrive when
// nobody waits for it any more, and still counts: such a slow link needs the questions most.
func (t *Terminal) Answered(answer string) {
	if answer != fine && answer != fineDEC {
		return
	}
	t.mu.Lock()
	f := &t.flow
	f.asks, f.heard, f.came, f.owed = true, true, true, max(f.owed-1, 0)
	switch {
	case f.owed == 0:
		f.endWait()
	case f.isBlocked():
		f.asked.Reset(lateAfter)
	}
	t.mu.Unlock()
	t.wake.Ring()
}

// Hush stops the questions. It returns a command that runs next when the terminal has answered the last question, or
// has taken too long. A later answer would appear on the command line of the shell.
func (t *Terminal) Hush(next func() tea.Msg) tea.Cmd {
	t.mu.Lock()
	t.flow.hushed = true
	open := t.flow.clear
	t.mu.Unlock()
	if open == nil {
		return next
	}
	return func() tea.Msg {
		select {
		case <-open:
		case <-time.After(closing):
		}
		return next()
	}
}
