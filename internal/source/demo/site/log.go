package site

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const (
	// logLength is the length of every line, in bytes. So any piece of the log can be made.
	logLength = 100
	// logEvery is the time from one line to the next. past is the number of lines at the beginning of the story.
	logEvery = 2 * time.Second
	logPast  = 4000
)

// JobLog is the simulated log of a user's job. The story of the job began at this time.
type JobLog struct {
	Begin time.Time
	User  string
	Total int // steps of the program; 0: the log does not say

	End  time.Time // of the job; zero: it runs
	Last string    // lines at its end
}

// Piece returns a piece of the log as of now.
func (l JobLog) Piece(q joblog.Query, now time.Time) joblog.Piece {
	if !l.End.IsZero() && l.End.Before(now) {
		now = l.End
	}
	lines := int64(logPast+now.Sub(l.Begin)/logEvery) * logLength
	size := lines + int64(len(l.Last))
	from := q.From
	if from < 0 {
		from = max(size+from, 0)
	}
	from = min(from, size)
	if q.Latest {
		from = max(from, size-int64(q.Max))
	}
	return joblog.Piece{Path: fmt.Sprintf("/home/%s/runs/slurm-%s.out", l.User, q.Job), Both: true, At: now,
		LogPiece: wire.LogPiece{Size: size, From: from, ModMS: now.UnixMilli(), Shared: true,
			Data: l.readRange(from, min(from+int64(q.Max), size), lines)}}
}

// readRange returns the bytes of the log in a range. The lines of Last come after the others.
func (l JobLog) readRange(from, to, last int64) (data []byte) {
	for at := from; at < to; {
		if at >= last {
			return append(data, l.Last[at-last:to-last]...)
		}
		line := l.makeLine(int(at / logLength))
		piece := line[at%logLength : min(logLength, at%logLength+min(to, last)-at)]
		data = append(data, piece...)
		at += int64(len(piece))
	}
	return data
}

// makeLine returns a line of the log.
func (l JobLog) makeLine(i int) string {
	at := l.Begin.Add(time.Duration(i-logPast) * logEvery)
	stamp := at.Format(time.DateTime)
	step := fmt.Sprintf("step %6d", 12000+i)
	if l.Total > 0 {
		step = fmt.Sprintf("step %d/%d", 12000+i, l.Total)
	}
	text := fmt.Sprintf("%s INFO %s  loss %.4f  lr 2.9e-04  %5.1f samples/s", stamp, step,
		1.7+2/math.Sqrt(float64(i+20))+0.02*math.Sin(float64(i)*1.7), 412+3*math.Sin(float64(i)/9))
	switch i % 150 {
	case 40:
		text = stamp + " WARNING dataloader: worker 3 waited 2.1 s for shard-00417.tar"
	case 97:
		text = "gpu-n03:41822:42011 [2] NCCL WARN socketProgress: connection to gpu-n02<38411> timed out, retrying"
	}
	return fmt.Sprintf("%-*.*s\n", logLength-1, logLength-1, text)
}

// LogFailed is when the job failed whose log ends with the Traceback, relative to the beginning of the story.
const LogFailed = -11 * time.Minute

// LogFailureReason says why that job failed. It is always the same, and computing it takes too long to repeat at each
// look at the jobs.
var LogFailureReason = sync.OnceValue(func() string {
	l := JobLog{Begin: time.Unix(0, 0), End: time.Unix(0, 0).Add(LogFailed), Last: Traceback}
	read := func(_ context.Context, q joblog.Query) (joblog.Piece, error) {
		q.From = max(q.From, -8<<10) // enough for this log
		return l.Piece(q, l.End), nil
	}
	cause, _ := joblog.Why(context.Background(), "", read)
	return cause
})
