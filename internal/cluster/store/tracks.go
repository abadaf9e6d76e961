package store

import (
	"cmp"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// spell is a condition of one subject, over time.
type spell struct {
	cluster.Condition
	since time.Time // when its first stretch began; stretches less than Linger apart are one spell
	last  time.Time // when it last held
	gap   time.Time // when it last held before the current stretch; zero: this is the first
	times int       // number of stretches
	holds bool
	told  bool // it is reported: level has reached After

	// level is the time during which it held, minus half the time between. So a condition that comes and goes is
	// reported late, and a rare one never.
	level time.Duration
	at    time.Time // of the last step

	// worse is the same as level for the time in which it was more severe than reported. Its severity rises when worse
	// reaches After. Before it is reported, its severity is the one that it had for a third of the time.
	worse time.Duration

	before bool // it held when the node was first seen: since is not its beginning
}

// stepTime is the time of a step.
type stepTime struct {
	at    time.Time
	gap   time.Duration // a longer time between two steps is unknown, and does not count
	first bool          // it is the first step of the node
}

// track has the spells of one subject: one per Kind that holds or ended less than Linger ago, and one per Kind for all
// earlier spells.
type track struct {
	spells []spell
	past   []spell
}

// stepSpells applies the conditions that hold at a moment. Events may be slightly out of order.
func (t *track) stepSpells(held []cluster.Condition, m stepTime) {
	t.retireSpells(m.at)
	for _, c := range held {
		t.extendSpell(c, m)
	}
	for i := range t.spells {
		s := &t.spells[i]
		if s.holds = slices.ContainsFunc(held, func(c cluster.Condition) bool { return c.Kind == s.Kind }); !s.holds {
			s.level = max(0, s.level-s.sinceLastStep(m)/2)
		}
	}
}

func (t *track) extendSpell(c cluster.Condition, m stepTime) {
	began := cmp.Or(c.Since, m.at)
	i := slices.IndexFunc(t.spells, func(s spell) bool { return s.Kind == c.Kind })
	switch {
	case c.Unclear && i >= 0:
		t.spells[i].pauseClock(m)
		return
	case c.Unclear:
		return
	case i < 0:
		i = len(t.spells)
		t.spells = append(t.spells, spell{at: m.at})
	}
	s := &t.spells[i]
	alone := !s.holds && s.level == 0 // the first sample with it for a while
	if !s.holds {
		s.holds = true
		s.times++
		s.gap = s.last
		if !s.told && alone { // an unreported spell has no age
			s.since, s.gap, s.times, s.before = began, time.Time{}, 1, m.first && c.Since.IsZero()
		}
	}
	passed := s.sinceLastStep(m) / c.Slowness()
	s.level, s.last = s.level+passed, m.at
	if alone || !s.staysMilder(c, passed) {
		s.worse = max(0, s.worse-passed/2)
		s.Condition = c
	}
	s.told = s.told || c.After == 0 || !alone && s.level >= c.After
}

// staysMilder reports whether the spell has not yet been as severe as the condition for long enough.
func (s *spell) staysMilder(c cluster.Condition, passed time.Duration) bool {
	if c.Severity <= s.Severity || c.After == 0 {
		return false
	}
	s.worse += passed
	return s.told && s.worse < c.After || !s.told && 3*s.worse < s.level
}

// pauseClock stops the clock of the spell.
func (s *spell) pauseClock(m stepTime) { s.last, s.at = m.at, m.at }

// sinceLastStep returns the time since the last step, 0 if it is unknown. From then on, the moment counts as the last
// step.
func (s *spell) sinceLastStep(m stepTime) time.Duration {
	d := m.at.Sub(s.at)
	if s.at = m.at; d > m.gap {
		return 0
	}
	return max(d, 0)
}

// retireSpells moves spells that ended at least Linger ago to the past, and drops those that ended at least Remember
// ago.
func (t *track) retireSpells(at time.Time) {
	t.past = slices.DeleteFunc(t.past, func(s spell) bool { return s.isForgotten(at) })
	t.spells = slices.DeleteFunc(t.spells, func(s spell) bool {
		over := s.hasEnded(at)
		if over && s.told && s.Severity != cluster.Waiting && !s.isForgotten(at) {
			t.mergeIntoPast(s)
		}
		return over
	})
}

// dropSpells forgets the spells of a GPU that have become spells of its node: they have not ended.
func (t *track) dropSpells(whole []cluster.Condition) {
	t.spells = slices.DeleteFunc(t.spells, func(s spell) bool { return ofEvery(whole, s.Kind) })
}

// hasEnded reports whether the spell can no longer continue. A spell that is Waiting ends at once: the awaited data has
// arrived.
func (s *spell) hasEnded(at time.Time) bool {
	return !s.holds && (at.Sub(s.last) > cluster.Linger || s.Severity == cluster.Waiting)
}

func (s *spell) isForgotten(at time.Time) bool { return at.Sub(s.last) > cluster.Remember }

// mergeIntoPast merges the spell with earlier ones of its Kind.
func (t *track) mergeIntoPast(s spell) {
	i := slices.IndexFunc(t.past, func(p spell) bool { return p.Kind == s.Kind })
	if i < 0 {
		t.past = append(t.past, s)
		return
	}
	s.since, s.before, s.times = t.past[i].since, t.past[i].before, s.times+t.past[i].times
	t.past[i] = s
}

// asOf returns the track at a moment without an Event. It does not change the track: only Events do, never Snapshots.
func (t *track) asOf(now time.Time) *track {
	ended := slices.ContainsFunc(t.spells, func(s spell) bool { return s.hasEnded(now) })
	if !ended && !slices.ContainsFunc(t.past, func(s spell) bool { return s.isForgotten(now) }) {
		return t
	}
	c := t.copyTrack()
	c.retireSpells(now)
	return c
}

// hasWarning reports whether a condition of this kind holds and is reported, as more than a note.
func (t *track) hasWarning(kind cluster.Kind) bool {
	return slices.ContainsFunc(t.spells, func(s spell) bool {
		return s.Kind == kind && s.holds && s.told && s.Severity >= cluster.Warning
	})
}

func (t *track) copyTrack() *track {
	return &track{spells: slices.Clone(t.spells), past: slices.Clone(t.past)}
}

func (t *track) isEmpty() bool { return len(t.spells) == 0 && len(t.past) == 0 }
