package joblog

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const (
	// keepFiles is after how long SLURM is asked again for the files of a job that cannot be read, or whose log does
	// not grow: the job may have started again on another node. While a log does not grow, the time between two
	// questions doubles.
	keepFiles = time.Minute
	// keepNone is the same for a job that waits, or whose files SLURM has not named.
	keepNone = 10 * time.Second
	// keepNothing is the same for a job without files, such as one of salloc, while nobody waits for its log.
	keepNothing = 10 * time.Minute
	// doubtful is how long SLURM has to answer such a question. Until then nothing is read.
	doubtful = 3 * time.Second
	// maxJobs is the maximum number of jobs whose files a Reader remembers.
	maxJobs = 64
)

// jobLog is a Reader's knowledge of a job's log.
type jobLog struct {
	files *cluster.LogFiles // nil: none
	err   error             // why there are none
	turn  chan struct{}     // holds the only read on this host

	mu    sync.Mutex // protects the following
	asked time.Time  // when SLURM was asked
	place logSite
	since time.Time // of the read on this host
	size  int64     // of the log file
	grown time.Time // since when it has this size
	fails bool      // it could not be read, or is missing
}

// logSite is where a log is read.
type logSite uint8

const (
	unknown logSite = iota
	here
	onNode
)

// findFiles returns the files of a job.
func (r *Reader) findFiles(ctx context.Context, q *Query) (*jobLog, error) {
	r.mu.Lock()
	f := r.jobs[q.Job]
	r.mu.Unlock()
	switch {
	case f == nil:
		return r.askFiles(ctx, q, nil)
	case q.Seldom && f.sufficesFor(r.now()):
	case f.shouldAskAgain(r.now()):
		ctx, cancel := context.WithTimeout(ctx, doubtful)
		defer cancel()
		if next, err := r.askFiles(ctx, q, f); err == nil || f.files == nil {
			return next, err
		}
	}
	return f, f.err
}

// sufficesFor reports whether what SLURM has said is enough for a Query that asks it seldom.
func (f *jobLog) sufficesFor(now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.files == nil {
		return now.Sub(f.asked) < keepNothing
	}
	return f.files.Waits == ""
}

// shouldAskAgain reports whether SLURM should be asked again, and notes that it is being asked.
func (f *jobLog) shouldAskAgain(now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	keep := max(keepFiles, f.asked.Sub(f.grown))
	switch {
	case f.files == nil, f.files.Waits != "":
		keep = keepNone
	case len(f.turn) > 0: // a read hangs
		return false
	case f.fails:
		keep = keepFiles
	case now.Sub(f.grown) < keepFiles:
		return false
	}
	if now.Sub(f.asked) < keep {
		return false
	}
	f.asked = now
	return true
}

// askFiles asks SLURM for the files of a job. before is what was known; nil: nothing.
func (r *Reader) askFiles(ctx context.Context, q *Query, before *jobLog) (*jobLog, error) {
	find, job := r.from.Find, q.Job
	if q.Seldom && r.from.Known != nil {
		find = r.from.Known
	}
	files, err := find(ctx, job)
	if err != nil && (ctx.Err() != nil || before != nil && before.files != nil) {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch f := r.jobs[job]; {
	case f != before && f != nil: // somebody else has asked
		return f, f.err
	case before != nil && err == nil && before.files != nil && *files == *before.files:
		return before, nil
	case len(r.jobs) >= maxJobs:
		clear(r.jobs)
	}
	now := r.now()
	f := &jobLog{files: files, err: err, asked: now, grown: now, turn: make(chan struct{}, 1)}
	if before != nil { // a read that hangs does so for both
		before.mu.Lock()
		f.turn, f.since = before.turn, before.since
		before.mu.Unlock()
	}
	r.jobs[job] = f
	return f, err
}

// noteRead notes the result of a read; nil: it failed.
func (f *jobLog) noteRead(p *wire.LogPiece, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fails = p == nil || p.Missing; !f.fails && p.Size != f.size {
		f.size, f.grown = p.Size, now
	}
}

// logPlace returns where the log was read.
func (f *jobLog) logPlace() logSite {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.place
}

func (f *jobLog) setLogPlace(at logSite) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.place = at
}

// runsOn reports whether the batch script runs on a host.
func (f *jobLog) runsOn(host string) bool {
	short, _, _ := strings.Cut(host, ".")
	return f.files.Host != "" && (f.files.Host == host || f.files.Host == short)
}

// hangError returns the error of a read that does not return.
func (f *jobLog) hangError(path string, now time.Time) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return fmt.Errorf("reading %q has hung for %v: its file system does not respond", path,
		now.Sub(f.since).Round(time.Second))
}
