package demo

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const (
	// logLine is the length of all lines of the simulated log, in bytes: so any piece of it can be made.
	logLine = 100
	// logEvery is the time from one line to the next, and logPast the number of lines at the beginning of the story.
	logEvery = 2 * time.Second
	logPast  = 4000
)

// Log returns a piece of the simulated log of a job.
func (d *Demo) Log(_ context.Context, q joblog.Query) (joblog.Piece, error) {
	now := time.Now()
	size := int64(logPast+time.Since(d.world.begin)/logEvery) * logLine
	from := q.From
	if from < 0 {
		from = max(size+from, 0)
	}
	from = min(from, size)
	if q.Latest {
		from = max(from, size-int64(q.Max))
	}
	to := min(from+int64(q.Max), size)
	p := joblog.Piece{Path: fmt.Sprintf("/home/%s/runs/slurm-%s.out", me, q.Job), Both: true, At: now,
		LogPiece: wire.LogPiece{Size: size, From: from, ModMS: now.UnixMilli(), Shared: true}}
	for at := from; at < to; {
		line := d.logLine(int(at / logLine))
		piece := line[at%logLine : min(logLine, at%logLine+to-at)]
		p.Data = append(p.Data, piece...)
		at += int64(len(piece))
	}
	return p, nil
}

// logLine returns a line of the log.
func (d *Demo) logLine(i int) string {
	at := d.world.begin.Add(time.Duration(i-logPast) * logEvery)
	stamp := at.Format(time.DateTime)
	text := fmt.Sprintf("%s INFO step %6d  loss %.4f  lr 2.9e-04  %5.1f samples/s", stamp, 12000+i,
		1.7+2/math.Sqrt(float64(i+20))+0.02*math.Sin(float64(i)*1.7), 412+3*math.Sin(float64(i)/9))
	switch i % 150 {
	case 40:
		text = stamp + " WARNING dataloader: worker 3 waited 2.1 s for shard-00417.tar"
	case 97:
		text = "gpu-n03:41822:42011 [2] NCCL WARN socketProgress: connection to gpu-n02<38411> timed out, retrying"
	}
	return fmt.Sprintf("%-*.*s\n", logLine-1, logLine-1, text)
}
