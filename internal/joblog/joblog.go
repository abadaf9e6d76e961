// Package joblog reads the logs of jobs: the files to which SLURM writes the output of batch scripts.
//
// A Reader finds the files of a job and reads pieces of them, on this host or through the node that has them. Nothing
// is read unless somebody asks for a piece. A Window makes lines from pieces. The lines are safe to display, progress
// bars are reduced to their last state, lines that matter have marks, and memory is limited however large the file and
// its lines are. A Follower reads how far the program of a job is, and keeps no lines.
//
// Both are for one goroutine, and do nothing by themselves: their state depends only on the pieces that they were
// given. A Reader may be used by any number of goroutines.
package joblog

import (
	"fmt"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Stream is one of the outputs of a job.
type Stream uint8

// The streams.
const (
	Out Stream = iota // standard output, often together with standard error
	Err               // standard error
)

func (s Stream) String() string {
	if s == Err {
		return "stderr"
	}
	return "stdout"
}

// Query asks for a piece of a job's log. See wire.ReadLog.
type Query struct {
	Job    string // ID, as squeue prints it
	Stream Stream
	From   int64
	Max    int
	Latest bool

	// Seldom says that nobody waits for the log: SLURM is asked at most once for the files of a job that has begun, and
	// every 10 minutes if it has named none.
	Seldom bool
}

// Piece is a piece of a log.
type Piece struct {
	wire.LogPiece
	Path string
	Node string    // the node through which it was read; "": this host
	Both bool      // both streams go to this file
	At   time.Time // when it was read

	Waits   string // why a job that has not begun has no log; "": it has begun
	Never   bool   // the job has ended, and had no log
	Earlier bool   // the job waits to run again: this is the log of its earlier run
}

// Absence says why a log is missing.
func (p *Piece) Absence() string {
	if p.Waits != "" {
		return p.Waits
	}
	return fmt.Sprintf("there is no file %q: the job has not written it yet, or it was deleted", p.Path)
}

// Ask is the Query for a piece of a log that a Window wants.
func Ask(job string, of Stream, want wire.ReadLog) Query {
	return Query{Job: job, Stream: of, From: want.From, Max: want.Max, Latest: want.Latest}
}
