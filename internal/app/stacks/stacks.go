// Package stacks is the command stacks: it prints what every rank of a job does, in groups, and whether the ranks move.
// The command doctor is here too: it examines the connections to nodes.
package stacks

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/hang"
	"github.com/nvnodetop/nvnodetop/internal/hang/nccl"
	"github.com/nvnodetop/nvnodetop/internal/hang/nccl/ask"
	"github.com/nvnodetop/nvnodetop/internal/hang/stacks"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/output/export"
	"github.com/nvnodetop/nvnodetop/internal/source"
)

// Name is the name of the command.
const Name = "stacks"

// The intervals of --every.
const (
	usualEvery = 30 * time.Second
	leastEvery = 5 * time.Second
)

// exitStuck is the exit code for a job in which nothing moves. It is used for nothing else: failures have the exit code
// for no answer.
const exitStuck = 1

// Options are the user's choices.
type Options struct {
	*cli.Program
	json, full bool
	oldNCCL    bool
	every      time.Duration
	untilMoved bool
	job        string
}

// Command prints what the ranks of a job do.
func Command(io cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   Name + " [flags] [JOB]",
		Short: "say what every rank of a job does, and whether it hangs",
		Long: `stacks asks each node of a job once what its ranks do, and once more after 5 s.
It prints the ranks in groups with equal stacks, and who has moved. Processes are
neither stopped nor changed, and nothing has to be prepared. Without JOB it asks
your only job, or the one in which it runs.

Exit codes: 0 the job moves, or it is not known that it does not, 1 it is stuck,
2 invalid arguments, 3 no such job, or no answer.`,
		Example: `  nvnodetop stacks 48211
  nvnodetop stacks --full 48211                  with all frames
  nvnodetop stacks --every 30s --until-moved     wait until something moves`,
	}
	f := cmd.Flags()
	f.SortFlags = false
	o := &Options{}
	f.BoolVar(&o.full, "full", false, "print the frames of each group, its members and other threads")
	f.BoolVar(&o.json, "json", false, "print JSON")
	f.DurationVar(&o.every, "every", 0, "look again every `TIME`, such as 30s, and compare with the look before")
	f.BoolVar(&o.untilMoved, "until-moved", false, "end as soon as something has moved, or works in small steps")
	f.BoolVar(&o.oldNCCL, "old-nccl", false, "ask NCCL before 2.29 too, which can crash the job")
	o.Program = cli.New(io, f, "nodes", "login", "transport", "timeout", cli.MaxAge, "log", "demo")
	cmd.Args = o.Args(o.readArguments)
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error { return o.loadOptions(cmd.Context()) }
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return noAnswer(o.Logged(func(log *slog.Logger) error {
			if err := feed.NameJobs(cmd.Context(), o.Program, log, &o.job, &o.Config.Job); err != nil {
				return err
			}
			return feed.Run(cmd.Context(), o.Program, feed.Need{Brief: true, Steady: true}, log, o.showJob)
		}))
	}
	return cmd
}

// readArguments reads the job.
func (o *Options) readArguments(args []string) error {
	switch {
	case len(args) > 1:
		return errors.New("stacks takes one job: nvnodetop stacks 48211")
	case len(args) == 1 && args[0] == "": // "$UNSET" in a script must not mean: mine
		return errors.New("the ID of the job is empty")
	case len(args) == 1 && o.Config.Nodes != "":
		return errors.New("a job cannot be combined with --nodes")
	case len(args) == 1:
		if o.job = args[0]; o.Config.Demo == "" {
			o.Config.Job = o.job
		}
	}
	return nil
}

// loadOptions reads the command line and the settings.
func (o *Options) loadOptions(ctx context.Context) error {
	switch {
	case o.every != 0 && o.every < leastEvery:
		return cli.Usage("--every must be at least %v, not %v", leastEvery, o.every)
	case o.every == 0 && o.untilMoved:
		o.every = usualEvery
	}
	if o.every != 0 && o.MaxAge != 0 {
		return fmt.Errorf("--%s is for what is printed once: it cannot be combined with --every or --until-moved",
			cli.MaxAge)
	}
	if o.job == "" && feed.OwnJob(ctx, o.Program) {
		o.job = o.Config.Job
	}
	return o.Accept()
}

// noAnswer gives failures an exit code other than that of a stuck job.
func noAnswer(err error) error {
	if exit, is := errors.AsType[*cli.ExitError](err); is && exit.Code == cli.ExitFailed && exit.Err != nil {
		return cli.Exit(cli.ExitNoJobs, exit.Err)
	}
	return err
}

// showJob prints what the job does.
func (o *Options) showJob(ctx context.Context, from feed.Feed) error {
	return o.watchJob(ctx, from, o.printStacks)
}

