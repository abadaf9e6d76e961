package mark

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
)

// Every is how often new marks are looked for.
const Every = 3 * time.Second

// Follower reads marks in a goroutine of its own.
type Follower struct{ stop, done chan struct{} }

// Follow reads the marks of the jobs below dir at an interval, and passes each one to take. Both functions are called
// by one goroutine.
func Follow(dir string, every time.Duration, jobs func() []string, take func(cluster.Mark)) *Follower {
	f := &Follower{make(chan struct{}), make(chan struct{})}
	crash.Go(func() { f.followMarks(NewReader(dir), every, jobs, take) })
	return f
}

func (f *Follower) followMarks(r *Reader, every time.Duration, jobs func() []string, take func(cluster.Mark)) {
	defer close(f.done)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for last := false; ; {
		for _, m := range r.Next(jobs()) {
			m.Arrived = time.Now()
			take(m)
		}
		if last {
			return
		}
		select {
		case <-tick.C:
		case <-f.stop:
			last = true
		}
	}
}

// Close looks once more and waits for that, but not for a file system that hangs.
func (f *Follower) Close(limit time.Duration) {
	close(f.stop)
	select {
	case <-f.done:
	case <-time.After(limit):
	}
}
