package source

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/joblog"
)

const (
	// reading is how long reading a log may take. Before that, SLURM is asked for its file, when no other command runs.
	reading = 20 * time.Second
	// maxWaiting is the maximum number of logs that wait to be read. maxAlike is the same for one array, whose tasks
	// mostly fail for the same reason. Other logs are not read.
	maxWaiting, maxAlike = 8, 3
)

// causes finds out why jobs failed. It reads the end of each log once, one log after the other.
type causes struct {
	read func(context.Context, joblog.Query) (joblog.Piece, error)
	due  chan *failure // logs to read

	mu    sync.Mutex          // protects the following
	jobs  map[string]*failure // by number and end
	alike map[string]int      // logs of an array
}

// failure is a job that has failed.
type failure struct {
	job   string
	cause string // "": not known
	read  bool   // its log was read, or will not be
}

func newCauses(read func(context.Context, joblog.Query) (joblog.Piece, error)) *causes {
	return &causes{read: read, due: make(chan *failure, maxWaiting), jobs: map[string]*failure{},
		alike: map[string]int{}}
}

// addCauses returns the ended jobs with the causes that are known. It requests the causes of jobs whose log is still to
// be read.
func (c *causes) addCauses(ended []cluster.EndedJob, wanted string) []cluster.EndedJob {
	c.mu.Lock()
	defer c.mu.Unlock()
	ended = slices.Clone(ended)
	listed := map[string]*failure{}
	for i := range ended {
		e := &ended[i]
		if e.Missed.IsZero() || e.Asking || e.State.SaysWhy() || wanted != "" &&
			!(&cluster.Job{ID: e.ID, Number: e.Number}).PartOf(wanted) {
			continue
		}
		key := e.Number + " " + e.Over().String()
		f := c.jobs[key]
		if f == nil {
			f = c.requestCause(e.ID)
		}
		listed[key] = f
		e.Cause, e.Asking = f.cause, !f.read
	}
	c.jobs = listed
	return ended
}

// requestCause notes that the log of a job is to be read, unless too many already are.
func (c *causes) requestCause(job string) *failure {
	f := &failure{job: job}
	array, _, _ := strings.Cut(job, "_")
	if c.alike[array]++; c.alike[array] > maxAlike || strings.Contains(job, "[") {
		f.read = true
		return f
	}
	select {
	case c.due <- f:
	default:
		f.read = true
	}
	return f
}

// readLogs reads logs until ctx ends, and calls news after each one.
func (c *causes) readLogs(ctx context.Context, news func()) {
	for {
		select {
		case f := <-c.due:
			inTime, cancel := context.WithTimeout(ctx, reading)
			cause, _ := joblog.Why(inTime, f.job, c.read) // without a log the job has failed for no known reason
			cancel()
			c.mu.Lock()
			f.cause, f.read = cause, true
			c.mu.Unlock()
			news()
		case <-ctx.Done():
			return
		}
	}
}
