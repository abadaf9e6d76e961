package procs

import (
	"sync"
	"time"
)

const (
	// lookupPatience is how long a listing waits for look-ups.
	lookupPatience = 100 * time.Millisecond
	// stuckAfter is how long a look-up may take before it is given up. Its goroutine and a thread stay behind until it
	// returns.
	stuckAfter = 2 * time.Second
	// maxStuck is how many abandoned look-ups may be running; with that many, no new one begins.
	maxStuck = 8
)

// lookups calls a function that may never return, for one key after the other, on its own goroutine, and keeps the
// results. Its methods are for one goroutine.
type lookups[K comparable, V any] struct {
	answer func(K) V

	mu      sync.Mutex // protects the following
	answers map[K]V
	asked   map[K]bool // keys without an answer yet, including those of abandoned look-ups
	queue   []K
	work    *lookup // running; nil: none
	stuck   int     // abandoned look-ups that have not returned
}

// lookup is a goroutine that works through the queue.
type lookup struct {
	began time.Time     // start of the current call
	done  chan struct{} // closed when the queue is empty
}

func newLookups[K comparable, V any](answer func(K) V) *lookups[K, V] {
	return &lookups[K, V]{answer: answer, answers: map[K]V{}, asked: map[K]bool{}}
}

// getAnswer returns the answer for a key. If there is none yet, it asks for it, once.
func (l *lookups[K, V]) getAnswer(k K) (v V, known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if v, known = l.answers[k]; known || l.asked[k] || l.stuck >= maxStuck {
		return v, known
	}
	l.asked[k] = true
	l.queue = append(l.queue, k)
	if l.work == nil {
		l.startLookup()
	}
	return v, false
}

func (l *lookups[K, V]) startLookup() {
	w := &lookup{began: time.Now(), done: make(chan struct{})}
	l.work = w
	go l.runLookup(w)
}

func (l *lookups[K, V]) runLookup(w *lookup) {
	defer close(w.done)
	for {
		k, more := l.nextKey(w)
		if !more {
			return
		}
		v := l.answer(k)
		l.mu.Lock()
		l.answers[k] = v
		delete(l.asked, k)
		l.mu.Unlock()
	}
}

// nextKey returns the next key. A goroutine that was given up and has returned only now gets no key, and makes room for
// another goroutine.
func (l *lookups[K, V]) nextKey(w *lookup) (k K, more bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.work != w {
		if l.stuck--; l.work == nil && len(l.queue) > 0 {
			l.startLookup()
		}
		return k, false
	}
	if len(l.queue) == 0 {
		l.work = nil
		return k, false
	}
	k, l.queue = l.queue[0], l.queue[1:]
	w.began = time.Now()
	return k, true
}

// awaitAnswers waits for all answers, at most until the deadline. It gives up a call that takes too long.
func (l *lookups[K, V]) awaitAnswers(deadline time.Time) {
	l.giveUp()
	l.mu.Lock()
	w := l.work
	l.mu.Unlock()
	if w == nil {
		return
	}
	late := time.NewTimer(time.Until(deadline))
	defer late.Stop()
	select {
	case <-w.done:
	case <-late.C:
	}
}

func (l *lookups[K, V]) giveUp() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.work == nil || time.Since(l.work.began) < stuckAfter {
		return
	}
	l.work = nil
	if l.stuck++; l.stuck < maxStuck && len(l.queue) > 0 {
		l.startLookup()
	}
}

// forgetAnswers removes the answers that are no longer needed.
func (l *lookups[K, V]) forgetAnswers(useless func(K) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for k := range l.answers {
		if useless(k) {
			delete(l.answers, k)
		}
	}
}

// isExhausted reports whether too many calls were given up.
func (l *lookups[K, V]) isExhausted() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stuck >= maxStuck
}
