package ui

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
)

// lookback keeps some of the Snapshots that were on the screen, so that the user can look back. They are whole: each
// has its processes, problems and histories. To keep one costs nothing but its memory, so their number depends on the
// GPUs.
type lookback struct {
	kept []*cluster.Snapshot // oldest first
	at   *cluster.Snapshot   // on the screen; nil: the screen is live
	now  *cluster.Snapshot   // the newest
}

// The Snapshots that are kept reach back as far as histories. In each, a GPU takes about 4 kB: with more GPUs they are
// fewer, and with very many there are none.
const (
	lookBackSpan = 12 * time.Minute
	recentSpan   = 2 * time.Minute
	recentEvery  = 10 * time.Second // in the recent span
	olderEvery   = 30 * time.Second
	fewGPUs      = 64
	mostGPUs     = 8 * fewGPUs
)

// every returns the times between two kept Snapshots, of the recent and of the older ones; 0: none is kept.
func (l *lookback) every() (recent, older time.Duration) {
	gpus := 0
	for _, n := range l.now.Nodes {
		gpus += len(n.GPUs)
	}
	if gpus > mostGPUs {
		return 0, 0
	}
	scale := time.Duration(max((gpus+fewGPUs-1)/fewGPUs, 1))
	return scale * recentEvery, scale * olderEvery
}

// keep takes the newest Snapshot, keeps it if the last one is old enough, and thins out the older ones.
func (l *lookback) keep(s *cluster.Snapshot) {
	l.now = s
	recent, older := l.every()
	if n := len(l.kept); n == 0 || s.At.Sub(l.kept[n-1].At) >= recent {
		l.kept = append(l.kept, s)
	}
	var before time.Time
	l.kept = slices.DeleteFunc(l.kept, func(k *cluster.Snapshot) bool {
		age := s.At.Sub(k.At)
		if recent == 0 || age < 0 || age > lookBackSpan || age > recentSpan && k.At.Sub(before) < older {
			return true
		}
		before = k.At
		return false
	})
}

// shown returns the Snapshot for the screen, and how old it is.
func (l *lookback) shown() (s *cluster.Snapshot, age time.Duration) {
	if l.at == nil {
		return l.now, 0
	}
	return l.at, l.now.At.Sub(l.at.At)
}

// step goes to the next kept Snapshot that is at least this much earlier (by < 0) or later. After the last one the
// screen is live again. notice says why it cannot go further.
func (l *lookback) step(by time.Duration) (notice string) {
	s, _ := l.shown()
	to := s.At.Add(by)
	if by > 0 {
		at := slices.IndexFunc(l.kept, func(k *cluster.Snapshot) bool { return !k.At.Before(to) })
		if l.at == nil {
			return "the screen is live: nothing is later"
		}
		if l.at = nil; at >= 0 {
			l.at = l.kept[at]
		}
		return ""
	}
	earlier := slices.IndexFunc(l.kept, func(k *cluster.Snapshot) bool { return !k.At.Before(s.At) })
	if earlier < 0 {
		earlier = len(l.kept)
	}
	if earlier == 0 {
		return l.beginning()
	}
	at := earlier - 1
	for at > 0 && l.kept[at].At.After(to) {
		at--
	}
	l.at = l.kept[at]
	return ""
}

// none says why there is no past at all; "": there is one.
func (l *lookback) none() string {
	if recent, _ := l.every(); recent == 0 {
		return "the past of so many GPUs is not kept: it would take too much memory. Ctrl-K records"
	}
	if len(l.kept) == 0 || len(l.kept) == 1 && l.at == nil {
		return "nothing earlier is known yet: the last 12 minutes are kept from now on"
	}
	return ""
}

// beginning says why there is nothing earlier.
func (l *lookback) beginning() string {
	if why := l.none(); why != "" {
		return why
	}
	return "the past begins here: " + draw.Age(l.now.At.Sub(l.kept[0].At)) + " of at most 12 minutes are kept"
}

// errPast is the reason why nothing is asked of nodes or SLURM while the screen shows the past.
var errPast = errors.New(inThePast)

const inThePast = "the screen shows the past: Esc leads back to now"

// lookBack answers the keys that move the live screen through the last minutes.
func (m *model) lookBack(k tea.KeyPressMsg) bool {
	if m.Tape != nil || !m.view.answers(k, m.scene) {
		return false
	}
	switch {
	case key.Matches(k, keys.StepBack):
		m.scene.Notice = m.past.step(-1)
	case key.Matches(k, keys.StepOn):
		m.scene.Notice = m.past.step(+1)
	case key.Matches(k, keys.LongBack):
		m.scene.Notice = m.past.step(-time.Minute)
	case key.Matches(k, keys.LongOn):
		m.scene.Notice = m.past.step(+time.Minute)
	case m.past.at != nil && key.Matches(k, keys.Back):
		m.past.at = nil
	case m.past.at != nil && key.Matches(k, keys.Refresh):
		m.scene.Notice = inThePast
	default:
		return false
	}
	m.show()
	return true
}

// canLookBack reports whether the page on the screen has the keys that look back, and there is a past.
func (m *model) canLookBack() bool {
	at := m.view.keys(m.scene)
	return m.Tape == nil && m.scene.NoPast == "" && keys.Main.Is(at, m.view.hasOf(at))
}

// show puts the Snapshot of now, or of the chosen moment, on the screen. In the past nothing can be sent to processes.
func (m *model) show() {
	var age time.Duration
	m.scene.Snap, age = m.past.shown()
	m.scene.Ago, m.scene.ReadOnly, m.scene.NoPast = "", m.ReadOnly, m.past.none()
	if m.past.at != nil {
		s := int(age / time.Second)
		m.scene.Ago, m.scene.ReadOnly = fmt.Sprintf("−%dm%02ds", s/60, s%60), inThePast
	}
	m.resolve()
}
