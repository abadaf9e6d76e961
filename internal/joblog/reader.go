package joblog

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/joblog/tail"
	"github.com/nvnodetop/nvnodetop/internal/text/safe"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const (
	// patience is the time for which a read on this host may hang.
	patience = 4 * time.Second
	// keepFiles is the time after which SLURM is asked again for the files of a job that cannot be read: the job may
	// have started again on another node.
	keepFiles = time.Minute
	// maxJobs is the maximum number of jobs of which a Reader remembers the files.
	maxJobs = 64
	// maxWords limits the text of a node, and the name of a file, in bytes.
	maxWords = 400
)

// Sources are the ways of a Reader to the logs.
type Sources struct {
	// Find asks SLURM for the files of a job.
	Find func(ctx context.Context, job string) (*cluster.LogFiles, error)
	// Ask sends a request to the probe of a node.
	Ask func(ctx context.Context, node string, r wire.Request) (wire.Reply, error)

	User string // whose jobs may be read; "": not known
	Host string // name of this host
	Away bool   // this host is not one of the cluster: no file is read here
}

// Reader reads logs. A file is read here if its file system is one of the network, or if the batch script runs here.
// Otherwise the node of the batch script reads it: a file such as /tmp/x.log may be another one here. If the node
// cannot be asked, as after the end of the job, the file is read here, unless it is older than the job.
//
// A read that hangs is left behind. Until it returns, no other read of that job's log begins on this host.
type Reader struct {
	from Sources
	read func(wire.ReadLog) (*wire.LogPiece, error) // tail.Read
	now  func() time.Time

	mu   sync.Mutex // protects the following
	jobs map[string]*found
}

// found is a Reader's knowledge of a job's log.
type found struct {
	files *cluster.LogFiles
	at    time.Time     // when SLURM was asked
	turn  chan struct{} // has room for the one read on this host

	mu    sync.Mutex // protects the following
	place place
	since time.Time // of the read on this host
}

// place is where a log is read.
type place uint8

const (
	unknown place = iota
	here
	onNode
)

// NewReader returns a Reader.
func NewReader(from Sources) *Reader {
	return &Reader{from: from, read: tail.Read, now: time.Now, jobs: map[string]*found{}}
}

// Read reads a piece of a log. It may be called from any goroutine, and ends soon after ctx.
func (r *Reader) Read(ctx context.Context, q Query) (Piece, error) {
	f, err := r.find(ctx, q.Job)
	if err != nil {
		return Piece{}, err
	}
	path := f.files.Out
	if q.Stream == Err {
		path = f.files.Err
	}
	switch {
	case r.from.User != "" && f.files.User != r.from.User:
		return Piece{}, fmt.Errorf("job %s belongs to %q: only logs of your own jobs are read", q.Job, f.files.User)
	case path == "":
		return Piece{}, fmt.Errorf("job %s has no batch script: SLURM keeps no log of it, its output is on the terminal "+
			"of its srun", q.Job)
	case path == "/dev/null":
		return Piece{}, fmt.Errorf("job %s writes its %s to /dev/null", q.Job, q.Stream)
	}
	p, node, err := r.piece(ctx, f, wire.ReadLog{Path: path, From: q.From, Max: q.Max, Latest: q.Latest})
	if err != nil || p.Missing {
		r.doubt(q.Job, f)
	}
	if err != nil {
		return Piece{}, err
	}
	return Piece{LogPiece: *p, Path: safe.Line(path, maxWords), Node: node, Both: f.files.Out == f.files.Err,
		At: r.now()}, nil
}

// find returns the files of a job.
func (r *Reader) find(ctx context.Context, job string) (*found, error) {
	r.mu.Lock()
	f := r.jobs[job]
	r.mu.Unlock()
	if f != nil {
		return f, nil
	}
	files, err := r.from.Find(ctx, job)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if f := r.jobs[job]; f != nil { // somebody else has asked
		return f, nil
	}
	if len(r.jobs) == maxJobs {
		clear(r.jobs)
	}
	f = &found{files: files, at: r.now(), turn: make(chan struct{}, 1)}
	r.jobs[job] = f
	return f, nil
}

