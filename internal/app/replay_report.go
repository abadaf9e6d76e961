package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/recording"
	"github.com/nvnodetop/nvnodetop/internal/report"
)

// reportOf prints the report of a job, from the Events of a recording. A damaged recording has one up to there.
func reportOf(ctx context.Context, cfg *config.Config, io streams, r *recording.Reader, how *playing) error {
	job, err := jobOf(ctx, r, how.job)
	if err != nil {
		return &exitError{exitNoJobs, err}
	}
	seen := report.New(job, cfg.Poll, health.Rules(cfg.Thresholds))
	damaged := r.Run(ctx, seen.Apply)
	if ctx.Err() != nil {
		return &exitError{exitFailed, errInterrupted}
	}
	made := seen.Report()
	if made == nil {
		return &exitError{exitNoJobs, fmt.Errorf("no job %q has run in the recording", job)}
	}
	err = jobReport{format: how.report}.print(io, made)
	if damaged != nil {
		err = &exitError{exitFailed, damaged}
	}
	return err
}

// jobOf returns the job to report on: the one that the user has named, or the only one of the recording.
func jobOf(ctx context.Context, r *recording.Reader, named string) (string, error) {
	if named != "" {
		return named, nil
	}
	var ids []string
	_ = r.Run(ctx, func(e cluster.Event) { // damage is told with the report
		if e.Discovery == nil {
			return
		}
		for i := range e.Discovery.Jobs {
			if id := e.Discovery.Jobs[i].ID; !slices.Contains(ids, id) && len(ids) < mostNamed {
				ids = append(ids, id)
			}
		}
	})
	switch len(ids) {
	case 0:
		return "", errors.New("no job has run in the recording")
	case 1:
		return ids[0], nil
	}
	return "", fmt.Errorf("the recording has several jobs: name one with --job: %s", strings.Join(ids, ", "))
}

// mostNamed is how many jobs are offered to choose from.
const mostNamed = 20
