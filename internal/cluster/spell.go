package cluster

import (
	"cmp"
	"slices"
	"time"
)

// spell is a condition over time, at one place.
type spell struct {
	Condition
	since time.Time // of its first stretch; stretches that are less than Linger apart make one spell
	last  time.Time // when it last held
	times int       // stretches
	holds bool
	told  bool // level has reached After

	// level is how long it has held, less half the time in between that it has not: a condition that comes and goes is told late, one
	// that is rare never.
	level time.Duration
	at    time.Time // of the last step

	before bool // it held already when the node was first looked at: since is not its beginning
}

// moment is when a track is stepped.
type moment struct {
	at    time.Time
	gap   time.Duration // nothing is known of the time since the last step when that is longer
	first bool          // nothing was known before
}

// track is all that has held at one place: a spell of each Kind that goes on or ended less than Linger ago, and one that stands for
// all those before it.
type track struct {
	spells []spell
	past   []spell
}

// step takes in what holds at a moment. Events that overtake each other by a little do no harm.
func (t *track) step(held []Condition, m moment) {
	t.retire(m.at)
	for _, c := range held {
		t.hold(c, m)
	}
	for i := range t.spells {
		s := &t.spells[i]
		if s.holds = slices.ContainsFunc(held, func(c Condition) bool { return c.Kind == s.Kind }); !s.holds {
			s.level = max(0, s.level-s.passed(m)/2)
		}
	}
}

func (t *track) hold(c Condition, m moment) {
	began := cmp.Or(c.Since, m.at)
	i := slices.IndexFunc(t.spells, func(s spell) bool { return s.Kind == c.Kind })
	if i < 0 {
		i = len(t.spells)
		t.spells = append(t.spells, spell{at: m.at})
	}
	s := &t.spells[i]
	alone := !s.holds && s.level == 0 // the only sample that has it, for some time
	if !s.holds {
		s.holds = true
		s.times++
		if !s.told && alone { // what nobody was told of has no age
			s.since, s.times, s.before = began, 1, m.first && c.Since.IsZero()
		}
	}
	s.level += s.passed(m)
	s.Condition, s.last = c, m.at
	s.told = s.told || c.After == 0 || !alone && s.level >= c.After
}

// passed is the time since the last step, 0 where that is not known.
func (s *spell) passed(m moment) time.Duration {
	d := m.at.Sub(s.at)
	if s.at = m.at; d > m.gap {
		return 0
	}
	return max(d, 0)
}

// retire moves what was over for Linger to the past, and forgets the past that is older than Remember.
func (t *track) retire(at time.Time) {
	t.past = slices.DeleteFunc(t.past, func(s spell) bool { return s.forgotten(at) })
	t.spells = slices.DeleteFunc(t.spells, func(s spell) bool {
		over := s.ended(at)
		if over && s.told && s.Severity != Waiting && !s.forgotten(at) {
			t.clear(s)
		}
		return over
	})
}

// ended reports whether the spell will not be taken up again. What was on its way has arrived: that is over at once.
func (s *spell) ended(at time.Time) bool {
	return !s.holds && (at.Sub(s.last) > Linger || s.Severity == Waiting)
}

func (s *spell) forgotten(at time.Time) bool { return at.Sub(s.last) > Remember }

// clear makes one of the spell and those of its Kind before.
func (t *track) clear(s spell) {
	i := slices.IndexFunc(t.past, func(p spell) bool { return p.Kind == s.Kind })
	if i < 0 {
		t.past = append(t.past, s)
		return
	}
	s.since, s.before, s.times = t.past[i].since, t.past[i].before, s.times+t.past[i].times
	t.past[i] = s
}

// asOf is the track at a moment without an Event. The track itself stays as Events made it, whenever Snapshots are taken.
func (t *track) asOf(now time.Time) *track {
	ended := slices.ContainsFunc(t.spells, func(s spell) bool { return s.ended(now) })
	if !ended && !slices.ContainsFunc(t.past, func(s spell) bool { return s.forgotten(now) }) {
		return t
	}
	c := t.copy()
	c.retire(now)
	return c
}

func (t *track) copy() *track {
	return &track{spells: slices.Clone(t.spells), past: slices.Clone(t.past)}
}

func (t *track) empty() bool { return len(t.spells) == 0 && len(t.past) == 0 }
