package source

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// controller is a SLURM that follows the test, and remembers the times of the questions.
type controller struct {
	begin time.Time
	floor time.Duration // of the discoverer
	pace  time.Duration // likewise
	only  string        // Live.Job

	heard    *EarlyAnswer // before the beginning
	heardAge time.Duration

	mu    sync.Mutex // protects the following
	took  time.Duration
	err   error
	jobs  []cluster.Job
	ended []cluster.EndedJob
	// open questions: one for each of the first jobs, until its Minors are known
	open     int
	leaves   int             // questions for the topology after them
	asked    []time.Duration // times of the questions for jobs, from the beginning
	next     []time.Duration // times of the other questions
	orders   []string        // jobs to cancel, with signal and time
	supplies []time.Duration // times of the commands for the GPUs of the cluster
	waits    []time.Duration // times of the commands about a job that waits
	counted  []time.Duration // times of the questions to the accounting
	busy     bool            // a command runs
	told     []cluster.Discovery
	failed   error // result of run
}

func (c *controller) Ask(ctx context.Context) (*slurm.Answer, error) {
	return c.command(ctx, &c.asked, func() {})
}

func (c *controller) Next(ctx context.Context) (*slurm.Answer, error) {
	return c.command(ctx, &c.next, func() {
		if c.open == 0 {
			c.leaves--
			return
		}
		c.open--
		c.jobs = slices.Clone(c.jobs)
		c.jobs[c.open].Minors = map[string][]int{c.jobs[c.open].Nodes[0]: {0}}
	})
}

func (c *controller) Cancel(ctx context.Context, job, signal string) error {
	var at []time.Duration
	_, err := c.command(ctx, &at, func() { c.orders = append(c.orders, fmt.Sprint(job, " ", signal, " ", at[0])) })
	return err
}

func (c *controller) KnownLogs(ctx context.Context, job string) (*cluster.LogFiles, error) {
	return c.Logs(ctx, job)
}

func (c *controller) Logs(ctx context.Context, job string) (*cluster.LogFiles, error) {
	var at []time.Duration
	_, err := c.command(ctx, &at, func() { c.orders = append(c.orders, fmt.Sprint("log of ", job, " ", at[0])) })
	return &cluster.LogFiles{Out: "/o"}, err
}

// command notes its beginning, and acts at its end.
func (c *controller) command(ctx context.Context, log *[]time.Duration, do func()) (*slurm.Answer, error) {
	c.mu.Lock()
	if c.busy {
		panic("two commands at a time")
	}
	c.busy = true
	*log = append(*log, time.Since(c.begin))
	took, err := c.took, c.err
	c.mu.Unlock()
	timer := time.NewTimer(took)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy = false
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	do()
	return &slurm.Answer{Jobs: c.jobs, Ended: c.ended, More: c.open > 0, Topology: c.leaves > 0}, nil
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
		d := newDiscoverer(c, "alice", "login1")
		d.floor, d.schedule.own = c.floor, c.pace
		done := make(chan error)
		go func() { done <- d.runDiscovery(ctx, c.tell) }()
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

// last is the last Discovery.
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
	for i, told := range c.told[1 : len(c.told)-1] {
		if next := told.Next.Sub(c.begin); next != c.asked[i+1] {
			t.Errorf("said at %v that it asks next at %v, but asked at %v", c.asked[i], next, c.asked[i+1])
		}
	}
}

// A user's own pace holds while keys are pressed, and where it is slower than ours, always.
func TestTheUsersPace(t *testing.T) {
	c := &controller{pace: 2 * min1}
	discover(t, c, func(*discoverer) { c.at(4*min1 + 45*sec) })
	c.want(t, 0, 2*min1, 4*min1)
	for _, test := range []struct {
		own, away time.Duration
		failed    bool
		want      time.Duration
	}{
		{10 * sec, 0, false, 10 * sec}, {10 * sec, 6 * min1, false, min1}, {10 * sec, time.Hour, false, 5 * min1},
		{10 * sec, 0, true, 30 * sec}, {2 * min1, 6 * min1, false, 2 * min1}, {2 * min1, 0, true, 2 * min1},
		{20 * min1, time.Hour, false, 20 * min1},
	} {
		s := schedule{own: test.own, failed: test.failed}
		if got := s.questionInterval(test.away); got != test.want {
			t.Errorf("own pace %v, away for %v, failed %v: %v, want %v", test.own, test.away, test.failed, got, test.want)
		}
	}
}

