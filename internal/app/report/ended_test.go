package report

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/slurm/sacct"
	"github.com/nvnodetop/nvnodetop/internal/source/demo"
	"github.com/nvnodetop/nvnodetop/test/feedtest"
)

// accountant is a feed whose accounting answers with parts of a job.
type accountant struct {
	feedtest.Feed
	jobs []sacct.Job
	err  error
}

func (a *accountant) Accounts(context.Context, string) ([]sacct.Job, error) { return a.jobs, a.err }

// A screen has the report of each job of the demo that has ended, with the cause of the one that has failed.
func TestEndedJobsOfTheDemo(t *testing.T) {
	t.Chdir(t.TempDir())
	p := &cli.Program{Config: config.Default()}
	d := demo.New(2, 4, demo.Seed, time.Second, 0)
	ctx, cancel := context.WithCancel(t.Context())
	ran := make(chan error, 1)
	go func() { ran <- d.Run(ctx, func(cluster.Event) {}) }()
	defer func() { cancel(); <-ran }()
	of := Ended(p, d)
	for id, state := range map[string]string{"48377_2": "FAILED", "48266": "TIMEOUT", "48377_1": "COMPLETED"} {
		r, err := of(ctx, id)
		if err != nil || r.Job.State != state || r.Accounting.CPU == nil || len(r.Accounting.Steps) != 2 ||
			(r.Job.Cause != "") != (state == "FAILED") {
			t.Errorf("%s: %+v, %v", id, r, err)
		}
	}
	if r, err := of(ctx, "99999"); err == nil || !strings.Contains(err.Error(), `does not show job "99999"`) {
		t.Errorf("a job that is not known: %+v, %v", r, err)
	}
}

// Why there is no report is one line.
func TestNoReportOfAnEndedJob(t *testing.T) {
	p := &cli.Program{Config: config.Default()}
	for want, from := range map[string]*accountant{
		`does not show job "7"`: {}, "slurmdbd is down": {err: errors.New("slurmdbd is down")},
		`job "7" has several parts: name one of them, e.g. 7_1`: {jobs: []sacct.Job{{ID: "7_1"}, {ID: "7_2"}}},
	} {
		if r, err := Ended(p, from)(t.Context(), "7"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v, %v, want %q", r, err, want)
		}
	}
}
