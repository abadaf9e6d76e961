package screen

import (
	"runtime"
	"testing"
	"time"
)

// Keys have a second thread, collections have all, and whichever ends leaves the other its threads.
func TestThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(usual))
	var (
		threads threads
		began   = time.Now()
	)
	for _, step := range []struct {
		what string
		do   func()
		want int
	}{
		{"a look", func() { threads.restThread(began) }, usual},
		{"a key", func() { threads.noteKey(began) }, typing},
		{"a look soon after", func() { threads.restThread(began.Add(typed - 1)) }, typing},
		{"a collection", func() { threads.noteCollection(true) }, collecting},
		{"a look while it runs", func() { threads.restThread(began.Add(typed)) }, collecting},
		{"its end", func() { threads.noteCollection(false) }, usual},
		{"a collection", func() { threads.noteCollection(true) }, collecting},
		{"a key while it runs", func() { threads.noteKey(began) }, collecting},
		{"its end", func() { threads.noteCollection(false) }, typing},
		{"a look long after", func() { threads.restThread(began.Add(typed)) }, usual},
	} {
		if step.do(); runtime.GOMAXPROCS(0) != step.want {
			t.Errorf("%s: %d threads, want %d", step.what, runtime.GOMAXPROCS(0), step.want)
		}
	}
}

// A small program answers at once with one thread.
func TestKeysOfASmallHeap(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(usual))
	c := newCollector()
	c.noteKey(time.Now())
	if got := runtime.GOMAXPROCS(0); got != usual {
		t.Errorf("%d threads, want %d", got, usual)
	}
	c.large = true
	c.noteKey(time.Now())
	if got := runtime.GOMAXPROCS(0); got != typing {
		t.Errorf("%d threads of a large heap, want %d", got, typing)
	}
}
