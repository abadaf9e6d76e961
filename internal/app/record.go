package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/access"
	"github.com/nvnodetop/nvnodetop/internal/build"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/recording"
	"github.com/nvnodetop/nvnodetop/internal/report"
	"github.com/nvnodetop/nvnodetop/internal/session"
)

// recordFlags are the flags of record.
type recordFlags struct {
	size      string
	limit     limits
	files     int
	anonymous bool
	batch     bool // the job is that of batchJob
}

// limits end a file. What is 0 has no limit.
type limits struct {
	bytes int64
	time  time.Duration
}

// recordCommand records Events.
func recordCommand(cfg *config.Config, flags *pflag.FlagSet, io streams) *cobra.Command {
	var r recordFlags
	var files []string // FILE and POLL
	var from *config.Origins
	cmd := &cobra.Command{
		Use:   "record FILE [POLL]",
		Short: "record your jobs to a file, without a screen",
		Long: `record writes what nvnodetop sees of your jobs to FILE, until it is interrupted (Ctrl-C, SIGTERM) or a limit is reached, and then prints
what was recorded. nvnodetop replay shows it again. FILE must not exist. POLL is the interval between samples of a node, in seconds.

It records your running jobs, and inside a job this job only.

A recording has no environment of any process. With --anonymous it has neither users nor the names of jobs, nodes, switches, partitions, programs
and directories, nor SLURM's numbers of jobs, which lead to their users: each is replaced, by the same one everywhere. Serial numbers and all text of
other programs are left out. Times, PIDs, models, versions and PCI addresses stay.`,
		Example: `  nvnodetop record run.nvr                        until Ctrl-C
  nvnodetop record --max-time 1h run.nvr          one hour
  nvnodetop record --max-time 1h --files 24 run.nvr   the last day: run.nvr, run.nvr.2, …
  nvnodetop record --job 48211 run.nvr            one job
  nvnodetop record --anonymous bug.nvr            to attach to a report`,
		Args: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("demo") {
				args = cfg.TakeDemoSize(args)
			}
			files = args
			return recordArgs(args)
		},
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := r.check(cmd.Flags()); err != nil {
				return err
			}
			cfg.Steady = true // nobody presses a key
			r.batch = ownJob(cfg, cmd.Flags())
			var err error
			if from, err = accept(cfg, cmd.Flags(), pacesOf(files[1:]), io); err != nil {
				return err
			}
			return mayRecord(cfg)
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			return logged(cfg, from, func(log *slog.Logger) error {
				return record(cmd.Context(), cfg, &r, files[0], io,
					log)
			})
		},
	}
	f := cmd.Flags()
	for _, name := range []string{"demo", "nodes", "transport", "login", "log"} {
		f.AddFlag(flags.Lookup(name))
	}
	f.StringVar(&cfg.Job, "job", "", "record the job `ID` only")
	f.StringVar(&r.size, "max-size", "", "end the file when it has reached `SIZE`, such as 500M or 2G")
	f.DurationVar(&r.limit.time, "max-time", 0, "end the file after `TIME`, such as 30m or 12h")
	f.IntVar(&r.files, "files", 0, "at a limit go on in another file, FILE.2, FILE.3, …, and keep the last `N` files")
	f.BoolVar(&r.anonymous, "anonymous", false,
		"replace users, numbers and names of jobs, and the names of nodes, switches, partitions, programs and "+
			"directories")
	return cmd
}

func recordArgs(args []string) error {
	switch {
	case len(args) == 0:
		return errors.New("record needs a FILE to write")
	case len(args) > 2:
		return fmt.Errorf("too many arguments (%d): expected FILE and POLL, in seconds", len(args))
	case args[0] == "":
		return errors.New("FILE is empty")
	}
	return nil
}

// check completes the flags, and says what is wrong with them.
func (r *recordFlags) check(f *pflag.FlagSet) (err error) {
	if f.Changed("max-size") {
		if r.limit.bytes, err = parseSize(r.size); err != nil {
			return fmt.Errorf("--max-size must be a size such as 500M or 2G, at least 1M, not %q", r.size)
		}
	}
	switch {
	case f.Changed("max-time") && r.limit.time < time.Second:
		return fmt.Errorf("--max-time must be at least 1s, not %v", r.limit.time)
	case f.Changed("files") && (r.files < 1 || r.files > 10_000):
		return fmt.Errorf("--files must be from 1 to 10000, not %d", r.files)
	case f.Changed("files") && r.limit == limits{}:
		return errors.New("--files needs --max-size or --max-time")
	}
	return nil
}

