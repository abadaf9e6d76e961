package joblog

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
	"github.com/nvnodetop/nvnodetop/internal/probe/tail"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const (
	// patience is how long a read on this host may hang.
	patience = 4 * time.Second
	// maxReads is the maximum number of reads on this host at a time, including those that hang.
	maxReads = 8
	// maxWords limits the text of a node, and the name of a file, in bytes.
	maxWords = 400
)

// Sources are a Reader's ways to reach the logs.
type Sources struct {
	// Find asks SLURM for the files of a job.
	Find func(ctx context.Context, job string) (*cluster.LogFiles, error)
	// Known does so only if SLURM has not named them before, for queries that ask it seldom. nil: Find.
	Known func(ctx context.Context, job string) (*cluster.LogFiles, error)
	// Ask sends a request to the probe of a node.
	Ask func(ctx context.Context, node string, r wire.Request) (wire.Reply, error)
	// Login reads a file on the host where SLURM is asked, if that is another host; it may hang for a minute. nil:
	// SLURM is asked here, and files are read here.
	Login func(wire.ReadLog) (*wire.LogPiece, error)

	User string // the user whose jobs may be read; "": not known
	Host string // name of the host where SLURM is asked
}

// Reader reads logs. A file is read on the host where SLURM is asked if it is on a network file system, or if the batch
// script runs on that host. Otherwise the node of the batch script reads it: a file such as /tmp/x.log may be another
// one here. If the node cannot be asked, as after the end of the job, the file is read here, unless it is older than
// the job. If SLURM is asked on another host, each read starts a few programs there, so the node comes first as long as
// the job runs.
//
// A read that hangs is abandoned. Until it returns, no other read of that job's log begins on this host.
type Reader struct {
	from  Sources
	read  func(wire.ReadLog) (*wire.LogPiece, error) // tail.Read, or Sources.Login
	now   func() time.Time
	reads atomic.Int32 // on this host

	mu   sync.Mutex // protects the following
	jobs map[string]*jobLog
}

// NewReader returns a Reader.
func NewReader(from Sources) *Reader {
	r := &Reader{from: from, read: tail.Read, now: time.Now, jobs: map[string]*jobLog{}}
	if from.Login != nil {
		r.read = from.Login
	}
	return r
}

// Read reads a piece of a log. It may be called from any goroutine, and ends soon after ctx.
func (r *Reader) Read(ctx context.Context, q Query) (Piece, error) {
	f, err := r.findFiles(ctx, &q)
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
		return Piece{}, fmt.Errorf("job %s has no batch script: SLURM keeps no log of it, its output is on the "+
			"terminal "+
			"of its srun", q.Job)
	case path == "/dev/null":
		return Piece{}, fmt.Errorf("job %s writes its %s to /dev/null", q.Job, q.Stream)
	}
	piece := Piece{Path: safe.Line(path, maxWords), At: r.now(), Both: f.files.Out == f.files.Err,
		Earlier: f.files.Waits != "" && f.files.Again}
	switch {
	case f.files.Unused:
		piece.setNeverBegun(q.Job)
		return piece, nil
	case f.files.Waits != "" && !f.files.Again: // a file with that name belongs to another job
		piece.Missing, piece.Waits = true, safe.Line(whyNoLog(f.files, piece.At), maxWords)
		return piece, nil
	}
	p, node, err := r.readPiece(ctx, f, wire.ReadLog{Path: path, From: q.From, Max: q.Max, Latest: q.Latest})
	f.noteRead(p, r.now())
	if err != nil {
		return Piece{}, err
	}
	piece.LogPiece, piece.Node, piece.At = *p, node, r.now()
	switch old := p.ModMS < f.files.Start.UnixMilli(); {
	case f.files.Guessed && (p.Missing || old):
		return Piece{}, fmt.Errorf("SLURM has forgotten where job %s wrote its log, and it is not the usual %q: "+
			"--output of "+
			"its batch script names it", q.Job, path)
	case p.Missing && f.files.Waits != "":
		piece.Waits = safe.Line(whyNoLog(f.files, piece.At), maxWords)
	case p.Missing && f.files.Ended && f.files.Host == "":
		piece.setNeverBegun(q.Job)
	}
	return piece, nil
}

