// Package watch is the command watch: it tells the user what happens to the jobs until they end, without a screen. It
// also opens the ways in which the screen and this command tell the news.
package watch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/output/notify"
)

// Name is the name of the command.
const Name = "watch"

// The intervals of the nodes, in seconds. At 3 s the rules find the same, at a higher cost.
const (
	defaultInterval = "10"
	leastInterval   = time.Second
)

// lastWords is how long delivering the last messages may take.
const lastWords = time.Minute

// Options are the user's choices.
type Options struct {
	*cli.Program
	ways, events []string
	interval     string
	json, test   bool
	jobs         []string

	seen progress
	desk *NewsDesk

	thrifty time.Time // when unused memory is next returned to the host
}

// Command watches jobs without a screen.
func Command(io cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   Name + " [flags] [JOB…]",
		Short: "tell when a job ends or needs attention, without a screen",
		Long: `watch prints a line when something happens to your jobs: a job ends or fails, a
node is lost, a rank dies, a job hangs, a GPU lags, GPUs are idle, memory will be
full, the time limit is near. It can also tell you by a notification of the
terminal, a command, a webhook or mail. It ends with the jobs, and sums them up.

JOB is an ID, also that of a pending job, an array or a heterogeneous job.
Without one it watches all your jobs.`,
		Example: `  nvnodetop watch 48211
  nvnodetop watch --notify terminal,webhook 48211
  nohup nvnodetop watch --notify mail >> watch.txt &
  nvnodetop watch 48211 && ./evaluate.sh
  nvnodetop watch --test --notify webhook          send a test message`,
	}
	f := cmd.Flags()
	f.SortFlags = false
	o := &Options{}
	f.StringSliceVar(&o.ways, "notify", nil, "also notify by these `WAYS`: "+strings.Join(notify.WayNames(), ", ")+
		" (default: notify.ways of the settings)")
	f.StringSliceVar(&o.events, "events", nil, "announce only these `EVENTS`: "+strings.Join(say.EventNames(), ", ")+
		", or kinds of problems (default: all but start and warning)")
	f.StringVar(&o.interval, cli.Interval, defaultInterval, "`SECONDS` between two samples of a node")
	f.BoolVar(&o.json, "json", false, "print each line as a JSON object")
	f.BoolVar(&o.test, "test", false, "send a test message and exit")
	o.Program = cli.New(io, f, "nodes", "login", "transport", "timeout", "log", "demo")
	cmd.Args = o.Args(func(args []string) error { return o.readArguments(f, args) })
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error { return o.loadSettings(cmd.Context()) }
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if o.test {
			return o.sendTest(cmd.Context())
		}
		return o.Logged(func(log *slog.Logger) error { return o.runWatch(cmd.Context(), log) })
	}
	return cmd
}

// readArguments reads the jobs and the lists of words.
func (o *Options) readArguments(f *pflag.FlagSet, jobs []string) error {
	events := slices.DeleteFunc(slices.Clone(o.events), func(word string) bool {
		return slices.Contains(say.NewsWords(), word)
	})
	for name, words := range map[string][]string{"notify": o.ways, "events": o.events} {
		if f.Changed(name) && len(words) == 0 {
			return fmt.Errorf("--%s is empty", name)
		}
	}
	for _, list := range []struct {
		flag, also string
		words, of  []string
	}{
		{"notify", "", o.ways, notify.WayNames()},
		{"events", " (or a kind of problem, such as nvlink_down)", events, say.EventNames()},
	} {
		for _, word := range list.words {
			if err := cli.OneOf(list.flag, word, list.of...); err != nil {
				return fmt.Errorf("%w%s", err, list.also)
			}
		}
	}
	if slices.Contains(jobs, "") { // "$UNSET" in a script must not mean: all
		return errors.New("the ID of a job is empty")
	}
	if o.jobs = jobs; len(jobs) == 1 {
		o.Config.Job = jobs[0]
	}
	switch {
	case len(jobs) > 0 && o.Config.Demo != "":
		return fmt.Errorf("watch --demo watches all its jobs: leave %q out", jobs[0])
	case len(jobs) > 0 && o.Config.Nodes != "":
		return fmt.Errorf("watch --nodes watches hosts, without SLURM: leave the job %q out", jobs[0])
	}
	return nil
}

// loadSettings loads the settings.
func (o *Options) loadSettings(ctx context.Context) error {
	poll, err := o.ByInterval(o.interval, leastInterval)
	if err != nil {
		return err
	}
	if len(o.jobs) == 0 && feed.OwnJob(ctx, o.Program) {
		o.jobs = []string{o.Config.Job}
	}
	if err := o.Accept(poll...); err != nil {
		return err
	}
	if len(o.events) > 0 {
		o.Config.Notify.Events = o.events
	}
	return nil
}