// While the list of jobs is on the screen, and somebody presses keys, SLURM is asked more often, unless the user has
// set a slower pace.
func TestThePaceOfTheList(t *testing.T) {
	c := &controller{}
	discover(t, c, func(d *discoverer) {
		c.at(4 * sec)
		d.noteList(true)
		c.at(25 * sec)
		d.noteList(false)
		c.at(95 * sec)
	})
	c.want(t, 0, 10*sec, 20*sec, 30*sec, 60*sec, 90*sec)
	for _, test := range []struct{ own, away, want time.Duration }{
		{0, 0, 10 * sec}, {0, 6 * min1, min1}, {15 * sec, 0, 10 * sec}, {40 * sec, 0, 40 * sec},
	} {
		s := schedule{own: test.own, listed: true}
		if got := s.questionInterval(test.away); got != test.want {
			t.Errorf("own pace %v, away for %v: %v, want %v", test.own, test.away, got, test.want)
		}
	}
}

func TestKeysKeepThePaceUp(t *testing.T) {
	c := &controller{}
	discover(t, c, func(d *discoverer) {
		c.at(4 * min1)
		d.noteKey()
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
		d.noteKey()
		c.at(43*min1 + 31*sec)
	})
	c.want(t, 43*min1, 43*min1+30*sec)
}

func TestADetachedScreenAsksSeldom(t *testing.T) {
	c := &controller{}
	discover(t, c, func(d *discoverer) {
		c.at(31 * sec)
		d.noteAbsence()
		c.at(12*min1 + 1*sec)
		d.noteKey()
		c.at(12*min1 + 32*sec)
	})
	c.want(t, 0, 30*sec, 1*min1, 6*min1, 11*min1, 12*min1+1*sec, 12*min1+31*sec)
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

// A node with sessions that keep ending must not make squeue run every 2 s.
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

// The reason for a lost session may also be a suspended job.
func TestASuspensionIsNews(t *testing.T) {
	c := &controller{jobs: []cluster.Job{{ID: "1"}}}
	discover(t, c, func(d *discoverer) {
		for at := 5 * sec; at <= 20*sec; at += 3 * sec {
			c.at(at)
			c.change(func() { c.jobs = []cluster.Job{{ID: "1", Suspended: !c.jobs[0].Suspended}} })
			d.lost.Ring()
		}
	})
	c.want(t, 0, 5*sec, 8*sec, 11*sec, 14*sec, 17*sec, 20*sec)
}

func TestAskedWhenAJobsTimeIsOver(t *testing.T) {
	c := &controller{}
	discover(t, c, func(d *discoverer) {
		c.change(func() { c.jobs = []cluster.Job{{ID: "1", End: c.begin.Add(40 * sec)}} })
		c.at(90 * sec) // it goes on although its time is over: asked once for that
	})
	c.want(t, 0, 30*sec, 42*sec, 72*sec)
}

// manyEnds has jobs with time limits that end one second after another.
func manyEnds(begin time.Time) []cluster.Job {
	var jobs []cluster.Job
	for i := range 600 {
		jobs = append(jobs, cluster.Job{ID: strconv.Itoa(i), End: begin.Add(time.Duration(i+1) * sec)})
	}
	return jobs
}

// Ends that follow each other bring the question forward less and less, until only the pace is left.
func TestManyEndsDoNotSetThePace(t *testing.T) {
	broken := errors.New("broken")
	for _, test := range []struct {
		name  string
		err   error
		took  time.Duration
		first []time.Duration // questions
		most  int             // in 10 minutes
	}{
		{"the controller answers", nil, 0, []time.Duration{0, 2 * sec, 5 * sec, 9 * sec, 17 * sec, 33 * sec, 63 * sec,
			93 * sec}, 25},
		{"it fails", broken, 0, []time.Duration{0, 2 * sec, 5 * sec, 35 * sec, 65 * sec}, 23},
		{"it is slow", nil, 5 * sec, []time.Duration{0, 2 * sec, 5 * sec, 70 * sec, 195 * sec}, 7},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := &controller{}
			discover(t, c, func(d *discoverer) {
				c.change(func() { c.jobs = manyEnds(c.begin.Add(2 * sec)) })
				d.refresh.Ring()
				c.at(2500 * time.Millisecond)
				c.change(func() { c.err, c.took = test.err, test.took })
				for at := 3 * sec; at <= 10*min1; at += 10 * sec { // the user is present all the time
					c.at(at)
					d.noteKey()
				}
			})
			if len(c.asked) > test.most {
				t.Errorf("%d questions in 10 minutes, want at most %d", len(c.asked), test.most)
			}
			if diff := cmp.Diff(test.first, c.asked[:min(len(test.first), len(c.asked))]); diff != "" {
				t.Errorf("the first questions (-want +got):\n%s", diff)
			}
		})
	}
}

