package remote

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// TestAnSSHThatRefusedIsTriedAgain beside the step, after longer and longer waits. The step is kept until ssh works.
func TestAnSSHThatRefusedIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newDoorSite(t, "")
		s.goes("a", "ssh: ok")
		began := s.detours("a", reach.ClassRefused)
		s.stays(began, 4*time.Hour, nil)
		if got, want := s.tries, []int{5, 15, 35, 75, 135, 195}; !slices.Equal(got, want) {
			t.Errorf("tried after %v minutes, want %v", got, want)
		}
		s.answers["ssh a"] = nil
		_, s.last, _ = s.attempt("a")
		s.stays(began, 256*time.Minute, failureOf(reach.ClassOther))
		if s.open != 1 { // ssh's, which the next attempt takes
			t.Errorf("%d sessions are open", s.open)
		}
		var steps []reach.Step
		route := s.Route(t.Context(), "a")
		session, err := s.Open(t.Context(), "a", func(step reach.Step) { steps = append(steps, step) })
		if err != nil || route.Door != "ssh" || len(steps) != 1 || s.open != 1 {
			t.Errorf("through %s: %v, steps %+v, %d sessions", route.Door, err, steps, s.open)
		}
		_ = session.Close()
		s.goes("a", "ssh: ok")
		if s.reached["ssh"] != 1 || s.reached["srun"] != 0 || !slices.Equal(s.won, []string{"ssh"}) {
			t.Errorf("reached %v, won %q", s.reached, s.won)
		}

		began = s.detours("a", reach.ClassRefused) // and begins anew
		s.stays(began, 6*time.Minute, nil)
		if got, want := s.tries, []int{5}; !slices.Equal(got, want) {
			t.Errorf("tried after %v minutes, want %v", got, want)
		}
		if s.open != 0 {
			t.Errorf("%d sessions are open", s.open)
		}
	})
}

// Detours that are short have one clock, and a try that is under way when its session ends leaves nothing.
func TestShortDetours(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newDoorSite(t, "")
		s.goes("a", "ssh: ok")
		began := s.detours("a", reach.ClassRefused)
		for minutes := range 4 {
			s.stays(began, time.Duration(minutes)*time.Minute, nil)
			_, s.last, _ = s.attempt("a")
		}
		s.hangs = true
		s.stays(began, 301*time.Second, nil) // ends with the try under way
		synctest.Wait()
		if len(s.tries) != 1 || s.tried != 0 || s.open != 0 {
			t.Errorf("tried after %v minutes, %d under way, %d sessions are open", s.tries, s.tried, s.open)
		}
		s.hangs = false
		_, s.last, _ = s.attempt("a")
		s.stays(began, 11*time.Minute, nil)
		if want := []int{5, 10}; !slices.Equal(s.tries, want) {
			t.Errorf("tried after %v minutes, want %v", s.tries, want)
		}
	})
}

// TestNobodyTakesWhatADetourLeft, if the node is not watched any more: it is closed, and the next watch begins with ssh
// all the same.
func TestNobodyTakesWhatADetourLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newDoorSite(t, "")
		s.goes("a", "ssh: ok")
		ctx, unwatch := context.WithCancel(t.Context())
		s.watch = ctx
		began := s.detours("a", reach.ClassRefused)
		s.answers["ssh a"] = nil
		s.stays(began, time.Hour, failureOf(reach.ClassOther))
		unwatch()
		synctest.Wait()
		if s.open != 0 {
			t.Errorf("%d sessions are open", s.open)
		}
		s.watch = nil
		s.goes("a", "ssh: ok, ssh: ok")
	})
}

// TestWhereSSHNeverWorkedSlurmStays: a site that refuses ssh gets no connection attempts for nothing.
func TestWhereSSHNeverWorkedSlurmStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newDoorSite(t, "")
		s.stays(s.detours("a", reach.ClassRefused), 24*time.Hour, nil)
		if len(s.tries) != 0 {
			t.Errorf("tried after %v minutes", s.tries)
		}
	})
}

// detours has ssh refuse a node, which then is reached through SLURM.
func (s *doorSite) detours(node string, class reach.Class) (began time.Time) {
	s.t.Helper()
	s.answers["ssh "+node] = failureOf(class)
	s.goes(node, "ssh: "+string(class)+"+")
	door, session, failure := s.attempt(node)
	if door != "srun" || failure != nil {
		s.t.Fatalf("through %s: %v; want srun", door, failure)
	}
	s.last, s.tries, s.began = session, nil, time.Now()
	return s.began
}

// stays reads a report a second from the last session until so long after the detour began, and closes it. If it ends
// before with another failure than want, the test fails.
func (s *doorSite) stays(began time.Time, long time.Duration, want *reach.Failure) {
	s.t.Helper()
	for time.Since(began) < long {
		if _, err := s.last.Next(); err != nil {
			f := reach.AsFailure(err, "")
			if want == nil || f.Class != want.Class || !f.Next {
				s.t.Errorf("ended after %v with %+v", time.Since(began), f)
			}
			want = nil
			break
		}
		time.Sleep(time.Second)
	}
	if want != nil {
		s.t.Errorf("did not end in %v", long)
	}
	_ = s.last.Close()
}
