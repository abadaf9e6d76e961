package app

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/source"
)

// SLURM is asked once for several TABs, and the name of a job cannot add a line or an escape sequence.
func TestNames(t *testing.T) {
	answers := command.NewKeptAnswers(filepath.Join(t.TempDir(), "answers"))
	asked := 0
	ask := func(context.Context) (*slurm.Answer, error) {
		asked++
		return &slurm.Answer{
			Jobs: []cluster.Job{{ID: "7", Name: "train", Nodes: []string{"n2", "n1"}},
				{ID: "2_1", Name: "a\nnode evil\x1b[2J", Nodes: []string{"n2"}}},
			Pending: []cluster.PendingJob{{ID: "9", Name: "next"}},
		}, nil
	}
	for name, test := range map[string]struct {
		of   func(*cluster.Discovery) []string
		want []string
	}{"running": {runningIn, []string{"7\ttrain", "2_1\ta?node evil"}}, "pending": {pendingIn, []string{"9\tnext"}},
		"nodes": {nodesOfJobs, []string{"n1", "n2"}}} {
		if got := test.of(knownJobs(answers, ask)); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
	if asked != 1 {
		t.Errorf("SLURM was asked %d times", asked)
	}
}

// What another program has kept is good enough, and an answer to the shell serves a program that needs no more.
func TestAnswersAreShared(t *testing.T) {
	now := time.Now()
	answers := command.NewKeptAnswers(filepath.Join(t.TempDir(), "answers"))
	if err := source.KeepJobs(answers, &cluster.Discovery{Asked: now, Answered: now,
		Jobs: []cluster.Job{{ID: "7", Nodes: []string{"n1"}}}}); err != nil {
		t.Fatal(err)
	}
	got := nodesOfJobs(knownJobs(answers, func(context.Context) (*slurm.Answer, error) {
		t.Error("SLURM is asked")
		return nil, nil
	}))
	if !slices.Equal(got, []string{"n1"}) {
		t.Errorf("got %q", got)
	}
	for more, serves := range map[bool]bool{false: true, true: false} {
		answers := command.NewKeptAnswers(filepath.Join(t.TempDir(), "answers"))
		knownJobs(answers, func(context.Context) (*slurm.Answer, error) { return &slurm.Answer{More: more}, nil })
		if heard := source.Kept(answers, time.Minute, ""); (heard != nil) != serves {
			t.Errorf("open questions %v: kept %+v", more, heard)
		}
	}
}

// While SLURM is slow the names of its last answer are better than none, for an hour.
func TestOldNames(t *testing.T) {
	answers := command.NewKeptAnswers(filepath.Join(t.TempDir(), "answers"))
	synctest.Test(t, func(t *testing.T) {
		ask := func(context.Context) (*slurm.Answer, error) {
			return &slurm.Answer{Jobs: []cluster.Job{{ID: "7", Name: "train"}}}, nil
		}
		if got := runningIn(knownJobs(answers, ask)); len(got) != 1 {
			t.Fatalf("%q", got)
		}
		asked := false
		late := func(context.Context) (*slurm.Answer, error) {
			asked = true
			return nil, context.DeadlineExceeded
		}
		for _, step := range []struct {
			wait time.Duration
			want int
		}{{2 * freshAnswer, 1}, {2 * freshAnswer, 1}, {usefulWords - 5*freshAnswer, 1}, {2 * freshAnswer, 0}} {
			time.Sleep(step.wait)
			asked = false
			if got := runningIn(knownJobs(answers, late)); len(got) != step.want || !asked {
				t.Errorf("%v later %q, asked %v", step.wait, got, asked)
			}
			if source.Kept(answers, freshAnswer, "") != nil {
				t.Error("a failure is kept as an answer")
			}
		}
	})
}

// A controller that does not answer costs one short wait, not one at each TAB.
func TestNamesOfASlowController(t *testing.T) {
	answers := command.NewKeptAnswers(filepath.Join(t.TempDir(), "answers"))
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		ask := func(ctx context.Context) (*slurm.Answer, error) {
			asked++
			<-ctx.Done()
			return nil, ctx.Err()
		}
		began := time.Now()
		for range 2 {
			if got := runningIn(knownJobs(answers, ask)); len(got) > 0 {
				t.Errorf("got %q", got)
			}
		}
		if took := time.Since(began); asked != 1 || took != completionPatience {
			t.Errorf("SLURM was asked %d times, %v in all", asked, took)
		}
	})
}
