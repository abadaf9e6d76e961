package recording

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// signs are the times at which problems were first seen, in order.
type signs struct {
	next  time.Time // time of the next look
	times []time.Time
	there map[sign]bool // present at the last look
}

// sign identifies a problem.
type sign struct {
	kind           cluster.Kind
	job, node, key string
	critical       bool
}

// mostSigns limits the times that are kept. Later times cannot be jumped to.
const mostSigns = 16 << 10

// look notes the problems that were absent at the last look. Problems at the first look began earlier, but are the
// first place to look.
func (s *signs) look(snap *cluster.Snapshot) {
	there := make(map[sign]bool, len(s.there))
	came := false
	for i := range snap.Jobs {
		for k := range snap.Jobs[i].Findings {
			f := &snap.Jobs[i].Findings[k]
			if f.Severity < cluster.Warning || !f.Holds() {
				continue
			}
			about := sign{f.Kind, f.Job, f.Node, f.Key, f.Severity >= cluster.Critical}
			there[about] = true
			came = came || !s.there[about]
		}
	}
	s.there = there
	if came && len(s.times) < mostSigns {
		s.times = append(s.times, snap.At)
	}
}

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
	return Progress{Read: p.read, Problems: slices.Clip(p.signs.times), Damaged: p.until}
}
