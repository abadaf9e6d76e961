package joblog

import (
	"bytes"
	"time"

	result "github.com/nvnodetop/nvnodetop/internal/cluster/progress"
	"github.com/nvnodetop/nvnodetop/internal/joblog/progress"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// followed is how much of a log is read first, before its end.
const followed = 32 << 10

// Follower reads how far the program of a job is: first from the end of the log, then from what is new. It keeps no
// lines. The zero Follower is ready; it is for one goroutine.
type Follower struct {
	read  progress.Reader
	began bool
	to    int64  // the offset after the last byte
	seen  []byte // the last bytes before to
}

// Next asks for the next piece. If the log has grown by more than a piece, bytes are left out.
func (f *Follower) Next() wire.ReadLog {
	if !f.began {
		return wire.ReadLog{From: -followed, Max: followed}
	}
	return wire.ReadLog{From: f.to - int64(len(f.seen)), Max: wire.MaxLog, Latest: true}
}

// Take applies the answer to Next. If the file is another one now, as after a requeue that truncates it, what was known
// is forgotten.
func (f *Follower) Take(p *Piece) {
	switch {
	case p.Missing, f.began && p.Size < f.to:
		*f = Follower{}
	case !f.began:
		f.begin(p)
	default:
		f.takeNew(p)
	}
}

// begin applies the first piece. Its lines were written before; the last one when the file was changed last.
func (f *Follower) begin(p *Piece) {
	f.began, f.to = true, p.From
	if p.From > 0 {
		f.read.Skip()
	}
	f.add(p.Data, writtenAt(p))
}

// writtenAt is when the last bytes of a piece were written. The clock of the file server may be ahead.
func writtenAt(p *Piece) time.Time {
	if changed := time.UnixMilli(p.ModMS); p.ModMS > 0 && changed.Before(p.At) {
		return changed
	}
	return p.At
}

// takeNew applies a piece that begins with bytes that are known, unless some were left out.
func (f *Follower) takeNew(p *Piece) {
	data, known := p.Data, int(f.to-p.From)
	switch {
	case known < 0:
		f.read.Skip()
		f.to = p.From
	case known > len(f.seen), len(data) < known: // not what was asked for, or it becomes shorter right now
		return
	case !bytes.Equal(data[:known], f.seen[len(f.seen)-known:]):
		*f = Follower{}
		return
	default:
		data = data[known:]
	}
	f.add(data, writtenAt(p))
}

func (f *Follower) add(data []byte, at time.Time) {
	f.read.Take(data, at)
	f.to += int64(len(data))
	f.seen = lastOf(append(f.seen, data...))
}

// Progress returns how far the program is.
func (f *Follower) Progress() result.Progress { return f.read.Progress() }

// Silence returns the silence of the log at a time; nil: it is none, or it is not known how often the program writes.
func (f *Follower) Silence(now time.Time) *result.Silence { return f.read.Silence(now) }