// wantedWays returns the ways that the user wants.
func (o *Options) wantedWays() NewsOptions {
	return NewsOptions{Ways: o.ways, Named: o.Changed("notify"), Jobs: o.jobs, Terminal: o.terminalNotifier(),
		Say: func(line string) { o.Say("%s", line) }}
}

// terminalNotifier returns a function that notifies the user on this program's terminal; nil: there is none.
func (o *Options) terminalNotifier() func(title, text string) {
	to := o.Out
	if file, is := o.Err.(*os.File); !cli.IsTerminal(to) && is && cli.IsTerminal(file) {
		to = file
	}
	if !cli.IsTerminal(to) {
		return nil
	}
	on, style := draw.AlertHostOf(os.Getenv), o.Config.Notify.Terminal
	return func(title, text string) {
		_, _ = io.WriteString(to, draw.TitleSequence("nvnodetop: "+title)+draw.AlertSequence(style, on, title, text))
	}
}

// sendTest sends a message over each way.
func (o *Options) sendTest(ctx context.Context) error {
	open, wrong := OpenWays(&o.Config, o.wantedWays())
	switch {
	case len(wrong) > 0:
		return cli.Usage("%w", wrong[0])
	case len(open) == 0:
		return cli.Usage("there is no way to try: add --notify, or notify.ways to the settings")
	}
	failed := TryWays(ctx, open, func(w notify.Way) {
		o.Say("sending a test message by %s, which takes at most %v", w.Name, w.Most)
	})
	for _, err := range failed[:max(len(failed)-1, 0)] {
		o.Say("%v", err)
	}
	if len(failed) > 0 {
		return cli.Exit(cli.ExitFailed, failed[len(failed)-1])
	}
	var names []string
	for _, w := range open {
		names = append(names, w.Name)
	}
	_, err := fmt.Fprintf(o.Out, "a test message was sent by %s\n", strings.Join(names, ", "))
	return cli.Failed(err)
}

// errOver reports that the jobs have ended.
var errOver = errors.New("the jobs have ended")

func (o *Options) runWatch(ctx context.Context, log *slog.Logger) error {
	jobs := []*string{&o.Config.Job}
	for i := range o.jobs {
		jobs = append(jobs, &o.jobs[i])
	}
	if err := feed.NameJobs(ctx, o.Program, log, jobs...); err != nil {
		return err
	}
	desk, wrong := OpenNews(&o.Config, o.wantedWays())
	if len(wrong) > 0 {
		return cli.Usage("%w", wrong[0])
	}
	o.desk, o.seen = desk, newProgress(o.jobs, time.Now())
	show := feed.FollowedAsking(o.Program, o.Config.Poll, o.printNews)
	err := feed.Run(ctx, o.Program, feed.Need{Brief: true, Steady: true, Causes: true, Progress: true}, log, show)
	if err == nil || errors.Is(err, errOver) {
		asking, cancel := ctx, func() {}
		if err == nil { // the user interrupted it
			asking, cancel = context.WithTimeout(context.WithoutCancel(ctx), interrupted)
		}
		failed := o.lookUp(asking, log)
		if cancel(); failed != nil {
			err = cli.Failed(failed)
		}
	}
	if !desk.Close(lastWords) {
		o.Say("the last messages were not delivered within %v", lastWords)
	}
	if err != nil && !errors.Is(err, errOver) {
		return err
	}
	if o.seen.over && !o.seen.found {
		return o.seen.missingError()
	}
	if err := o.sumUp(); err != nil {
		return cli.Failed(err)
	}
	return o.seen.finalError()
}

// thrifty is the time between two returns of unused memory to the host. The second one comes early, after the first
// copies of the probe.
const thrifty, early = 10 * time.Minute, time.Minute

// reduceMemory keeps the memory small: the watch may run for days, and the start needs far more memory than the rest.
func (o *Options) reduceMemory(now time.Time) {
	if now.Before(o.thrifty) {
		return
	}
	wait := thrifty
	if o.thrifty.IsZero() {
		wait = early
		debug.SetGCPercent(30)
	}
	o.thrifty = now.Add(wait)
	debug.FreeOSMemory()
}

// printNews prints the news of a Snapshot.
func (o *Options) printNews(s *cluster.Snapshot) error {
	for _, i := range o.desk.See(s) {
		o.seen.news[i.Job]++
		if err := o.printItem(&i); err != nil {
			return err
		}
	}
	o.reduceMemory(s.At)
	over, err := o.seen.applySnapshot(s)
	if over && err == nil {
		err = errOver
	}
	return err
}

// printItem prints one piece of news as a line.
func (o *Options) printItem(i *notify.Item) error {
	if o.json {
		return json.NewEncoder(o.Out).Encode(notify.NewsOf(i))
	}
	line := i.Title
	if i.Text != "" && !i.Over {
		line += ". " + strings.ReplaceAll(i.Text, "\n", " ")
	}
	_, err := fmt.Fprintf(o.Out, "%s  %-7s  %s\n", i.At.Local().Format(time.DateTime), i.Event, line)
	return err
}