// setNeverBegun makes p the piece of a job that was canceled before it began, and has no log.
func (p *Piece) setNeverBegun(job string) {
	p.Missing, p.Never = true, true
	p.Waits = fmt.Sprintf("job %s was canceled before it began: it has no log", job)
}

// whyNoLog says why a job has no log yet.
func whyNoLog(l *cluster.LogFiles, now time.Time) string {
	words := fmt.Sprintf("job %s has not begun: SLURM's reason is %s", l.ID, l.Waits)
	if l.Expected.IsZero() {
		return words
	}
	layout := "15:04"
	if l.Expected.Sub(now) > 12*time.Hour {
		layout = "15:04 on Mon 2 Jan"
	}
	return words + ", it expects the start at " + l.Expected.Format(layout)
}

// readPiece reads a piece where the file is. node is "" if that is not the batch script's node.
func (r *Reader) readPiece(ctx context.Context, f *jobLog, q wire.ReadLog) (p *wire.LogPiece, node string, err error) {
	place, host := f.logPlace(), f.files.Host
	if place == unknown && r.from.Login != nil && !f.files.Ended {
		place = onNode
	}
	asked := place == onNode
	if asked {
		if p, err = r.askNode(ctx, host, q); err == nil && !p.Missing {
			f.setLogPlace(onNode)
			return p, host, nil
		}
	}
	local, localErr := r.readHere(ctx, f, q)
	has := localErr == nil && !local.Missing
	if has && (local.Shared || f.runsOn(r.from.Host) || place == here) {
		f.setLogPlace(here)
		return local, "", nil
	}
	if !asked {
		p, err = r.askNode(ctx, host, q)
	}
	switch {
	case err == nil && !p.Missing:
		f.setLogPlace(onNode)
		return p, host, nil
	case has && local.ModMS >= f.files.Start.UnixMilli():
		f.setLogPlace(here)
		return local, "", nil
	case err == nil:
		return p, host, nil
	case localErr == nil && (host == "" || f.runsOn(r.from.Host)):
		return local, "", nil
	case localErr != nil:
		return nil, "", localErr
	case local.Missing:
		return nil, "", fmt.Errorf("there is no file %q here, and its node cannot be asked: %w", q.Path, err)
	}
	return nil, "", fmt.Errorf("%q here is older than the job, and its node cannot be asked: %w", q.Path, err)
}

// askNode reads a piece through the node of the batch script.
func (r *Reader) askNode(ctx context.Context, node string, q wire.ReadLog) (*wire.LogPiece, error) {
	if node == "" {
		return nil, errors.New("the job has not started: there is no log yet")
	}
	reply, err := r.from.Ask(ctx, node, wire.Request{ReadLog: &q})
	switch {
	case err != nil:
		return nil, err
	case reply.Error != "":
		return nil, fmt.Errorf("%s: %s", node, safe.Line(reply.Error, maxWords))
	case reply.Log == nil, reply.Log.From < 0, len(reply.Log.Data) > q.Max,
		reply.Log.From+int64(len(reply.Log.Data)) > reply.Log.Size:
		return nil, fmt.Errorf("%s has sent no piece of a log", node)
	}
	return reply.Log, nil
}

// readHere reads a piece on this host.
func (r *Reader) readHere(ctx context.Context, f *jobLog, q wire.ReadLog) (*wire.LogPiece, error) {
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case f.turn <- struct{}{}:
	case <-late.C:
		return nil, f.hangError(q.Path, r.now())
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if r.reads.Add(1) > maxReads {
		r.reads.Add(-1)
		<-f.turn
		return nil, fmt.Errorf("%q is not read: reads of %d other logs hang", q.Path, maxReads)
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
		defer crash.End()
		p, err := r.read(q)
		r.reads.Add(-1)
		<-f.turn
		done <- result{p, err}
	}()
	select {
	case d := <-done:
		return d.piece, d.err
	case <-late.C:
		return nil, f.hangError(q.Path, r.now())
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
