// Package screen runs the screens. Alongside, it records when the user wants a recording, and saves the user's choices.
// The commands snapshot (also the text of --once) and replay are here too. It knows whether a terminal is attached.
package screen

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/charmbracelet/x/term"
	"golang.org/x/sync/errgroup"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/app/record"
	"github.com/nvnodetop/nvnodetop/internal/app/report"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/internal/ui"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Possible returns nil if the screens can be shown.
func Possible(io *cli.Streams) error {
	if !cli.IsTerminal(io.In) || !cli.IsTerminal(io.Out) {
		return cli.Usage("not a terminal: use --once for text or --json for JSON")
	}
	if os.Getenv("TERM") == "dumb" {
		return cli.Usage("a terminal with TERM=dumb cannot show the screen: use --once, or --plain for sentences")
	}
	return nil
}

// Watch shows the screens until the user quits or a signal comes.
func Watch(p *cli.Program, choice cli.Selection) feed.Show {
	return func(ctx context.Context, from feed.Feed) error { return showScreens(ctx, p, choice, from) }
}

func showScreens(ctx context.Context, p *cli.Program, choice cli.Selection, from feed.Feed) error {
	before, err := term.GetState(p.In.Fd())
	if err != nil {
		return cli.Exit(cli.ExitFailed, fmt.Errorf("read the terminal's state: %w", err))
	}
	defer crash.Before(func() { _ = term.Restore(p.In.Fd(), before) })()
	user := feed.NewAttended(from)
	ctx, quit := context.WithCancel(ctx)
	group, ctx := errgroup.WithContext(ctx)
	var w *source.Watch
	beside := backgroundTasks{cfg: &p.Config, recorder: record.NewBackground(&p.Config,
		func() string { return onlyJob(w.Store) }),
		choices: newSaver(&p.Config), teller: newTeller(&p.Config)}
	w = source.OpenWatch(ctx, &p.Config, 0, from, feed.RaiseMemory(), dropMarks(beside.recorder.Take))
	group.Go(crash.Guard(func() error {
		<-w.Done()
		return w.Err()
	}))
	beside.startAides(ctx, group, w, from.Touch)
	feed.AskHung(&p.Config, from, w)
	group.Go(func() error {
		defer quit()
		defer crash.End()
		garbage := newCollector()
		o := Options(&p.Config, garbage.watchHeap(w.Look), &keyControls{user, garbage}, choice)
		beside.addAides(ctx, &o)
		o.Tell, o.Watch = w.Tell, findTerminal(os.Getenv).Watch
		o.Report = report.Ended(p, from)
		o.Everyone = os.Geteuid() == 0 || slices.Contains(p.Config.Admins, p.Me())
		if !w.CatchUp(blackMost) {
			o.Opening = simulating(&p.Config, w)
		}
		return ui.Run(ctx, o, p.In, p.Out)
	})
	var away error
	group.Go(func() error {
		defer quit()
		defer crash.End()
		away = user.Left(ctx, p.Config.IdleExit, "key")
		return nil
	})
	<-ctx.Done()
	ended, err := source.StartTask(group.Wait).Wait(feed.Parting)
	if !ended {
		// A terminal that accepts no output (Ctrl-S, a dead link) blocks the screen, but its settings can still be
		// restored.
		_ = term.Restore(p.In.Fd(), before)
	}
	if ended { // otherwise the disk may be at fault
		beside.recorder.Report(p.Out)
	}
	if ended && err == nil {
		return away
	}
	return cli.Failed(err)
}

// blackMost is how long the terminal stays black while a demo makes its past. A small demo needs less.
const blackMost = 100 * time.Millisecond

// simulating returns a function that says what a demo does before its first frame: "Simulating 1000 nodes with 8 GPUs
// each, …"; "" as soon as there is a frame to show.
func simulating(cfg *config.Config, w *source.Watch) func() string {
	nodes, gpus, _ := cfg.DemoSize() // it was checked when the demo was made
	says := "Simulating " + part.Plural(nodes, "node", "nodes") + " with " + part.Plural(gpus, "GPU", "GPUs") +
		" each, and their last minutes …"
	return func() string {
		if w.CatchUp(0) {
			return ""
		}
		return says
	}
}

// backgroundTasks are what works alongside the screens.
type backgroundTasks struct {
	cfg      *config.Config
	recorder *record.Background
	choices  *saver
	teller   *newsTeller
}

// startAides starts the aides, which end with ctx.
func (a *backgroundTasks) startAides(ctx context.Context, group *errgroup.Group, w *source.Watch, touch func()) {
	group.Go(crash.Guard(func() error { return a.recorder.Run(ctx) }))
	group.Go(crash.Guard(func() error { return a.recorder.Hold(ctx, touch) }))
	if dir, err := config.MarkDir(); err == nil && a.cfg.Demo == "" && a.cfg.Nodes == "" {
		group.Go(crash.Guard(func() error { return a.recorder.Marks(ctx, dir) }))
	}
	group.Go(crash.Guard(func() error { return a.choices.runSaver(ctx) }))
	group.Go(crash.Guard(func() error { return a.teller.deliverNews(ctx, w) }))
}

// addAides gives the screens access to what the aides can do.
func (a *backgroundTasks) addAides(ctx context.Context, o *ui.Options) {
	o.Save, o.Record, o.Alerts = saveSettings, a.recorder, a.teller.alerts
	o.RememberClassic = func(classic bool) { a.choices.rememberChoice(config.Colors, config.ColorsOf(classic)) }
	o.RememberView = func(view string) { a.choices.rememberChoice(config.View, view) }
	o.TryNews = func(way string) error { return a.teller.sendTest(ctx, way) }
}

// dropMarks passes on all Events except marks. The marks in a recording come from Background.Marks, which also has the
// earlier ones.
func dropMarks(take func(cluster.Event)) func(cluster.Event) {
	return func(e cluster.Event) {
		if e.Mark == nil {
			take(e)
		}
	}
}

// Options returns the options of screens whose choices are not saved.
func Options(cfg *config.Config, snapshot func(time.Time) *cluster.Snapshot, from source.Controls,
	choice cli.Selection) ui.Options {
	return ui.Options{
		Snapshot: snapshot,
		Now:      time.Now,
		Controls: from,
		Display:  cfg.Display,
		Choices:  choicesOf(cfg),
		ASCII:    cli.ASCII(cfg),
		Monitor:  cfg.Monitor,
		Keys:     cfg.Keys,
		Banner:   cfg.Banner,
		HelpURL:  cfg.HelpURL,
		Login:    cfg.Login,
		ReadOnly: feed.WhyReadOnly(cfg),
		Version:  wire.BuildVersion(),

		Only: choice.GPUs, Processes: choice.Processes,
	}
}

// startView returns the first page: the requested one, or else the last choice. "auto" leaves the choice to the screen.
func startView(cfg *config.Config) string {
	if cfg.View != ui.ViewAuto {
		return cfg.View
	}
	return cmp.Or(config.Remembered(config.View), ui.ViewAuto)
}

// onlyJob returns the ID of the only job; "": there is no job, or several.
func onlyJob(store *store.Store) string {
	if jobs := store.Snapshot(time.Now()).Jobs; len(jobs) == 1 {
		return jobs[0].ID
	}
	return ""
}
