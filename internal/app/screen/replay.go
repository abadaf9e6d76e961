package screen

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/app/report"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/output/report/output"
	"github.com/nvnodetop/nvnodetop/internal/slurm/capacity"
	"github.com/nvnodetop/nvnodetop/internal/slurm/queue"
	"github.com/nvnodetop/nvnodetop/internal/slurm/sacct"
	"github.com/nvnodetop/nvnodetop/internal/source/recording"
	"github.com/nvnodetop/nvnodetop/internal/ui"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// ReplayName is the name of the command.
const ReplayName = "replay"

// ReplayOptions are the user's choices for a recording.
type ReplayOptions struct {
	*cli.Program
	at, report, job string
	once, json      bool
}

// ReplayCommand shows a recording.
func ReplayCommand(io cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   ReplayName + " FILE",
		Short: "show a recording on the screen, or one moment of it as text or JSON",
		Long: `replay shows on the same screens what nvnodetop record has written to FILE, from
the beginning or from the time --at on, as fast as it happened. The screens'
clock is that of the recording. With --once or --json it prints one moment: the
time --at, or the end. nvnodetop report --from FILE reports on a job of it.`,
		Example: `  nvnodetop replay run.nvr
  nvnodetop replay --at 14:05 run.nvr            from 14:05 on
  nvnodetop replay --at -10m run.nvr             the last ten minutes
  nvnodetop replay --at 14:05:30 --json run.nvr  that moment, for scripts`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return errors.New("replay takes one FILE: nvnodetop replay run.nvr")
			}
			return nil
		},
	}
	f := cmd.Flags()
	o := &ReplayOptions{Program: cli.New(io, f, cli.LookFlags...)}
	f.BoolVar(&o.once, "once", false, "print the overview and all nodes as text and exit")
	f.BoolVar(&o.json, "json", false, "print everything as JSON and exit")
	f.StringVar(&o.at, "at", "", "the `TIME`: 15:04, 15:04:05, 2006-01-02T15:04:05, 10m (from the beginning) or "+
		"-10m (from the end)")
	f.StringVar(&o.report, "report", "",
		"print the report of a job, as track --job does: `FORMAT` is text, json or markdown")
	f.Lookup("report").NoOptDefVal = "text"
	f.StringVar(&o.job, "job", "", "the job `ID` of the report, if the recording has several")
	for _, old := range []string{"report", "job"} { // nvnodetop report replaces them
		_ = f.MarkHidden(old)
	}
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if err := o.checkFlags(); err != nil {
			return err
		}
		o.Apart = true
		return o.Accept()
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return o.runReplay(cmd.Context(), args[0]) }
	return cmd
}

// checkFlags returns mistakes in the flags.
func (o *ReplayOptions) checkFlags() error {
	if o.Changed("report") {
		if err := cli.OneOf("report", o.report, output.Names...); err != nil {
			return err
		}
	}
	switch {
	case o.once && o.json:
		return errors.New("--once and --json cannot be combined")
	case o.Changed("job") && o.report == "":
		return errors.New("--job is for --report")
	case o.report != "" && (o.Changed("at") || o.Changed("once") || o.Changed("json")):
		return errors.New("--report is about the whole recording: it cannot be combined with --at, --once or --json")
	}
	return nil
}

// runReplay shows a recording.
func (o *ReplayOptions) runReplay(ctx context.Context, path string) error {
	print := o.once || o.json
	if o.report == "" && !print {
		if err := Possible(&o.Streams); err != nil {
			return err
		}
	}
	file, r, err := report.OpenRecording(ctx, path)
	if ctx.Err() != nil {
		return cli.Exit(cli.ExitFailed, cli.ErrInterrupted)
	}
	if err != nil {
		return cli.Usage("%q: %w", path, err)
	}
	defer func() { _ = file.Close() }()
	if r.Cut {
		o.Say("%q is cut: it ends at %s", path, r.End.Format(time.DateTime))
	}
	debug.SetMemoryLimit(replayMemory)
	if o.report != "" {
		return o.reportOf(ctx, r)
	}
	moment := r.Began()
	if print {
		moment = r.End
	}
	if o.at != "" {
		if moment, err = momentOf(r, o.at); err != nil {
			return cli.Usage("--at: %w", err)
		}
	}
	state := store.New(r.Header.Poll, health.Rules(o.Config.Thresholds))
	state.Show(o.Config.History)
	p := recording.NewPlayer(r, state)
	defer p.Close()
	if print {
		return o.printSnapshot(ctx, p, moment)
	}
	return o.playScreens(ctx, p, newPlayhead(p, r, moment))
}

// reportOf prints the report of a job, from the Events of a recording.
func (o *ReplayOptions) reportOf(ctx context.Context, r *recording.Reader) error {
	made, damaged, err := report.Recorded(ctx, o.Program, r, o.job)
	if err != nil {
		return err
	}
	err = o.Report(nil, o.report, made)
	if damaged != nil {
		err = cli.Exit(cli.ExitFailed, damaged)
	}
	return err
}

