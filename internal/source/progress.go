package source

import (
	"context"
	"reflect"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/joblog"
)

const (
	// maxFollowed is the maximum number of jobs whose logs are followed.
	maxFollowed = 16
	// A log that grows is read every soon, another one less and less often: every seldom, or every rarely if it cannot
	// be read. So are logs on another host, where each read starts programs.
	soon, seldom, rarely = 5 * time.Second, 20 * time.Second, 2 * time.Minute
	// maxRate is how many bytes are read within a second.
	maxRate = 64 << 10
)

// progress follows the logs of running jobs for how far their programs are. It reads one piece after the other.
type progress struct {
	read  func(context.Context, joblog.Query) (joblog.Piece, error)
	isFar bool // reads on the login node start programs there

	mu   sync.Mutex // protects the following
	jobs []string   // IDs of the jobs to follow

	followed map[string]*followedJob // by ID; only of the goroutine that reads
}

// followedJob is a job whose log is followed.
type followedJob struct {
	out, err followedStream
	apart    bool // standard error has a file of its own
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
	var ids []string
	for i := range jobs {
		if j := &jobs[i]; j.ID != "" && !j.Suspended && len(ids) < maxFollowed {
			ids = append(ids, j.ID)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.jobs = ids
}

// followLogs reads logs until ctx ends, and emits what has changed.
func (p *progress) followLogs(ctx context.Context, emit func(cluster.Event)) {
	for pause(ctx, time.Second) {
		for _, id := range p.listFollowed() {
			f := p.followed[id]
			if time.Now().Before(f.next) {
				continue
			}
			bytes := p.readJob(ctx, id, f)
			if now := f.progress(id, time.Now()); ctx.Err() == nil && !reflect.DeepEqual(now, f.told) {
				f.told = now
				emit(cluster.Event{At: time.Now(), Progress: &now})
			}
			if !pause(ctx, time.Duration(bytes)*time.Second/maxRate) {
				return
			}
		}
	}
}

// listFollowed returns the jobs to follow, and forgets all others.
func (p *progress) listFollowed() []string {
	p.mu.Lock()
	ids := p.jobs
	p.mu.Unlock()
	was := p.followed
	p.followed = make(map[string]*followedJob, len(ids))
	for _, id := range ids {
		if p.followed[id] = was[id]; was[id] == nil {
			p.followed[id] = &followedJob{}
		}
	}
	return ids
}

// readJob reads what is new in the log of a job, decides when it is read again, and returns the number of bytes.
func (p *progress) readJob(ctx context.Context, id string, f *followedJob) (bytes int) {
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
	case now.Sub(grown) > soon:
		f.wait = min(max(2*f.wait, soon), seldom)
	default:
		f.wait = soon
	}
	f.next = now.Add(f.wait)
	return bytes
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

// progress returns what is known of a job. If its outputs have a file each, the one counts that knows how many steps
// there are: many programs write their bar to standard error. The loss may stand in the other one.
func (f *followedJob) progress(id string, now time.Time) cluster.JobProgress {
	shown, other := &f.out, &f.err
	main, beside := shown.Progress(), other.Progress()
	if f.apart && (beside.Total != nil && main.Total == nil || !main.IsKnown()) {
		shown, other, main, beside = other, shown, beside, main
	}
	if f.apart && main.Loss == nil {
		main.Loss, main.Diverged = beside.Loss, beside.Diverged
	}
	told := cluster.JobProgress{Job: id, Progress: main}
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
