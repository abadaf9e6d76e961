package source

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
)

// controller is a SLURM that answers as told, and remembers when it was asked.
type controller struct {
	begin time.Time

	mu     sync.Mutex // protects the following
	took   time.Duration
	err    error
	jobs   []cluster.Job
	asked  []time.Duration // when it was asked, from the beginning
	told   []cluster.Discovery
	failed error // what run returned
}

func (c *controller) ask(ctx context.Context) (*slurm.Answer, error) {
	c.mu.Lock()
	c.asked = append(c.asked, time.Since(c.begin))
	took, err, jobs := c.took, c.err, c.jobs
	c.mu.Unlock()
	select {
	case <-time.After(took):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	return &slurm.Answer{Jobs: jobs}, nil
}

// change changes c while it may be asked.
func (c *controller) change(do func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	do()
}

func (c *controller) tell(known cluster.Discovery) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told = append(c.told, known)
}

// discover runs a discoverer against c while test runs. It begins at the time 0 of c.
func discover(t *testing.T, c *controller, test func(d *discoverer)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c.begin = time.Now()
		ctx, cancel := context.WithCancel(t.Context())
		d := newDiscoverer(c.ask, "alice", "login1")
		done := make(chan error)
		go func() { done <- d.run(ctx, c.tell) }()
		synctest.Wait()
		test(d)
		synctest.Wait()
		cancel()
		c.failed = <-done
	})
}

// at sleeps until the time at of c.
func (c *controller) at(at time.Duration) {
	time.Sleep(time.Until(c.begin.Add(at)))
	synctest.Wait()
}

func (c *controller) want(t *testing.T, want ...time.Duration) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if diff := cmp.Diff(want, c.asked); diff != "" {
		t.Errorf("asked at (-want +got):\n%s", diff)
	}
}

// last is what was told last.
func (c *controller) last() cluster.Discovery {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.told[len(c.told)-1]
}

const (
	sec  = time.Second
	min1 = time.Minute
)

func TestPaceStretchesWhileNobodyIsThere(t *testing.T) {
	c := &controller{}
	discover(t, c, func(d *discoverer) { c.at(46 * min1) })
	want := []time.Duration{0}
	for at := 30 * sec; at <= 5*min1; at += 30 * sec {
		want = append(want, at)
	}
	for at := 6 * min1; at <= 30*min1; at += min1 {
		want = append(want, at)
	}
	want = append(want, 35*min1, 40*min1, 45*min1)
	c.want(t, want...)
	for i, told := range c.told[:len(c.told)-1] {
		if next := told.Next.Sub(c.begin); next != c.asked[i+1] {
			t.Errorf("said at %v that it asks next at %v, but asked at %v", c.asked[i], next, c.asked[i+1])
		}
	}
}

func TestKeysKeepThePaceUp(t *testing.T) {
	c := &controller{}
	discover(t, c, func(d *discoverer) {
		c.at(4 * min1)
		d.touch()
		c.at(8 * min1)
	})
	if last := c.asked[len(c.asked)-1]; last != 8*min1 || len(c.asked) != 17 {
		t.Errorf("asked %d times, last at %v", len(c.asked), last)
	}
}

func TestWhoComesBackIsAnsweredSoon(t *testing.T) {
	c := &controller{}
	discover(t, c, func(d *discoverer) {
		c.at(43 * min1) // asked last at 40 min, next at 45
		c.change(func() { c.asked = nil })
		d.touch()
		c.at(43*min1 + 31*sec)
	})
	c.want(t, 43*min1, 43*min1+30*sec)
}

func TestPokesAreCoalescedWithAGap(t *testing.T) {
	c := &controller{}
	discover(t, c, func(d *discoverer) {
		c.at(10 * sec)
		d.refresh.Ring()
		c.at(10*sec + 500*time.Millisecond)
		for range 20 {
			d.refresh.Ring()
			d.lost.Ring()
		}
		c.at(20 * sec)
	})
	c.want(t, 0, 10*sec, 12*sec)
	if next := c.last().Next.Sub(c.begin); next != 42*sec {
		t.Errorf("next at %v, want the pace to count from the last answer", next)
	}
}

// A node whose sessions end again and again must not make squeue run every 2 s.
func TestLossesThatTellNothingNewAreAskedLessAndLess(t *testing.T) {
	c := &controller{}
	discover(t, c, func(d *discoverer) {
		for at := sec; at <= 100*sec; at += sec {
			c.at(at)
			d.lost.Ring()
		}
	})
	c.want(t, 0, 2*sec, 6*sec, 14*sec, 30*sec, 60*sec, 90*sec)
}