// watchJob examines the job as often as the user wants, and reports what it does.
func (o *Options) watchJob(ctx context.Context, from feed.Feed, take func(*rankstacks.Verdict) error) error {
	from.Look(cluster.EveryNode, true)
	w := source.OpenWatch(ctx, &o.Config, 0, from)
	defer func() { _ = w.Stop(feed.ShortParting) }()
	w.Settle(nil)
	if err := w.Err(); err != nil {
		return cli.Failed(err)
	}
	at := jobObserver{Options: o, ask: from.Ask, watch: w}
	if err := at.findProcesses(w); err != nil {
		return err
	}
	return at.sampleStacks(ctx, take)
}

// Once examines the job in the settings with two looks, as the command does.
func Once(ctx context.Context, p *cli.Program, from feed.Feed) (d *rankstacks.Verdict, err error) {
	o := &Options{Program: p, job: p.Config.Job}
	err = o.watchJob(ctx, from, func(made *rankstacks.Verdict) error {
		d = made
		return nil
	})
	if d != nil {
		return d, nil
	}
	if exit, is := errors.AsType[*cli.ExitError](err); is && exit.Err != nil {
		err = exit.Err
	}
	return nil, err
}

// findProcesses finds out where the job's processes are, once all nodes have listed them.
func (l *jobObserver) findProcesses(w *source.Watch) (err error) {
	w.Await(l.Config.Timeout, func() bool {
		snap := w.Snapshot()
		var view *cluster.JobView
		if view, err = l.chooseJob(snap); err != nil {
			return true
		}
		places, ready := hang.PlacesOf(snap, view)
		l.job, l.places, l.members = view.ID, places, ask.Places(snap, view)
		return ready && len(l.places) > 0
	})
	if err == nil && len(l.places) == 0 {
		err = cli.Exit(cli.ExitNoJobs, errors.New("no node lists a process of the job on a GPU"))
	}
	return err
}

// chooseJob returns the user's job in a Snapshot.
func (o *Options) chooseJob(s *cluster.Snapshot) (*cluster.JobView, error) {
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.ID == o.job || j.Number == o.job || o.job == "" && len(s.Jobs) == 1 {
			return j, nil
		}
	}
	if o.job == "" && len(s.Jobs) > 1 {
		return nil, cli.Usage("you have %d running jobs: name one of them, such as nvnodetop stacks %s", len(s.Jobs),
			s.Jobs[0].ID)
	}
	if len(s.Jobs) > 0 {
		return nil, cli.Exit(cli.ExitNoJobs, feed.NotRunning(o.job, s))
	}
	return nil, feed.NoJob(&o.Config, s)
}

// jobObserver looks at one job.
type jobObserver struct {
	*Options
	ask     stacks.Asker
	watch   *source.Watch
	job     string
	places  []stacks.Place
	members []nccl.Place
}

// askLibrary asks the job's library what it knows, while the stacks are read.
func (l *jobObserver) askLibrary() stacks.Library {
	node := ask.Node(l.ask)
	if l.oldNCCL {
		node = ask.Old(node)
	}
	return stacks.LibraryOf(ask.New(node), l.job, l.members)
}

// gpuValues returns what the job's GPUs show now; nothing if the job has ended.
func (l *jobObserver) gpuValues() stacks.GPUs {
	snap := l.watch.Snapshot()
	if job := snap.JobWith(l.job); job != nil {
		return stacks.GPUsOf(snap, job, l.places)
	}
	return stacks.GPUs{}
}

// sampleStacks reads the stacks twice, and then again and again if the user wants. It asks the job's library only once.
func (l *jobObserver) sampleStacks(ctx context.Context, take func(*rankstacks.Verdict) error) error {
	e := stacks.Examine(l.job, l.places)
	for d := e.Run(ctx, l.ask, l.askLibrary(), l.gpuValues); ctx.Err() == nil; d = e.Document() {
		if err := take(d); err != nil {
			return cli.Failed(err)
		}
		switch moved := d.State == rankstacks.Moving || e.GoesOn(); {
		case l.untilMoved && moved:
			return nil
		case l.every == 0 && d.Read == 0 && d.NCCL == nil:
			return cli.Exit(cli.ExitNoJobs, errors.New("no stack of a rank could be read"))
		case l.every == 0 && d.State == rankstacks.Stuck:
			return cli.Exit(exitStuck, nil)
		case l.every == 0:
			return nil
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Until(e.Due(l.every))):
			e.Hear(nil)
			e.Look(ctx, l.ask, l.gpuValues())
		}
	}
	return cli.Exit(cli.ExitNoJobs, cli.ErrInterrupted)
}

// printStacks prints what is known.
func (o *Options) printStacks(d *rankstacks.Verdict) error {
	if o.json {
		return text.WriteJSON(o.Out, "  ", export.Stacks(d))
	}
	_, err := fmt.Fprint(o.Out, hang.VerdictText(d, hang.TextDetail(o.full)))
	return err
}