// momentOf returns the time in a recording that the user means.
func momentOf(r *recording.Reader, at string) (time.Time, error) {
	t, err := parseMoment(r, at)
	switch {
	case err != nil:
		return t, fmt.Errorf("%q is neither a time such as 15:04:05 or 2006-01-02T15:04:05 nor a duration such as "+
			"10m or -10m", at)
	case t.Before(r.Began().Truncate(time.Second)) || t.After(r.End.Add(time.Second)):
		return t, fmt.Errorf("%s is not in the recording, which is from %s to %s", t.Format(time.DateTime),
			r.Began().Format(time.DateTime), r.End.Format(time.DateTime))
	case t.Before(r.Began()):
		return r.Began(), nil
	}
	return t, nil
}

func parseMoment(r *recording.Reader, at string) (time.Time, error) {
	began := r.Began()
	if d, err := time.ParseDuration(at); err == nil {
		if strings.HasPrefix(at, "-") {
			return r.End.Add(d), nil
		}
		return began.Add(d), nil
	}
	for _, layout := range []string{time.TimeOnly, "15:04"} {
		if c, err := time.Parse(layout, at); err == nil {
			t := time.Date(began.Year(), began.Month(), began.Day(), c.Hour(), c.Minute(), c.Second(), 0,
				began.Location())
			if t.Before(began.Truncate(time.Minute)) { // after midnight
				t = time.Date(began.Year(), began.Month(), began.Day()+1, c.Hour(), c.Minute(), c.Second(), 0,
					began.Location())
			}
			return t, nil
		}
	}
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04", time.DateTime} {
		if t, err := time.ParseInLocation(layout, at, began.Location()); err == nil {
			return t, nil
		}
	}
	return time.Parse(time.RFC3339, at)
}

// printSnapshot prints one Snapshot.
func (o *ReplayOptions) printSnapshot(ctx context.Context, p *recording.Player, at time.Time) error {
	snap := p.Snapshot(ctx, at)
	if ctx.Err() != nil {
		return cli.Exit(cli.ExitFailed, cli.ErrInterrupted)
	}
	if err := p.Err(); err != nil {
		return cli.Exit(cli.ExitFailed, err)
	}
	print := TextFormat{}.Text
	if o.json {
		print = func(p *cli.Program, s *cluster.Snapshot) error { return PrintJSON(p, s, &cli.Selection{}, nil) }
	}
	if err := print(o.Program, snap); err != nil {
		return cli.Exit(cli.ExitFailed, err)
	}
	return feed.Verdict(snap)
}

// replayMemory is the limit for replay: a Player keeps more Stores than a watched cluster has.
const replayMemory = 384 << 20

// playScreens shows the screens until the user quits.
func (o *ReplayOptions) playScreens(ctx context.Context, p *recording.Player, at *playhead) error {
	shown := Options(&o.Config, at.Snapshot, noControls{}, cli.Selection{})
	shown.Tape, shown.ReadOnly = at, "not available in a recording"
	ctx, quit := context.WithCancel(ctx)
	defer quit()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(crash.Guard(func() error {
		p.Survey(ctx)
		return nil
	}))
	group.Go(func() error {
		defer quit()
		defer crash.End()
		return ui.Run(ctx, shown, o.In, o.Out)
	})
	if err := group.Wait(); err != nil {
		return cli.Exit(cli.ExitFailed, err)
	}
	if err := p.Err(); err != nil {
		return cli.Exit(cli.ExitFailed, err)
	}
	return nil
}

// noControls accepts the requests of the screen when there are neither nodes nor SLURM.
type noControls struct{}

var errRecorded = errors.New("not available in a recording")

// Touch implements source.Controls.
func (noControls) Touch() {}

// Leave implements source.Controls.
func (noControls) Leave() {}

// Refresh implements source.Controls.
func (noControls) Refresh() {}

// Look implements source.Controls.
func (noControls) Look(string, bool) {}

// ListJobs implements source.Controls.
func (noControls) ListJobs(bool) {}

// Ask implements source.Controls.
func (noControls) Ask(context.Context, string, wire.Request) (wire.Reply, error) {
	return wire.Reply{}, errRecorded
}

// Cancel implements source.Controls.
func (noControls) Cancel(context.Context, string, string) error { return errRecorded }

// Accounts implements source.Controls.
func (noControls) Accounts(context.Context, string) ([]sacct.Job, error) { return nil, errRecorded }

// Cluster implements source.Controls.
func (noControls) Cluster(context.Context, bool) (*capacity.Cluster, error) { return nil, errRecorded }

// Waiting implements source.Controls.
func (noControls) Waiting(context.Context, string) (*queue.Wait, error) { return nil, errRecorded }

// Log implements source.Controls.
func (noControls) Log(context.Context, joblog.Query) (joblog.Piece, error) {
	return joblog.Piece{}, errRecorded
}
