package store

import (
	"strconv"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/progress"
)

// How far a program is stays with its job, and goes with it. What cannot be is absent, whoever sent it.
func TestProgressOfJobs(t *testing.T) {
	s := New(time.Second, func(cluster.Subject) []cluster.Condition { return nil })
	s.Apply(cluster.Event{Discovery: &cluster.Discovery{Jobs: []cluster.Job{{ID: "7"}, {ID: "8"}, {ID: "9"}}}})
	step, pace, eta := int64(5), -1.0, -time.Hour
	of := func(job string, p progress.Progress) {
		s.Apply(cluster.Event{Progress: &cluster.JobProgress{Job: job, Progress: p}})
	}
	of("7", progress.Progress{Form: "a\x1b[2J", Step: &step, SecondsPerStep: &pace, ETA: &eta, Scope: 77, ETAScope: 77,
		Source: 77, Slower: &progress.Slower{}})
	of("8", progress.Progress{Form: "b", Step: &step})
	of("8", progress.Progress{}) // the log is another file now
	of("10", progress.Progress{Step: &step})
	fork := s.Fork()
	s.Apply(cluster.Event{Discovery: &cluster.Discovery{Jobs: []cluster.Job{{ID: "8"}}}})
	s.Apply(cluster.Event{Discovery: &cluster.Discovery{Jobs: []cluster.Job{{ID: "7"}, {ID: "10"}}}})
	for _, j := range s.Snapshot(time.Now()).Jobs {
		if j.Progress != nil {
			t.Errorf("job %s: %+v", j.ID, j.Progress)
		}
	}
	jobs := fork.Snapshot(time.Now()).Jobs
	if len(jobs[0].Steps) != 1 || len(s.Snapshot(time.Now()).Jobs[0].Steps) > 0 {
		t.Errorf("%d points of a job, and of another one that has its ID", len(jobs[0].Steps))
	}
	p := jobs[0].Progress
	if p == nil || *p.Step != 5 || p.SecondsPerStep != nil || p.ETA != nil || p.Slower != nil ||
		p.Form == "a\x1b[2J" || p.Scope.String()+p.ETAScope.String()+p.Source.String() != "unknownunknown" {
		t.Errorf("%+v", p)
	}
	many := cluster.Discovery{}
	for i := range 2 * cluster.KeptProgress {
		many.Jobs = append(many.Jobs, cluster.Job{ID: strconv.Itoa(i)})
	}
	s.Apply(cluster.Event{Discovery: &many})
	for i := range many.Jobs {
		of(many.Jobs[i].ID, progress.Progress{Step: &step})
	}
	if len(s.progress) != cluster.KeptProgress {
		t.Errorf("%d are kept", len(s.progress))
	}
	if jobs[1].Progress != nil || jobs[2].Progress != nil {
		t.Errorf("%+v, %+v", jobs[1].Progress, jobs[2].Progress)
	}
}
