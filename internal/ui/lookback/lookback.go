// Package lookback keeps some of the Snapshots that were on the screen, so that the user can look back. It also has the
// tape: the line that shows the position in a recording, and the keys that move in it.
package lookback

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
)

// Past has some of the Snapshots that were on the screen. They are complete: each has its processes, problems and
// histories. Keeping one costs nothing but memory, so their number depends on the number of GPUs.
type Past struct {
	kept []*cluster.Snapshot // oldest first
	at   *cluster.Snapshot   // on the screen; nil: the screen is live
	now  *cluster.Snapshot   // the newest
}

// The kept Snapshots reach back as far as histories do. A GPU takes about 4 kB in each: the more GPUs, the fewer
// Snapshots are kept, and with very many GPUs none.
const (
	lookBackSpan = 12 * time.Minute
	recentSpan   = 2 * time.Minute
	recentEvery  = 10 * time.Second // in the recent span
	olderEvery   = 30 * time.Second
	fewGPUs      = 64
	mostGPUs     = 8 * fewGPUs
)

// snapshotIntervals returns the times between two kept Snapshots, for recent and for older ones; 0: none are kept.
func (p *Past) snapshotIntervals() (recent, older time.Duration) {
	gpus := 0
	for _, n := range p.now.Nodes {
		gpus += len(n.GPUs)
	}
	if gpus > mostGPUs {
		return 0, 0
	}
	scale := time.Duration(max((gpus+fewGPUs-1)/fewGPUs, 1))
	return scale * recentEvery, scale * olderEvery
}

// Keep stores the newest Snapshot, keeps it for later if the last one kept is old enough, and thins out the older ones.
func (p *Past) Keep(s *cluster.Snapshot) {
	p.now = s
	recent, older := p.snapshotIntervals()
	if n := len(p.kept); n == 0 || s.At.Sub(p.kept[n-1].At) >= recent {
		p.kept = append(p.kept, s)
	}
	var before time.Time
	p.kept = slices.DeleteFunc(p.kept, func(k *cluster.Snapshot) bool {
		age := s.At.Sub(k.At)
		if recent == 0 || age < 0 || age > lookBackSpan || age > recentSpan && k.At.Sub(before) < older {
			return true
		}
		before = k.At
		return false
	})
}

// Await shows a Snapshot with nothing in it, which is not kept: there is none yet.
func (p *Past) Await(now time.Time) { p.now = &cluster.Snapshot{At: now} }

// Live reports whether the newest Snapshot is on the screen.
func (p *Past) Live() bool { return p.at == nil }

// Return makes the screen live again.
func (p *Past) Return() { p.at = nil }

// Shown returns the Snapshot for the screen, and how old it is.
func (p *Past) Shown() (s *cluster.Snapshot, age time.Duration) {
	if p.at == nil {
		return p.now, 0
	}
	return p.at, p.now.At.Sub(p.at.At)
}

// Step goes to the next kept Snapshot that is at least this much earlier (by < 0) or later. After the last one the
// screen is live again. notice says that this is the oldest or the newest one.
func (p *Past) Step(by time.Duration) (notice string) {
	s, _ := p.Shown()
	to := s.At.Add(by)
	if by > 0 {
		at := slices.IndexFunc(p.kept, func(k *cluster.Snapshot) bool { return !k.At.Before(to) })
		if p.at == nil || at < 0 {
			p.at = nil
			return "the screen is live: there is nothing later"
		}
		p.at = p.kept[at]
		return ""
	}
	earlier := slices.IndexFunc(p.kept, func(k *cluster.Snapshot) bool { return !k.At.Before(s.At) })
	if earlier < 0 {
		earlier = len(p.kept)
	}
	if earlier == 0 {
		return p.whyNoEarlier()
	}
	at := earlier - 1
	for at > 0 && p.kept[at].At.After(to) {
		at--
	}
	if p.at = p.kept[at]; p.at.At.After(to) { // it was too far
		return p.whyNoEarlier()
	}
	return ""
}

// None says why there is no past at all; "": there is one.
func (p *Past) None() string {
	if recent, _ := p.snapshotIntervals(); recent == 0 {
		return "the past of so many GPUs is not kept: it would take too much memory. " + keys.Name(keys.Record) +
			" records"
	}
	if len(p.kept) == 0 || len(p.kept) == 1 && p.at == nil {
		return "nothing earlier is known yet: the last 12 minutes are kept from now on"
	}
	return ""
}

// whyNoEarlier says why there is no earlier Snapshot.
func (p *Past) whyNoEarlier() string {
	if why := p.None(); why != "" {
		return why
	}
	return "this is the oldest: " + draw.Age(p.now.At.Sub(p.kept[0].At)) + " of at most 12 minutes are kept"
}
