// Package joblog writes the simulated log of a job of the demo.
package joblog

import (
	"fmt"
	"math"
	"time"
)

const (
	// length is the length of all lines, in bytes: so any piece of the log can be made.
	length = 100
	// every is the time from one line to the next, and past the number of lines at the beginning of the story.
	every = 2 * time.Second
	past  = 4000
)

// Log is the simulated log of a job, whose story began at this time.
type Log struct{ Begin time.Time }

// Size returns the length of the log at a time, in bytes.
func (l Log) Size(now time.Time) int64 { return int64(past+now.Sub(l.Begin)/every) * length }

// Read returns the bytes of the log in a range.
func (l Log) Read(from, to int64) (data []byte) {
	for at := from; at < to; {
		line := l.line(int(at / length))
		piece := line[at%length : min(length, at%length+to-at)]
		data = append(data, piece...)
		at += int64(len(piece))
	}
	return data
}

// line returns a line of the log.
func (l Log) line(i int) string {
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