// Nothing brings a question nearer to the last one than the floor: not the user, nor lost sessions, ends or failures.
func TestTheFloorHolds(t *testing.T) {
	for name, broken := range map[string]error{"the controller answers": nil, "it fails": errors.New("broken")} {
		c := &controller{err: broken, floor: 45 * sec}
		discover(t, c, func(d *discoverer) {
			c.change(func() { c.jobs = manyEnds(c.begin.Add(2 * sec)) })
			for at := sec; at < 4*min1; at += sec {
				c.at(at)
				d.noteKey()
				d.refresh.Ring()
				d.lost.Ring()
			}
		})
		if want := []time.Duration{0, 45 * sec, 90 * sec, 135 * sec, 180 * sec, 225 * sec}; !slices.Equal(c.asked,
			want) {
			t.Errorf("%s: asked at %v, want %v", name, c.asked, want)
		}
	}
	c := &controller{floor: 20 * min1} // longer than the longest pace
	discover(t, c, func(*discoverer) { c.at(time.Hour - sec) })
	c.want(t, 0, 20*min1, 40*min1)
}

func TestSlowAnswersDoubleTheInterval(t *testing.T) {
	c := &controller{took: 3 * sec}
	discover(t, c, func(d *discoverer) {
		for at := sec; at <= 12*min1; at += min1 { // the user is present all the time
			c.at(at)
			d.noteKey()
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
	away := &reach.Failure{Class: reach.ClassSlurmTimeout, Short: "slurmctld not responding"}
	c := &controller{jobs: []cluster.Job{{ID: "1", Nodes: []string{"n1"}}}}
	discover(t, c, func(d *discoverer) {
		c.at(10 * sec)
		c.change(func() { c.err, c.took = away, 10*sec })
		c.at(41 * sec)
		if told := c.last(); told.Failure != away || len(told.Jobs) != 1 || !told.Answered.Equal(c.begin) ||
			!told.Asked.Equal(c.begin.Add(40*sec)) {
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

// busyController has 60 jobs of a node each, and takes 8 s for each command. A slow controller delays the GPUs, not the
// jobs, and rests for at least half of the time. The user's r comes before open questions, and these before the pace;
// no question is lost. A quick controller answers many questions between two Discoveries; the last Discovery has
// everything.
func TestNoSlurm(t *testing.T) {
	c := &controller{err: command.ErrNoSlurm}
	discover(t, c, func(*discoverer) {})
	if !errors.Is(c.failed, command.ErrNoSlurm) || len(c.told) != 1 {
		t.Errorf("run returned %v and told %v", c.failed, c.told)
	}
	c = &controller{}
	discover(t, c, func(*discoverer) {
		c.change(func() { c.err = command.ErrNoSlurm })
		c.at(31 * sec)
	})
	if c.failed != nil || c.last().Failure == nil {
		t.Errorf("SLURM went away later: run returned %v and told %+v", c.failed, c.last())
	}
}

func TestQuitsWhileSlurmIsSilent(t *testing.T) {
	c := &controller{took: time.Hour}
	discover(t, c, func(*discoverer) {})
	if c.failed != nil || len(c.told) != 1 {
		t.Fatalf("run returned %v and told %v", c.failed, c.told)
	}
	if told := c.last(); told.Command != slurm.Question || told.User != "alice" || !told.Asked.IsZero() ||
		told.Jobs != nil {
		t.Errorf("before the first answer: %+v", told)
	}
}

func TestNodesOf(t *testing.T) {
	got := nodesOf([]cluster.Job{{Nodes: []string{"b", "a"}}, {Nodes: []string{"a", "c", "b"}}, {}})
	if want := []string{"b", "a", "c"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Jobs that have ended stay while SLURM fails to answer, as all jobs do.
func TestEndedJobsArePassedOn(t *testing.T) {
	c := &controller{ended: []cluster.EndedJob{{ID: "7", State: cluster.JobFailed}}}
	discover(t, c, func(*discoverer) {
		c.change(func() { c.err = errors.New("no answer") })
		c.at(40 * sec)
	})
	if told := c.last(); told.Failure == nil || len(told.Ended) != 1 || told.Ended[0].ID != "7" {
		t.Errorf("told %+v, failure %v", told.Ended, told.Failure)
	}
}
