package probe

import (
	"sync"
	"time"
)

const (
	// lookupPatience is how long a listing waits for what it does not know yet.
	lookupPatience = 100 * time.Millisecond
	// stuckAfter is when a look-up is given up. Its goroutine, and a thread, stay behind.
	stuckAfter = 2 * time.Second
	// maxStuck is how many look-ups are given up at most: then there are no more of them.
	maxStuck = 8
)

// lookups answers questions by a function that may never return, one after the other in a goroutine of its own. Its methods are for
// one goroutine.
type lookups[K comparable, V any] struct {
	answer func(K) V

	mu      sync.Mutex // protects the following
	answers map[K]V
	asked   map[K]bool // without an answer; one that is given up stays
	queue   []K
	work    *lookup // under way; nil: none
	stuck   int
}

// lookup is a goroutine at work.
type lookup struct {
	began time.Time     // of the question that it is at
	done  chan struct{} // closed when the queue is empty
}

func newLookups[K comparable, V any](answer func(K) V) *lookups[K, V] {
	return &lookups[K, V]{answer: answer, answers: map[K]V{}, asked: map[K]bool{}}
}

// get returns an answer. A question that has none yet is asked, once.
func (l *lookups[K, V]) get(k K) (v V, known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if v, known = l.answers[k]; known || l.asked[k] || l.stuck >= maxStuck {
		return v, known
	}
	l.asked[k] = true
	l.queue = append(l.queue, k)
	if l.work == nil {
		l.start()
	}
	return v, false
}

func (l *lookups[K, V]) start() {
	w := &lookup{began: time.Now(), done: make(chan struct{})}
	l.work = w
	go l.run(w)
}

func (l *lookups[K, V]) run(w *lookup) {
	defer close(w.done)
	for {
		k, more := l.next(w)
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

// next is the next question of a goroutine that was not given up meanwhile.
func (l *lookups[K, V]) next(w *lookup) (k K, more bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.work != w {
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

// wait waits for the answers, at most until the deadline. It gives up a look-up that takes too long.
func (l *lookups[K, V]) wait(deadline time.Time) {
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
		l.start()
	}
}

// forget drops the answers that are of no use any more.
func (l *lookups[K, V]) forget(useless func(K) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for k := range l.answers {
		if useless(k) {
			delete(l.answers, k)
		}
	}
}

// exhausted says that too many look-ups were given up.
func (l *lookups[K, V]) exhausted() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stuck >= maxStuck
}