func TestALossThatTellsOfAnEndIsAnsweredAtOnce(t *testing.T) {
	c := &controller{jobs: []cluster.Job{{ID: "1"}, {ID: "2"}, {ID: "3"}}}
	discover(t, c, func(d *discoverer) {
		for _, at := range []time.Duration{5 * sec, 8 * sec, 11 * sec} {
			c.at(at)
			c.change(func() { c.jobs = c.jobs[1:] })
			d.lost.Ring()
		}
		c.at(12 * sec)
	})
	c.want(t, 0, 5*sec, 8*sec, 11*sec)
	if len(c.last().Jobs) != 0 {
		t.Errorf("jobs %v are still known", c.last().Jobs)
	}
}

func TestAskedWhenAJobsTimeIsOver(t *testing.T) {
	c := &controller{}
	discover(t, c, func(d *discoverer) {
		c.change(func() { c.jobs = []cluster.Job{{ID: "1", End: c.begin.Add(40 * sec)}} })
		c.at(90 * sec) // it goes on although its time is over: asked once for that
	})
	c.want(t, 0, 30*sec, 42*sec, 72*sec)
}

func TestSlowAnswersDoubleTheInterval(t *testing.T) {
	c := &controller{took: 3 * sec}
	discover(t, c, func(d *discoverer) {
		for at := sec; at <= 12*min1; at += min1 { // somebody is there all the time
			c.at(at)
			d.touch()
		}
		c.change(func() { c.took = 0 })
	})
	c.want(t, 0, 63*sec, 186*sec, 429*sec) // 60, 120 and 240 s after each answer; then 300
	if next := c.last().Next.Sub(c.last().Asked); next != 5*min1 {
		t.Errorf("%v to the next question, want 5 minutes at most", next)
	}
	if c.last().Took != 3*sec || c.last().Failure != nil {
		t.Errorf("took %v, failure %v", c.last().Took, c.last().Failure)
	}
}

func TestAFailureKeepsTheJobsAndHeals(t *testing.T) {
	away := &reach.Failure{Class: reach.ClassSlurmTimeout, Short: "slurmctld does not answer"}
	c := &controller{jobs: []cluster.Job{{ID: "1", Nodes: []string{"n1"}}}}
	discover(t, c, func(d *discoverer) {
		c.at(10 * sec)
		c.change(func() { c.err, c.took = away, 10*sec })
		c.at(41 * sec)
		if told := c.last(); told.Failure != away || len(told.Jobs) != 1 || !told.Answered.Equal(c.begin) || !told.Asked.Equal(c.begin.Add(40*sec)) {
			t.Errorf("told %+v", told)
		}
		c.at(130 * sec)
		c.change(func() { c.err, c.took = nil, 0 })
		c.at(151 * sec)
		if told := c.last(); told.Failure != nil || !told.Answered.Equal(c.begin.Add(150*sec)) {
			t.Errorf("healed, but told %+v", told)
		}
		c.at(181 * sec)
	})
	c.want(t, 0, 30*sec, 70*sec, 110*sec, 150*sec, 180*sec)
}

func TestFailuresAreAskedSeldomWhileNobodyIsThere(t *testing.T) {
	c := &controller{}
	discover(t, c, func(d *discoverer) {
		c.at(6 * min1)
		c.change(func() { c.asked, c.err = nil, errors.New("broken") })
		c.at(20 * min1)
	})
	c.want(t, 7*min1, 9*min1, 13*min1, 18*min1)
	if f := c.last().Failure; f == nil || f.Class != reach.ClassSlurm || f.Summary() != "broken" {
		t.Errorf("failure %v", f)
	}
}

func TestNoSlurm(t *testing.T) {
	c := &controller{err: slurm.ErrNoSlurm}
	discover(t, c, func(*discoverer) {})
	if !errors.Is(c.failed, slurm.ErrNoSlurm) || len(c.told) != 0 {
		t.Errorf("run returned %v and told %v", c.failed, c.told)
	}
	c = &controller{}
	discover(t, c, func(*discoverer) {
		c.change(func() { c.err = slurm.ErrNoSlurm })
		c.at(31 * sec)
	})
	if c.failed != nil || c.last().Failure == nil {
		t.Errorf("SLURM went away later: run returned %v and told %+v", c.failed, c.last())
	}
}

func TestQuitsWhileSlurmIsSilent(t *testing.T) {
	c := &controller{took: time.Hour}
	discover(t, c, func(*discoverer) {})
	if c.failed != nil || len(c.told) != 0 {
		t.Errorf("run returned %v and told %v", c.failed, c.told)
	}
}

func TestNodesOf(t *testing.T) {
	got := nodesOf([]cluster.Job{{Nodes: []string{"b", "a"}}, {Nodes: []string{"a", "c", "b"}}, {}})
	if want := []string{"b", "a", "c"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
