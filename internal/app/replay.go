package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/recording"
	"github.com/nvnodetop/nvnodetop/internal/ui"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const replayName = "replay"

// replayCommand shows a recording.
func replayCommand(cfg *config.Config, flags *pflag.FlagSet, io streams) *cobra.Command {
	var how playing
	cmd := &cobra.Command{
		Use:   replayName + " FILE",
		Short: "show a recording on the screen, or one moment of it as text or JSON",
		Long: `replay shows on the same screens what nvnodetop record has written to FILE, from the beginning or from the time --at on, as fast as it
happened. The screens' clock is that of the recording. With --once or --json it prints one moment: the time --at, or the end.
With --report it prints what track --job would have printed.`,
		Example: `  nvnodetop replay run.nvr
  nvnodetop replay --at 14:05 run.nvr                 from 14:05 on
  nvnodetop replay --at -10m run.nvr                  the last ten minutes
  nvnodetop replay --at 14:05:30 --json run.nvr       that moment, for scripts
  nvnodetop replay --report run.nvr                   the report of its job, as track --job gives it`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return errors.New("replay needs one FILE to read")
			}
			return nil
		},
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := how.check(cmd.Flags()); err != nil {
				return err
			}
			_, err := accept(cfg, cmd.Flags(), nil, io)
			return err
		},
		RunE: func(cmd *cobra.Command, args []string) error { return replay(cmd.Context(), cfg, args[0], &how, io) },
	}
	f := cmd.Flags()
	for _, name := range []string{"once", "json", "view", "colors", "gpu-util-thresh", "mem-util-thresh", "theme",
		"ascii"} {
		f.AddFlag(flags.Lookup(name))
	}
	f.StringVar(&how.at, "at", "", "the `TIME`: 15:04, 15:04:05, 2006-01-02T15:04:05, 10m (from the beginning) or "+
		"-10m (from the end)")
	f.StringVar(&how.report, "report", "",
		"print the report of a job, as track --job does: `FORMAT` is text, json or markdown")
	f.Lookup("report").NoOptDefVal = "text"
	f.StringVar(&how.job, "job", "", "the job `ID` of the report, if the recording has several")
	return cmd
}

// playing is what the user wants of a recording.
type playing struct{ at, report, job string }

// check says what is wrong with the flags.
func (p *playing) check(f *pflag.FlagSet) error {
	switch {
	case f.Changed("report") && reportFormats[p.report] == nil:
		return fmt.Errorf("--report must be text, json or markdown, not %q", p.report)
	case f.Changed("job") && p.report == "":
		return errors.New("--job is for --report")
	case p.report != "" && (f.Changed("at") || f.Changed("once") || f.Changed("json")):
		return errors.New("--report is about the whole recording: it cannot be combined with --at, --once or --json")
	}
	return nil
}

// replay shows a recording.
func replay(ctx context.Context, cfg *config.Config, path string, how *playing, io streams) error {
	if how.report == "" && !cfg.Once && !cfg.JSON {
		if err := onScreen(io); err != nil {
			return err
		}
	}
	file, r, err := openRecording(ctx, path)
	if ctx.Err() != nil {
		return &exitError{exitFailed, errInterrupted}
	}
	if err != nil {
		return usage("%q: %w", path, err)
	}
	defer func() { _ = file.Close() }()
	if r.Cut {
		fmt.Fprintf(io.err, "nvnodetop: %q is cut: it ends at %s\n", path, r.End.Format(time.DateTime))
	}
	cfg.Poll = r.Header.Poll
	debug.SetMemoryLimit(replayMemory)
	if how.report != "" {
		return reportOf(ctx, cfg, io, r, how)
	}
	moment := r.Began()
	if cfg.Once || cfg.JSON {
		moment = r.End
	}
	if how.at != "" {
		if moment, err = momentOf(r, how.at); err != nil {
			return usage("--at: %w", err)
		}
	}
	p := recording.NewPlayer(r, cluster.NewStore(cfg.Poll, health.Rules(cfg.Thresholds)))
	defer p.Close()
	if cfg.Once || cfg.JSON {
		return printMoment(ctx, cfg, io, p, moment)
	}
	return playOn(ctx, cfg, io, p, newDeck(p, r, moment))
}

// openRecording opens a recording. A FIFO or a device is none.
func openRecording(ctx context.Context, path string) (*os.File, *recording.Reader, error) {
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

// momentOf returns the time in a recording that the user has written.
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

// printMoment prints one Snapshot.
func printMoment(ctx context.Context, cfg *config.Config, io streams, p *recording.Player, at time.Time) error {
	snap := p.Snapshot(ctx, at)
	if ctx.Err() != nil {
		return &exitError{exitFailed, errInterrupted}
	}
	if err := p.Err(); err != nil {
		return &exitError{exitFailed, err}
	}
	if err := printOnce(cfg, io, snap); err != nil {
		return &exitError{exitFailed, err}
	}
	return exitCode(snap)
}

// replayMemory is the limit of what a recording takes: the Stores that a Player keeps are beside those of a cluster
// that is watched.
const replayMemory = 384 << 20

// playOn shows the screens until the user quits.
func playOn(ctx context.Context, cfg *config.Config, io streams, p *recording.Player, d *deck) error {
	o := screen(cfg, nil, idleFeed{}, nil)
	o.Snapshot, o.Tape, o.ReadOnly, o.Save, o.Remember = d.Snapshot, d, "a recording is shown", nil, nil
	ctx, quit := context.WithCancel(ctx)
	defer quit()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		p.Survey(ctx)
		return nil
	})
	group.Go(func() error {
		defer quit()
		return ui.Run(ctx, o, io.in, io.out)
	})
	if err := group.Wait(); err != nil {
		return &exitError{exitFailed, err}
	}
	if err := p.Err(); err != nil {
		return &exitError{exitFailed, err}
	}
	return nil
}

// idleFeed takes the requests of the screen where there are neither nodes nor SLURM.
type idleFeed struct{ cluster.Source }

var errRecorded = errors.New("this is a recording: there is nobody to ask")

// Touch implements ui.Controls.
func (idleFeed) Touch() {}

// Leave implements ui.Controls.
func (idleFeed) Leave() {}

// Refresh implements ui.Controls.
func (idleFeed) Refresh() {}

// Look implements ui.Controls.
func (idleFeed) Look(string, bool) {}

// Ask implements ui.Controls.
func (idleFeed) Ask(context.Context, string, wire.Request) (wire.Reply, error) {
	return wire.Reply{}, errRecorded
}

// Cancel implements ui.Controls.
func (idleFeed) Cancel(context.Context, string, string) error { return errRecorded }
