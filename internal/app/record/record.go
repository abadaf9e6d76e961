// Package record records Events: in the command record, which has no screen, and alongside screens and other commands.
// The command scalars, also called log, is here too: it appends numbers to files over time.
package record

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/output/report"
	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/internal/source/access"
	"github.com/nvnodetop/nvnodetop/internal/source/recording"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Options are the user's choices for a recording.
type Options struct {
	size      string
	limit     fileLimits
	files     int
	anonymous bool
	batch     bool // the job is the one that the batch script belongs to
}

// fileLimits end a file. A limit of 0 means no limit.
type fileLimits struct {
	bytes int64
	time  time.Duration
}

// Command records Events.
func Command(io cli.Streams) *cobra.Command {
	var o Options
	var path string
	var poll []config.Word
	cmd := &cobra.Command{
		Use:   "record FILE [POLL]",
		Short: "record your jobs to a file, without a screen",
		Long: `record writes what nvnodetop sees of your jobs to FILE, until it is interrupted
(Ctrl-C, SIGTERM) or a limit is reached, and then prints what was recorded.
nvnodetop replay shows it again. FILE must not exist. POLL is the interval
between samples of a node, in seconds.

It records your running jobs, and inside a job this job only.

A recording has no environment of any process. With --anonymous it has neither
users nor the names of jobs, nodes, switches, partitions, programs and
directories, nor SLURM's numbers of jobs, which lead to their users: each is
replaced, by the same one everywhere. Serial numbers and all text of other
programs are left out. Times, PIDs, models, versions and PCI addresses stay.`,
		Example: `  nvnodetop record run.nvr                           until Ctrl-C
  nvnodetop record --max-time 1h run.nvr             one hour
  nvnodetop record --max-time 1h --files 24 run.nvr  the last day, in 24 files
  nvnodetop record --job 48211 run.nvr               one job
  nvnodetop record --anonymous bug.nvr               to attach to a bug report`,
	}
	f := cmd.Flags()
	p := cli.New(io, f, "demo", "nodes", "transport", "login", "log")
	f.StringVar(&p.Config.Job, "job", "", "record the job `ID` only")
	f.StringVar(&o.size, "max-size", "", "end the file when it has reached `SIZE`, such as 500M or 2G")
	f.DurationVar(&o.limit.time, "max-time", 0, "end the file after `TIME`, such as 30m or 12h")
	f.IntVar(&o.files, "files", 0, "at a limit continue in another file, FILE.2, FILE.3, …, and keep the last `N` files")
	f.BoolVar(&o.anonymous, "anonymous", false,
		"replace users, numbers and names of jobs, and the names of nodes, switches, partitions, programs and "+
			"directories")
	cmd.Args = p.Args(func(args []string) error {
		if err := checkArgs(args); err != nil {
			return err
		}
		path, poll = args[0], cli.Intervals(args[1:])
		return nil
	})
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if err := o.checkFlags(f); err != nil {
			return err
		}
		o.batch = feed.OwnJob(cmd.Context(), p)
		if err := p.Accept(poll...); err != nil {
			return err
		}
		return Allowed(&p.Config)
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return p.Logged(func(log *slog.Logger) error { return o.runRecord(cmd.Context(), p, path, log) })
	}
	return cmd
}

func checkArgs(args []string) error {
	switch {
	case len(args) == 0:
		return errors.New("record needs a FILE to write: nvnodetop record run.nvr")
	case len(args) > 2:
		return fmt.Errorf("too many arguments (%d): expected FILE and POLL, in seconds", len(args))
	case args[0] == "":
		return errors.New("FILE is empty")
	}
	return nil
}

// checkFlags completes the flags, and returns mistakes in them.
func (o *Options) checkFlags(f *pflag.FlagSet) (err error) {
	if f.Changed("max-size") {
		if o.limit.bytes, err = parseSize(o.size); err != nil {
			return fmt.Errorf("--max-size must be a size such as 500M or 2G, at least 1M, not %q", o.size)
		}
	}
	switch {
	case f.Changed("max-time") && o.limit.time < time.Second:
		return fmt.Errorf("--max-time must be at least 1s, not %v", o.limit.time)
	case f.Changed("files") && (o.files < 1 || o.files > 10_000):
		return fmt.Errorf("--files must be from 1 to 10000, not %d", o.files)
	case f.Changed("files") && o.limit == fileLimits{}:
		return errors.New("--files needs --max-size or --max-time")
	}
	return nil
}

