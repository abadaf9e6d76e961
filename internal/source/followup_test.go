package source

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

func busyController() *controller {
	c := &controller{took: 8 * sec, open: 60}
	for i := range c.open {
		c.jobs = append(c.jobs, cluster.Job{ID: strconv.Itoa(i), Nodes: []string{fmt.Sprintf("n%d", i)}})
	}
	return c
}

func TestJobsComeBeforeTheirGPUs(t *testing.T) {
	c := busyController()
	discover(t, c, func(d *discoverer) {
		c.at(8 * sec)
		if told := c.last(); len(told.Jobs) != 60 || !told.Asking {
			t.Fatalf("told %d jobs at 8 s, asking %v", len(told.Jobs), told.Asking)
		}
		for d := 1; d <= 2; d++ {
			c.at(time.Duration(8+16*d) * sec)
			told, known := c.last(), 0
			for _, job := range told.Jobs {
				known += len(job.Minors)
			}
			if known != d || told.Took != 8*sec || !told.Asked.Equal(c.begin.Add(8*sec)) {
				t.Errorf("after %d questions: the GPUs of %d jobs, asked %v, took %v", d, known, told.Asked, told.Took)
			}
		}
		c.at(30 * min1)
	})
	if told := c.last(); told.Asking || len(c.next) != 60 {
		t.Errorf("%d questions in half an hour, asking %v", len(c.next), told.Asking)
	}
	all := slices.Sorted(slices.Values(slices.Concat(c.asked, c.next)))
	for i := range all[1:] {
		if gap := all[i+1] - all[i]; gap < 16*sec {
			t.Fatalf("commands that take 8 s began %v apart, at %v", gap, all[i])
		}
	}
	if len(c.asked) < 5 {
		t.Errorf("asked for the jobs only at %v", c.asked)
	}
}

func TestRefreshWhileQuestionsAreOpen(t *testing.T) {
	c := busyController()
	discover(t, c, func(d *discoverer) {
		c.at(20 * sec) // a question is out since 16 s
		d.refresh.Ring()
		c.at(60 * sec)
	})
	c.want(t, 0, 32*sec) // its answer took 8 s, and the controller rests as long
	if diff := cmp.Diff([]time.Duration{16 * sec, 48 * sec}, c.next); diff != "" {
		t.Errorf("open questions were asked at (-want +got):\n%s", diff)
	}
}

// However often the user asks, the controller works at most half of the time, and the open questions get their turns.
func TestRefreshEverySecond(t *testing.T) {
	c := busyController()
	discover(t, c, func(d *discoverer) {
		for s := range 80 {
			d.refresh.Ring()
			c.at(time.Duration(s) * sec)
		}
	})
	c.want(t, 0, 32*sec, 64*sec)
	if diff := cmp.Diff([]time.Duration{16 * sec, 48 * sec}, c.next); diff != "" {
		t.Errorf("open questions were asked at (-want +got):\n%s", diff)
	}
}

func TestQuickAnswersAreToldTogether(t *testing.T) {
	c := busyController()
	c.took = 20 * time.Millisecond
	discover(t, c, func(d *discoverer) { c.at(10 * sec) })
	if told := c.last(); len(c.told) > 8 || told.Asking || told.Jobs[0].Minors == nil || len(c.next) != 60 {
		t.Errorf("%d Discoveries of %d answers, asking %v", len(c.told), len(c.next), told.Asking)
	}
}

func TestAFailureEndsTheQuestions(t *testing.T) {
	c := busyController()
	discover(t, c, func(d *discoverer) {
		c.at(10 * sec)
		c.change(func() { c.err = errors.New("broken") })
		c.at(25 * sec)
	})
	if told := c.last(); told.Asking || told.Failure == nil || len(told.Jobs) != 60 || len(c.next) != 1 {
		t.Errorf("%d questions, told %+v", len(c.next), told)
	}
}

// The topology is the last question, and nobody who waits for the GPUs of the jobs waits for it. Both arrive at once.
func TestTheTopologyHoldsNobodyUp(t *testing.T) {
	c := &controller{took: 8 * sec, open: 1, leaves: 1, jobs: []cluster.Job{{ID: "1", Nodes: []string{"n1"}}}}
	discover(t, c, func(d *discoverer) {
		for _, step := range []struct {
			at               time.Duration
			asking, topology bool
		}{{8 * sec, true, true}, {24 * sec, false, true}, {39 * sec, false, true}, {40 * sec, false, false}} {
			c.at(step.at)
			if told := c.last(); told.Asking != step.asking || told.Topology != step.topology {
				t.Errorf("at %v: asking %t, topology %t", step.at, told.Asking, told.Topology)
			}
		}
		c.at(50 * sec)
	})
	if diff := cmp.Diff([]time.Duration{16 * sec, 32 * sec}, c.next); diff != "" {
		t.Errorf("open questions were asked at (-want +got):\n%s", diff)
	}
}
