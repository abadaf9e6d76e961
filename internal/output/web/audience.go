package web

import (
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// lookFor is how long the nodes list their processes after a request for them.
const lookFor = time.Minute

// viewedPages tells the audience which pages its clients look at.
type viewedPages struct {
	audience Audience

	mu    sync.Mutex // protects the following
	on    bool       // the nodes list processes
	timer *time.Timer
}

// noteRequest notes a request; processes says that it is for processes.
func (l *viewedPages) noteRequest(processes bool) {
	l.audience.Asked()
	if !processes {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer == nil {
		l.timer = time.AfterFunc(lookFor, l.stopLists)
	} else {
		l.timer.Reset(lookFor)
	}
	if !l.on {
		l.on = true
		l.audience.Look(cluster.EveryNode, true)
	}
}

// stopLists ends the listing of processes, because nobody has asked for a while.
func (l *viewedPages) stopLists() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.on = false
	l.audience.Look("", false)
}
