// Package joblog writes the simulated log of a job of the demo.
package joblog

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
	// length is the length of every line, in bytes. So any piece of the log can be made.
	length = 100
	// every is the time from one line to the next. past is the number of lines at the beginning of the story.
	every = 2 * time.Second
	past  = 4000
)

// Log is the simulated log of a user's job. The story of the job began at this time.
type Log struct {
	Begin time.Time
	User  string

	End  time.Time // of the job; zero: it runs
	Last string    // lines at its end
}

// Piece returns a piece of the log as of now.
func (l Log) Piece(q joblog.Query, now time.Time) joblog.Piece {
	if !l.End.IsZero() && l.End.Before(now) {
		now = l.End
	}
	lines := int64(past+now.Sub(l.Begin)/every) * length
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
func (l Log) readRange(from, to, last int64) (data []byte) {
	for at := from; at < to; {
		if at >= last {
			return append(data, l.Last[at-last:to-last]...)
		}
		line := l.makeLine(int(at / length))
		piece := line[at%length : min(length, at%length+min(to, last)-at)]
		data = append(data, piece...)
		at += int64(len(piece))
	}
	return data
}

// makeLine returns a line of the log.
func (l Log) makeLine(i int) string {
	at := l.Begin.Add(time.Duration(i-past) * every)
	stamp := at.Format(time.DateTime)
	text := fmt.Sprintf("%s INFO step %6d  loss %.4f  lr 2.9e-04  %5.1f samples/s", stamp, 12000+i,
		1.7+2/math.Sqrt(float64(i+20))+0.02*math.Sin(float64(i)*1.7), 412+3*math.Sin(float64(i)/9))
	switch i % 150 {
	case 40:
		text = stamp + " WARNING dataloader: worker 3 waited 2.1 s for shard-00417.tar"
	case 97:
		text = "gpu-n03:41822:42011 [2] NCCL WARN socketProgress: connection to gpu-n02<38411> timed out, retrying"
	}
	return fmt.Sprintf("%-*.*s\n", length-1, length-1, text)
}

// Failed is when the job failed whose log ends with the Traceback, relative to the beginning of the story.
const Failed = -11 * time.Minute

// Why says why that job failed. It is always the same, and computing it takes too long to repeat at each look at the
// jobs.
var Why = sync.OnceValue(func() string {
	l := Log{Begin: time.Unix(0, 0), End: time.Unix(0, 0).Add(Failed), Last: Traceback}
	read := func(_ context.Context, q joblog.Query) (joblog.Piece, error) {
		q.From = max(q.From, -8<<10) // enough for this log
		return l.Piece(q, l.End), nil
	}
	cause, _ := joblog.Why(context.Background(), "", read)
	return cause
})