var errSize = errors.New("not a size")

// parseSize parses a number of bytes. K, M, G or T may follow, which are powers of 1,024, and then B or iB.
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

// runRecord records until ctx ends, or a limit is reached.
func (o *Options) runRecord(ctx context.Context, p *cli.Program, path string, log *slog.Logger) error {
	if err := feed.NameJobs(ctx, p, log, &p.Config.Job); err != nil {
		return err
	}
	user, host := access.Here()
	out := &recorder{
		path: path, limit: o.limit, keep: o.files,
		w: recording.NewWriter(recording.Header{Program: wire.BuildVersion(), Poll: p.Config.Poll, User: user,
			Host: host, Anonymous: o.anonymous}),
	}
	if err := out.openNextFile(time.Now()); err != nil {
		return cli.Usage("%w", err)
	}
	need := feed.Need{Steady: true, Marks: true, Progress: true} // nobody presses a key
	err := feed.Run(ctx, p, need, log, o.recordEvents(&p.Config, out))
	if failed := out.closeFile(); failed != nil {
		err = cli.Exit(cli.ExitFailed, failed)
	}
	if out.total.Events > 0 {
		fmt.Fprintln(p.Out, out.describeRecording())
	}
	return err
}

// recordEvents records the Events of a source until ctx ends, a limit is reached, or the wanted job turns out not to
// exist.
func (o *Options) recordEvents(cfg *config.Config, out *recorder) feed.Show {
	job := cfg.Job
	return func(ctx context.Context, from feed.Feed) error {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		var missing error
		asked := job == ""
		run := startSource(ctx, cfg, from, feed.RaiseMemory(), func(e cluster.Event) {
			if d := e.Discovery; d != nil && !asked && !d.Answered.IsZero() { // one goroutine emits Discoveries
				if asked, missing = true, o.absenceReason(job, d); missing != nil {
					out.discardFile()
				}
			}
			if !out.take(e) {
				stop()
			}
		})
		<-run.Context().Done()
		if ended, err := run.Wait(feed.Parting); !ended || err != nil {
			return cli.Failed(err)
		}
		return missing
	}
}

// startSource runs the source. If jobs that seem to hang are asked where their ranks are, it adds a Store in which to
// find them.
func startSource(ctx context.Context, cfg *config.Config, from feed.Feed,
	takers ...func(cluster.Event)) *source.Session {
	if !cfg.HangAsk {
		return source.StartSession(ctx, from, takers...)
	}
	w := source.OpenWatch(ctx, cfg, 0, from, takers...)
	feed.AskHung(cfg, from, w)
	return w.Session
}

// absenceReason returns why a job cannot be recorded. A waiting job will begin later.
func (o *Options) absenceReason(job string, d *cluster.Discovery) error {
	runs := func(j cluster.Job) bool { return j.PartOf(job) }
	waits := func(j cluster.PendingJob) bool { return (&cluster.Job{ID: j.ID}).PartOf(job) }
	if slices.ContainsFunc(d.Jobs, runs) || slices.ContainsFunc(d.Pending, waits) {
		return nil
	}
	err := report.Missing(job, d)
	if o.batch {
		err = fmt.Errorf("%w (%s names it)", err, feed.BatchJob)
	}
	return cli.Exit(cli.ExitNoJobs, err)
}

// describeRecording describes the recording.
func (r *recorder) describeRecording() string {
	name := strconv.Quote(r.files[len(r.files)-1])
	if n := len(r.files); n > 1 {
		name = fmt.Sprintf("%d files, the last of them %s", n, name)
	}
	return fmt.Sprintf("recorded %v in %s: %d events, %s", r.total.Last.Sub(r.total.First).Round(time.Second), name,
		r.total.Events, formatBytes(r.total.Bytes))
}

var errExists = errors.New("exists: recordings are not overwritten")

// formatBytes returns a readable number of bytes: "52 kB", "16.8 MB".
func formatBytes(bytes int64) string {
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
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("there is no directory %q for the recording %q", filepath.Dir(path), filepath.Base(path))
	}
	if err != nil {
		return nil, fmt.Errorf("create the recording: %w", err)
	}
	return f, nil
}
