package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/output/report"
	"github.com/nvnodetop/nvnodetop/internal/output/report/books"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
	"github.com/nvnodetop/nvnodetop/internal/slurm/sacct"
	"github.com/nvnodetop/nvnodetop/internal/source/recording"
)

// reportRecorded prints the report of a job in a recording, with what SLURM has counted if it still knows the job.
func (o *Options) reportRecorded(ctx context.Context, log *slog.Logger, file *os.File, args []string) error {
	opened, r, err := OpenRecording(ctx, o.from)
	if ctx.Err() != nil {
		return cli.Exit(cli.ExitFailed, cli.ErrInterrupted)
	}
	if err != nil {
		return cli.Usage("--from: %q: %w", o.from, err)
	}
	defer func() { _ = opened.Close() }()
	if r.Cut {
		o.Say("%q is cut: it ends at %s", o.from, r.End.Format(time.DateTime))
	}
	made, damaged, err := Recorded(ctx, o.Program, r, strings.Join(args, ""))
	if err != nil {
		return err
	}
	if sacct.IsID(made.Job.ID) && (slurm.Installed() || o.Config.Login != "") {
		if jobs, err := feed.AccountedJobs(ctx, o.Program, log, made.Job.ID); err == nil && len(jobs) == 1 {
			books.Join(made, &jobs[0], report.FromRecording, o.from, time.Now())
		}
	}
	err = o.Report(file, o.format, addKnown(o.Program, made))
	if damaged != nil {
		err = cli.Exit(cli.ExitFailed, damaged)
	}
	return err
}

// Recorded returns the report of a job from the Events of a recording; "" is the only job. If the recording is damaged,
// the report ends at the damage.
func Recorded(ctx context.Context, p *cli.Program, r *recording.Reader, named string) (made *report.Report, damaged,
	err error) {
	job, err := jobOf(ctx, r, named)
	if err != nil {
		return nil, nil, cli.Exit(cli.ExitNoJobs, err)
	}
	seen := report.New(job, r.Header.Poll, health.Rules(p.Config.Thresholds))
	damaged = r.Run(ctx, seen.Apply)
	if ctx.Err() != nil {
		return nil, nil, cli.Exit(cli.ExitFailed, cli.ErrInterrupted)
	}
	if made = seen.Report(); made == nil {
		return nil, nil, cli.Exit(cli.ExitNoJobs, fmt.Errorf("no job %q has run in the recording, which has %s", job,
			cmp.Or(strings.Join(jobsOf(ctx, r), ", "), "none")))
	}
	return made, damaged, nil
}

// OpenRecording opens a recording. A FIFO or a device is not a recording.
func OpenRecording(ctx context.Context, path string) (*os.File, *recording.Reader, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, nil, errors.Unwrap(err)
	case !info.Mode().IsRegular():
		return nil, nil, recording.ErrNotRecording
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, errors.Unwrap(err)
	}
	r, err := recording.Open(ctx, f, info.Size())
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, r, nil
}

// jobOf returns the job to report on: the one that the user named, or the only job of the recording.
func jobOf(ctx context.Context, r *recording.Reader, named string) (string, error) {
	if named != "" {
		return named, nil
	}
	ids := jobsOf(ctx, r)
	switch len(ids) {
	case 0:
		return "", errors.New("no job has run in the recording")
	case 1:
		return ids[0], nil
	}
	return "", fmt.Errorf("the recording has several jobs: name one: %s", strings.Join(ids, ", "))
}

// jobsOf returns the IDs of jobs in a recording.
func jobsOf(ctx context.Context, r *recording.Reader) (ids []string) {
	_ = r.Run(ctx, func(e cluster.Event) { // the report mentions damage
		if e.Discovery == nil {
			return
		}
		for i := range e.Discovery.Jobs {
			if id := e.Discovery.Jobs[i].ID; !slices.Contains(ids, id) && len(ids) < mostNamed {
				ids = append(ids, id)
			}
		}
	})
	return ids
}

// mostNamed is how many jobs are offered for a choice.
const mostNamed = 20

// largest is the size of the largest recording that is read without the user asking for it.
const largest = 64 << 20

// mostTried is how many recordings are tried, newest first.
const mostTried = 3

// ownRecording returns the report of a job from the user's last recording of it; nil: there is none. It looks for files
// with the job's ID in their name, as the screen names them. It looks where the screen puts them, and in the working
// directory.
func ownRecording(ctx context.Context, p *cli.Program, dir, id string, j *sacct.Job) *report.Report {
	for _, path := range recordingsOf(id, cmp.Or(dir, "."), cmp.Or(dir, p.Config.RecordingsIn())) {
		if made := ofRecording(ctx, p, path, id, j); made != nil {
			return made
		}
	}
	return nil
}

// recordingsOf returns the newest recordings in some directories, of those with a job's ID in their file names.
func recordingsOf(id string, dirs ...string) (paths []string) {
	named := regexp.MustCompile(`(^|[^0-9_])` + strings.ReplaceAll(id, "+", "-") + `([^0-9_].*)?\.nvr$`)
	written := map[string]time.Time{}
	for _, dir := range dirs {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if !named.MatchString(e.Name()) {
				continue
			}
			path := filepath.Join(dir, e.Name())
			info, err := os.Stat(path)
			if err == nil && info.Mode().IsRegular() && info.Size() <= largest {
				written[path] = info.ModTime()
			}
		}
	}
	paths = slices.SortedFunc(maps.Keys(written), func(a, b string) int {
		return cmp.Or(written[b].Compare(written[a]), strings.Compare(a, b))
	})
	return paths[:min(len(paths), mostTried)]
}

func ofRecording(ctx context.Context, p *cli.Program, path, id string, j *sacct.Job) *report.Report {
	opened, r, err := OpenRecording(ctx, path)
	if err != nil {
		return nil
	}
	defer func() { _ = opened.Close() }()
	made, damaged, err := Recorded(ctx, p, r, id)
	if err != nil || damaged != nil || !books.Join(made, j, report.FromRecording, path, time.Now()) {
		return nil
	}
	return made
}
