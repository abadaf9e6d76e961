package soak

import (
	"sync"
	"syscall"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/source/recording"
)

// disk is this host's disk, which is full at times. It implements io.Writer.
type disk struct {
	mu      sync.Mutex // protects the following
	full    bool
	refused int
}

func (d *disk) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.full {
		d.refused++
		return 0, syscall.ENOSPC
	}
	return len(p), nil
}

func (d *disk) fill(full bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.full = full
}

// recorder records while it is on, as Ctrl-K does: a Writer that always knows the beginning of a recording.
type recorder struct {
	disk *disk

	mu     sync.Mutex // protects the following
	w      *recording.Writer
	on     bool
	begun  int
	failed int
}

func newRecorder(d *disk, poll time.Duration) *recorder {
	return &recorder{disk: d, w: recording.NewWriter(recording.Header{Program: "soak", Poll: poll, User: "alice",
		Host: "login1"})}
}

func (r *recorder) take(e cluster.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.w.Write(e) != nil && r.on {
		r.failed++
		r.on = false
		_ = r.w.Close() // has failed with the same
	}
}

// press begins a recording, or ends it.
func (r *recorder) press(on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case on && !r.on:
		r.begun++
		if r.on = r.w.Begin(r.disk, time.Now()) == nil; !r.on {
			r.failed++
			_ = r.w.Close()
		}
	case !on && r.on:
		r.on = false
		if r.w.Close() != nil {
			r.failed++
		}
	}
}
