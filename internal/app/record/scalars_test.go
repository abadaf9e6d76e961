package record

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/output/scalars"
	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// writtenScalars counts its samples.
type writtenScalars struct{ n int }

func (w *writtenScalars) Write(samples []scalars.Sample) error { w.n += len(samples); return nil }

func (w *writtenScalars) Close() error { return nil }

// The end of the job that is logged ends the program. If SLURM does not answer, or other jobs may begin, it goes on.
func TestLogEnds(t *testing.T) {
	jobs := []cluster.JobView{{Job: cluster.Job{ID: "7"}}}
	answered := cluster.Discovery{Command: "squeue", Asked: time.Now(), Answered: time.Now()}
	failing := answered
	failing.Failure = &reach.Failure{Short: "no answer"}
	silent := store.New(time.Second, health.Rules(health.Defaults()))
	silent.Apply(cluster.Event{At: time.Now(), Discovery: &cluster.Discovery{Command: "squeue"}})
	for name, test := range map[string]struct {
		job   string
		batch bool
		looks []cluster.Snapshot
		code  int
		words string
	}{
		"it ends": {"7", false, []cluster.Snapshot{{Jobs: jobs, Discovery: answered},
			{Discovery: answered}}, cli.ExitOK, ""},
		"SLURM does not answer": {"7", false, []cluster.Snapshot{{Jobs: jobs, Discovery: answered},
			{Discovery: failing}}, -1, ""},
		"other jobs may come": {"", false, []cluster.Snapshot{{Jobs: jobs, Discovery: answered},
			{Discovery: answered}}, -1, ""},
		"there is none": {"", false, []cluster.Snapshot{{Discovery: answered}}, cli.ExitNoJobs, "no running job"},
		"it is not mine": {"8", false, []cluster.Snapshot{{Discovery: answered}}, cli.ExitNoJobs,
			`job "8" is not one of your running jobs`},
		"an old environment": {"8", true, []cluster.Snapshot{{Discovery: answered}}, cli.ExitNoJobs,
			`job "8", which SLURM_JOB_ID names, is not one`},
		"SLURM is silent": {"8", true, []cluster.Snapshot{*source.LastLook(silent, time.Now(), time.Now())},
			cli.ExitNoJobs, "squeue: "},
		"SLURM fails": {"8", false,
			[]cluster.Snapshot{{Discovery: cluster.Discovery{Command: "squeue", Asked: time.Now(),
				Failure: failing.Failure}}}, cli.ExitNoJobs, "squeue: no answer"},
	} {
		p := &cli.Program{Config: config.Default()}
		p.Config.Job = test.job
		l := &ScalarsOptions{Program: p, batch: test.batch, log: scalars.New(time.Second),
			outputs: []scalarsOutput{{"csv", &writtenScalars{}}}}
		code, words := -1, ""
		for i := range test.looks {
			if err := l.logSnapshot(&test.looks[i]); err != nil {
				if errors.Is(err, errJobOver) {
					code = cli.ExitOK
				} else if exit, ok := errors.AsType[*cli.ExitError](err); ok {
					code, words = exit.Code, exit.Err.Error()
				}
			}
		}
		if code != test.code || !strings.Contains(words, test.words) || test.words == "" && words != "" {
			t.Errorf("%s: exit code %d, %q", name, code, words)
		}
	}
}
