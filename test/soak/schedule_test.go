package soak

import (
	"time"
)

// A round of a soak: faults, then a quiet time, at whose end everything must be healthy.
const (
	faultsFor = 20 * time.Minute
	quietFor  = 10 * time.Minute
	roundLast = faultsFor + quietFor
)

// personal reports whether nvnodetop leaves the cure of a condition to a person: it then tries again after up to 6
// minutes.
func personal(c condition) bool { return c == revoked || c == full }

// lasting are the conditions that a fault gives a node; happenings are events that do not last.
var (
	lasting    = []condition{dead, dead, refusing, revoked, garbling, full, mute, lostGPU, noDriver}
	happenings = []order{cut, cut, restart, kill, kill, flood, jump}
	moods      = []mood{away, hanging, babbling, truncating, restarting, slow}
)

// strike makes a fault.
func (s *soak) strike(now time.Time) {
	name := s.fleet.names[s.random.IntN(len(s.fleet.names))]
	n := s.fleet.nodes[name]
	switch dice := s.random.IntN(10); {
	case dice < 5 && n.now() == well:
		c := lasting[s.random.IntN(len(lasting))]
		s.note(string(c))
		s.personal[name] = s.personal[name] || personal(c)
		s.over[name] = now.Add(20*time.Second + time.Duration(s.random.Int64N(int64(8*time.Minute))))
		n.become(c)
	case dice < 8:
		o := happenings[s.random.IntN(len(happenings))]
		s.note(string(o))
		s.struck[name] = now
		s.personal[name] = s.personal[name] || o == flood
		n.once(o)
	case dice < 9 && s.controller.mood == fine:
		m := moods[s.random.IntN(len(moods))]
		s.note("controller " + string(m))
		s.moodOver = now.Add(10*time.Second + time.Duration(s.random.Int64N(int64(4*time.Minute))))
		if m == restarting {
			s.moodOver = now.Add(time.Minute)
		}
		s.controller.become(m)
	default:
		s.note("drain")
		s.controller.mu.Lock()
		s.controller.drained[name] = !s.controller.drained[name]
		s.controller.mu.Unlock()
	}
}

// heal ends the faults whose time is over; with all, every one.
func (s *soak) heal(now time.Time, all bool) {
	for name, over := range s.over {
		if all || !over.After(now) {
			delete(s.over, name)
			s.fleet.nodes[name].become(well)
		}
	}
	if all || !s.moodOver.After(now) {
		s.controller.become(fine)
	}
}

// attend is the user: there in the first two rounds of four, away in the next, and back before the end of the fourth.
func (s *soak) attend(now time.Time, round int, quiet bool) {
	here := round%4 < 2 || round%4 == 3 && quiet
	if !here || int(now.Sub(s.began)/time.Second)%20 != 0 {
		return
	}
	s.live.Touch()
	s.seen = now
	switch s.random.IntN(12) {
	case 0:
		s.live.Refresh()
	case 1:
		s.live.Look(s.fleet.names[s.random.IntN(len(s.fleet.names))], true)
	case 2:
		s.live.Look("", false)
	}
}