var errSize = errors.New("not a size")

// parseSize parses a number of bytes with K, M, G or T behind it, powers of 1,024. A B or iB may follow.
func parseSize(s string) (int64, error) {
	number := strings.TrimSuffix(strings.TrimSuffix(strings.ToUpper(s), "B"), "I")
	unit := int64(1)
	if at := strings.IndexAny(number, "KMGT"); at >= 0 && at == len(number)-1 {
		unit = 1 << (10 * (1 + strings.IndexByte("KMGT", number[at])))
		number = number[:at]
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || !(n*float64(unit) >= 1<<20 && n*float64(unit) < 1<<60) {
		return 0, errSize
	}
	return int64(n * float64(unit)), nil
}

// record records until ctx ends, or a limit is reached.
func record(ctx context.Context, cfg *config.Config, r *recordFlags, path string, io streams, log *slog.Logger) error {
	user, host := access.Here()
	out := &recorder{
		path: path, limit: r.limit, keep: r.files, batch: r.batch,
		w: recording.NewWriter(recording.Header{Program: build.Version(), Poll: cfg.Poll, User: user, Host: host,
			Anonymous: r.anonymous}),
	}
	if err := out.begin(time.Now()); err != nil {
		return usage("%w", err)
	}
	err := fed(ctx, cfg, io, log, out.show)
	if failed := out.end(); failed != nil {
		err = &exitError{exitFailed, failed}
	}
	if out.total.Events > 0 {
		fmt.Fprintln(io.out, out.summary())
	}
	return err
}

// show records what a source tells, until ctx ends or a limit is reached, or there is no job of the name that is
// wanted.
func (r *recorder) show(ctx context.Context, cfg *config.Config, _ streams, from feed) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var missing error
	asked := cfg.Job == ""
	run := session.Start(ctx, from, raiseMemory(), func(e cluster.Event) {
		if d := e.Discovery; d != nil && !asked && !d.Answered.IsZero() { // one goroutine tells Discoveries
			if asked, missing = true, r.absent(cfg.Job, d); missing != nil {
				r.discard()
			}
		}
		if !r.take(e) {
			stop()
		}
	})
	<-run.Context().Done()
	if ended, err := run.Wait(partingTime); !ended || err != nil {
		return failed(err)
	}
	return missing
}

// absent returns why a job cannot be recorded. One that waits will begin.
func (r *recorder) absent(job string, d *cluster.Discovery) error {
	runs := func(j cluster.Job) bool { return j.PartOf(job) }
	waits := func(j cluster.PendingJob) bool { return (&cluster.Job{ID: j.ID}).PartOf(job) }
	if slices.ContainsFunc(d.Jobs, runs) || slices.ContainsFunc(d.Pending, waits) {
		return nil
	}
	err := report.Missing(job, d)
	if r.batch {
		err = fmt.Errorf("%w (%s names it)", err, batchJob)
	}
	return &exitError{exitNoJobs, err}
}

// summary says what was recorded.
func (r *recorder) summary() string {
	name := strconv.Quote(r.files[len(r.files)-1])
	if n := len(r.files); n > 1 {
		name = fmt.Sprintf("%d files, the last of them %s", n, name)
	}
	return fmt.Sprintf("recorded %v in %s: %d events, %s", r.total.Last.Sub(r.total.First).Round(time.Second), name,
		r.total.Events, megabytes(r.total.Bytes))
}

var errExists = errors.New("exists: recordings are not overwritten")

// megabytes are bytes as a person reads them: "52 kB", "16.8 MB".
func megabytes(bytes int64) string {
	switch {
	case bytes < 1e6:
		return fmt.Sprintf("%d kB", (bytes+999)/1000)
	case bytes < 1e8:
		return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
	}
	return fmt.Sprintf("%d MB", bytes/1e6)
}

// newFile creates a file that does not exist.
func newFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("%q %w", path, errExists)
	}
	if err != nil {
		return nil, fmt.Errorf("create the recording: %w", err)
	}
	return f, nil
}
