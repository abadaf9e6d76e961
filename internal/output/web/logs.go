package web

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const (
	// logAge is how long one answer serves all clients.
	logAge = 2 * time.Second
	// logPatience is how long reading a log may take.
	logPatience = 10 * time.Second
	// maxLogs is how many logs have their answers kept.
	maxLogs = 64
	// maxLogLines is the maximum number of lines in an answer.
	maxLogLines = 500
)

// logs has the newest answers about logs. Only one log is read at a time.
type logs struct {
	turn chan struct{}
	mu   sync.Mutex // protects the following
	kept map[joblog.Query]keptLog
}

type keptLog struct {
	at  time.Time
	log *logPart
}

// logPart is the end of a log.
type logPart struct {
	Time  time.Time `json:"time"`
	Job   string    `json:"job"`
	Error string    `json:"error,omitempty"` // why it cannot be read
	Path  string    `json:"path,omitempty"`
	Node  string    `json:"node,omitempty"` // the node that read it
	Both  bool      `json:"both,omitempty"` // both outputs go to this file
	Size  int64     `json:"size_bytes"`
	Lines []logLine `json:"lines"`
}

type logLine struct {
	Offset int64  `json:"offset"`
	Text   string `json:"text"`
	Mark   string `json:"mark,omitempty"`
}

// serveLog answers with the last lines of the log of a shown job.
func (s *Server) serveLog(w http.ResponseWriter, r *http.Request) {
	job := r.PathValue("name")
	snap := s.states.newestState().snap
	switch {
	case s.Log == nil:
		failNotFound(w, "logs are not shown: nvnodetop serve --logs shows them")
		return
	case snap.JobWith(job) == nil:
		failNotFound(w, "there is no running job of this name")
		return
	}
	q := joblog.Query{Job: job, From: -wire.MaxLog, Max: wire.MaxLog}
	if r.URL.Query().Get("of") == joblog.Err.String() {
		q.Stream = joblog.Err
	}
	ctx, cancel := context.WithTimeout(r.Context(), logPatience)
	defer cancel()
	sendFresh(w, s.logs.logEnd(ctx, q, s.Log, s.Now))
}

// logEnd returns the end of a log. The answer may be up to logAge old.
func (l *logs) logEnd(ctx context.Context, q joblog.Query, read func(context.Context, joblog.Query) (joblog.Piece,
	error),
	now func() time.Time) *logPart {
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return &logPart{Time: now(), Job: q.Job, Error: "other logs are still being read", Lines: []logLine{}}
	}
	l.mu.Lock()
	kept, known := l.kept[q]
	l.mu.Unlock()
	if known && now().Sub(kept.at) < logAge {
		return kept.log
	}
	p, err := read(ctx, q)
	kept = keptLog{now(), partOf(q, &p, err, now())}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.kept) >= maxLogs || l.kept == nil {
		l.kept = map[joblog.Query]keptLog{}
	}
	if ctx.Err() == nil { // otherwise the client has left, which is no answer for the others
		l.kept[q] = kept
	}
	return kept.log
}

// partOf makes lines from a piece.
func partOf(q joblog.Query, p *joblog.Piece, err error, now time.Time) *logPart {
	const most = 400
	part := &logPart{Time: now, Job: q.Job, Lines: []logLine{}}
	switch {
	case err != nil:
		part.Error = safe.Line(err.Error(), most)
		return part
	case p.Missing:
		part.Error = p.Absence()
		return part
	}
	part.Path, part.Node, part.Both, part.Size = p.Path, p.Node, p.Both, p.Size
	w := joblog.NewWindow(q.From)
	w.Take(p)
	lines := w.Lines()
	for _, line := range lines[max(len(lines)-maxLogLines, 0):] {
		part.Lines = append(part.Lines, logLine{line.At, line.Text, line.Mark.Name()})
	}
	return part
}
