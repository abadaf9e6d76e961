package recording

import (
	"slices"
	"time"
)

// Progress is the result of a survey so far.
type Progress struct {
	Read     float64     // part of the recording, 0 to 1
	Problems []time.Time // when problems were first seen, in order; not to be changed
	Damaged  time.Time   // the beginning of the unreadable part; zero: no damage was found
}

// Progress returns the result of the survey so far.
func (p *Player) Progress() Progress {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Progress{Read: p.read, Problems: slices.Clip(p.seen.Times), Damaged: p.until}
}
