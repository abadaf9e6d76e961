package source

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/joblog"
)

const (
	// maxFollowed is the maximum number of jobs whose logs are followed.
	maxFollowed = 16
	// A log that has grown within stillSoon is read every soon, another one less and less often: every seldom, or every
	// rarely if it cannot be read. So are logs on another host, where each read starts programs.
	soon, seldom, rarely = 5 * time.Second, 20 * time.Second, 2 * time.Minute
	stillSoon            = 30 * time.Second
	// maxRate is how many bytes are read within a second.
	maxRate = 64 << 10
)

// progress follows the logs of running jobs for how far their programs are. It reads one piece after the other.
type progress struct {
	read  func(context.Context, joblog.Query) (joblog.Piece, error)
	isFar bool     // reads on the login node start programs there
	runs  keptRuns // with which the jobs are compared

	mu      sync.Mutex      // protects the following
	jobs    []cluster.Job   // to follow
	running map[string]bool // IDs of the jobs that have not ended

	followed map[string]*followedJob // by ID; only of the goroutine that reads
}

// followedJob is a job whose log is followed.
type followedJob struct {
	job      cluster.Job
	out, err followedStream
	first    *int64 // the first step that was seen
	apart    bool   // standard error has a file of its own
	told     cluster.JobProgress
	next     time.Time // when it is read again
	wait     time.Duration
}

// followedStream is one of the two files of a job.
type followedStream struct {
	joblog.Follower
	grown time.Time // when something new came last
	size  int64
}

func newProgress(read func(context.Context, joblog.Query) (joblog.Piece, error)) *progress {
	return &progress{read: read, followed: map[string]*followedJob{}}
}

// follow sets the jobs whose logs are followed: the first ones that run.
func (p *progress) follow(jobs []cluster.Job) {
	var all []cluster.Job
	running := map[string]bool{}
	for i := range jobs {
		j := &jobs[i]
		if running[j.ID] = true; j.ID != "" && !j.Suspended && len(all) < maxFollowed {
			all = append(all, *j)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.jobs, p.running = all, running
}

// followLogs reads logs until ctx ends, and emits what has changed. What is known then is kept.
func (p *progress) followLogs(ctx context.Context, emit func(cluster.Event)) {
	defer func() { p.runs.keepRuns(slices.Collect(maps.Values(p.followed)), time.Now()) }()
	for pause(ctx, time.Second) {
		for _, f := range p.listFollowed() {
			if time.Now().Before(f.next) {
				continue
			}
			bytes := p.readJob(ctx, f)
			if now := p.progressOf(f, time.Now()); ctx.Err() == nil && !reflect.DeepEqual(now, f.told) {
				f.told = now
				emit(cluster.Event{At: time.Now(), Progress: &now})
			}
			if !pause(ctx, time.Duration(bytes)*time.Second/maxRate) {
				return
			}
		}
	}
}

// listFollowed returns the jobs to follow, and forgets all others. Of those that have ended it keeps what is known.
func (p *progress) listFollowed() (all []*followedJob) {
	p.mu.Lock()
	jobs, running := p.jobs, p.running
	p.mu.Unlock()
	was := p.followed
	p.followed = make(map[string]*followedJob, len(jobs))
	for i := range jobs {
		f := was[jobs[i].ID]
		if f == nil {
			f = &followedJob{}
		}
		f.job, p.followed[jobs[i].ID] = jobs[i], f
		all = append(all, f)
	}
	var ended []*followedJob
	for id, f := range was {
		if !running[id] {
			ended = append(ended, f)
		}
	}
	p.runs.keepRuns(ended, time.Now())
	return all
}

// readJob reads what is new in the log of a job, decides when it is read again, and returns the number of bytes.
func (p *progress) readJob(ctx context.Context, f *followedJob) (bytes int) {
	id := f.job.ID
	inTime, cancel := context.WithTimeout(ctx, reading)
	defer cancel()
	piece, err := p.readStream(inTime, id, joblog.Out, &f.out)
	bytes, f.apart = len(piece.Data), err == nil && !piece.Both && !piece.Missing
	if f.apart {
		var other joblog.Piece
		other, err = p.readStream(inTime, id, joblog.Err, &f.err)
		bytes += len(other.Data)
	}
	now := time.Now()
	switch grown := later(f.out.grown, f.err.grown); {
	case err != nil || p.isFar && piece.Node == "":
		f.wait = min(max(2*f.wait, soon), rarely)
	case now.Sub(grown) > stillSoon:
		f.wait = min(max(2*f.wait, soon), seldom)
	default:
		f.wait = soon
	}
	f.next = now.Add(f.wait)
	return bytes
}

// ReadProgress reads once how far the program of a job is, from the end of its log.
func ReadProgress(ctx context.Context, read func(context.Context, joblog.Query) (joblog.Piece, error),
	job cluster.Job) cluster.JobProgress {
	f := &followedJob{job: job}
	newProgress(read).readJob(ctx, f)
	return f.progress(time.Now())
}

// readStream reads what is new in one of the files.
func (p *progress) readStream(ctx context.Context, id string, of joblog.Stream,
	s *followedStream) (joblog.Piece, error) {
	query := joblog.Ask(id, of, s.Next())
	query.Seldom = true
	piece, err := p.read(ctx, query)
	if err != nil {
		return piece, err
	}
	if s.Take(&piece); piece.Size != s.size {
		s.size, s.grown = piece.Size, piece.At
	}
	return piece, nil
}

// progressOf returns what is known of a job, beside an earlier run of it.
func (p *progress) progressOf(f *followedJob, now time.Time) cluster.JobProgress {
	told := f.progress(now)
	if f.first == nil {
		f.first = told.Step
	}
	told.Earlier = p.runs.findEarlier(&f.job, &told, now)
	return told
}

// steps is how many steps were seen.
func (f *followedJob) steps() int64 {
	if f.first == nil || f.told.Step == nil {
		return 0
	}
	return *f.told.Step - *f.first
}

// progress returns what the log of a job says. If its outputs have a file each, the one counts that knows how many
// steps there are: many programs write their bar to standard error. The loss may stand in the other one.
func (f *followedJob) progress(now time.Time) cluster.JobProgress {
	shown, other := &f.out, &f.err
	main, beside := shown.Progress(), other.Progress()
	if f.apart && (beside.Total != nil && main.Total == nil || !main.IsKnown()) {
		shown, other, main, beside = other, shown, beside, main
	}
	if f.apart && main.Loss == nil {
		main.Loss, main.Diverged = beside.Loss, beside.Diverged
	}
	told := cluster.JobProgress{Job: f.job.ID, Progress: main}
	if told.Silence = shown.Silence(now); told.Silence != nil && f.apart && other.grown.After(told.Silence.Since) {
		told.Silence = nil
	}
	return told
}

// later returns the later of two times.
func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// pause waits for a time, and reports whether ctx has not ended.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}
