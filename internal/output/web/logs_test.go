package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/output/export"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// logSite is a server that shows logs, if read is not nil.
func logSite(token string, read func(context.Context, joblog.Query) (joblog.Piece, error)) http.Handler {
	store := world(time.Now())
	return New(Options{Snapshot: store.Snapshot, Ready: func(*cluster.Snapshot) bool { return true },
		News: func() uint64 { return 0 }, Now: time.Now, Audience: &audience{}, Every: time.Second,
		Names: export.OwnNames, Local: true, Token: token, Log: read}).Handler()
}

func ask(h http.Handler, path string) (int, logPart) {
	r := httptest.NewRequest(http.MethodGet, "http://localhost"+path, nil)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	var part logPart
	_ = json.Unmarshal(w.Body.Bytes(), &part)
	return w.Code, part
}

const logPath = "/api/v1/jobs/7/log"

// A log is shown only with --logs, with the token, and of a job that is shown.
func TestLogsAreShownOnlyIfAllowed(t *testing.T) {
	var asked atomic.Int32
	read := func(context.Context, joblog.Query) (joblog.Piece, error) {
		asked.Add(1)
		return joblog.Piece{}, nil
	}
	for name, test := range map[string]struct {
		site http.Handler
		path string
		want int
	}{
		"without --logs": {logSite("", nil), logPath, http.StatusNotFound},
		"no token":       {logSite("0123456789abcdef", read), logPath, http.StatusUnauthorized},
		"another job":    {logSite("", read), "/api/v1/jobs/8/log", http.StatusNotFound},
		"a path":         {logSite("", read), "/api/v1/jobs/..%2f7/log", http.StatusNotFound},
	} {
		if code, _ := ask(test.site, test.path); code != test.want {
			t.Errorf("%s: %d, want %d", name, code, test.want)
		}
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("%d pieces were read", n)
	}
}

// The last lines come as harmless text, however many ask.
func TestLog(t *testing.T) {
	var asked atomic.Int32
	h := logSite("", func(_ context.Context, q joblog.Query) (joblog.Piece, error) {
		asked.Add(1)
		if q.Stream == joblog.Err {
			return joblog.Piece{}, errors.New("node is \x1b[31mgone")
		}
		if q.Job != "7" || q.From != -wire.MaxLog || q.Max != wire.MaxLog {
			t.Errorf("asked for %+v", q)
		}
		text := strings.Repeat("line\n", 1000) + "\x1b[31m<img src=x>\nValueError: bad\n"
		return joblog.Piece{Path: "/o", Node: "n1", LogPiece: wire.LogPiece{Size: int64(len(text)), Data: []byte(text)}}, nil
	})
	for range 5 {
		code, part := ask(h, logPath)
		n := len(part.Lines)
		if code != http.StatusOK || n != maxLogLines || part.Path != "/o" || part.Node != "n1" || part.Job != "7" ||
			part.Lines[n-2].Text != "<img src=x>" || part.Lines[n-1].Mark != "exception" {
			t.Fatalf("%d, %d lines, %+v", code, n, part.Lines[max(n-2, 0):])
		}
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("5 requests read %d pieces", n)
	}
	if code, part := ask(h, logPath+"?of=stderr"); code != http.StatusOK || part.Error != "node is gone" {
		t.Errorf("%d, %+v", code, part)
	}
}

// An answer serves all for logAge, and then the log is read again.
func TestAgeOfALog(t *testing.T) {
	at, asked := time.Unix(1000, 0), 0
	l := &logs{turn: make(chan struct{}, 1)}
	read := func(context.Context, joblog.Query) (joblog.Piece, error) {
		asked++
		return joblog.Piece{}, nil
	}
	for _, step := range []struct {
		after time.Duration
		asked int
	}{{0, 1}, {logAge - 1, 1}, {1, 2}, {1, 2}, {logAge, 3}} {
		at = at.Add(step.after)
		if l.logEnd(t.Context(), joblog.Query{Job: "7"}, read, func() time.Time { return at }); asked != step.asked {
			t.Errorf("at %v, it was read %d times, want %d", at, asked, step.asked)
		}
	}
}