// doubt forgets the files of a job that cannot be read, unless SLURM has just named them or a read hangs.
func (r *Reader) doubt(job string, f *found) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(f.turn) == 0 && r.now().Sub(f.at) >= keepFiles {
		delete(r.jobs, job)
	}
}

// piece reads a piece where the file is. node is "" if that is here.
func (r *Reader) piece(ctx context.Context, f *found, q wire.ReadLog) (p *wire.LogPiece, node string, err error) {
	f.mu.Lock()
	place := f.place
	f.mu.Unlock()
	host := f.files.Host
	if place == onNode {
		if p, err = r.ask(ctx, host, q); err == nil && !p.Missing {
			return p, host, nil
		}
	}
	var local *wire.LogPiece
	localErr := errAway
	if !r.from.Away {
		local, localErr = r.here(ctx, f, q)
	}
	if localErr == nil && !local.Missing && (local.Shared || r.runs(host) || place == here) {
		f.settle(here)
		return local, "", nil
	}
	if place != onNode {
		p, err = r.ask(ctx, host, q)
	}
	switch {
	case err == nil && !p.Missing:
		f.settle(onNode)
		return p, host, nil
	case localErr == nil && !local.Missing && local.ModMS >= f.files.Start.UnixMilli():
		f.settle(here)
		return local, "", nil
	case err == nil:
		return p, host, nil
	case localErr == nil && (host == "" || r.runs(host)):
		return local, "", nil
	case localErr != nil && !errors.Is(localErr, errAway):
		return nil, "", localErr
	}
	return nil, "", err
}

// runs reports whether a node is this host.
func (r *Reader) runs(node string) bool {
	short, _, _ := strings.Cut(r.from.Host, ".")
	return node == r.from.Host || node == short
}

// errAway says that nothing is read on this host.
var errAway = errors.New("the log is not on this host")

func (f *found) settle(at place) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.place = at
}

// ask reads a piece through the node of the batch script.
func (r *Reader) ask(ctx context.Context, node string, q wire.ReadLog) (*wire.LogPiece, error) {
	if node == "" {
		return nil, errors.New("the job has not started: there is no log yet")
	}
	reply, err := r.from.Ask(ctx, node, wire.Request{ReadLog: &q})
	switch {
	case err != nil:
		return nil, fmt.Errorf("the log is read through its node: %w", err)
	case reply.Error != "":
		return nil, fmt.Errorf("%s: %s", node, safe.Line(reply.Error, maxWords))
	case reply.Log == nil, reply.Log.From < 0, len(reply.Log.Data) > q.Max,
		reply.Log.From+int64(len(reply.Log.Data)) > reply.Log.Size:
		return nil, fmt.Errorf("%s has sent no piece of a log", node)
	}
	return reply.Log, nil
}

// here reads a piece on this host.
func (r *Reader) here(ctx context.Context, f *found, q wire.ReadLog) (*wire.LogPiece, error) {
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case f.turn <- struct{}{}:
	case <-late.C:
		return nil, f.hangs(q.Path, r.now())
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	f.mu.Lock()
	f.since = r.now()
	f.mu.Unlock()
	type result struct {
		piece *wire.LogPiece
		err   error
	}
	done := make(chan result, 1)
	go func() {
		p, err := r.read(q)
		<-f.turn
		done <- result{p, err}
	}()
	select {
	case d := <-done:
		return d.piece, d.err
	case <-late.C:
		return nil, f.hangs(q.Path, r.now())
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// hangs is the error of a read that does not return.
func (f *found) hangs(path string, now time.Time) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return fmt.Errorf("reading %q has hung for %v: its file system does not respond", path,
		now.Sub(f.since).Round(time.Second))
}
