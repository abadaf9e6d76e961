package watch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/output/notify"
	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/internal/source/access"
)

// A NewsDesk tells the user what happens to the jobs, for the screen and the command watch. It opens the ways that the
// settings choose. It remembers what was reported, so that another program does not report it again.

// NewsDesk gets Snapshots, and delivers the news in them. One goroutine may use it.
type NewsDesk struct {
	watcher  *notify.Watcher
	gatherer notify.Gatherer
	sender   notify.Sender
	post     *notify.Post

	name  string   // of the file that remembers what was reported; "": nothing is remembered
	told  []string // remembered as reported
	saved *source.Task
}

// NewsOptions say what a Desk does, in addition to the settings.
type NewsOptions struct {
	Ways     []string                 // instead of those in the settings, if Named
	Named    bool                     // each of the Ways must be usable
	Jobs     []string                 // none: all
	Terminal func(title, text string) // nil: there is none
	Say      func(line string)        // called with failures, from any goroutine
}

// OpenNews opens the ways. wrong says why some ways cannot be used.
func OpenNews(cfg *config.Config, o NewsOptions) (d *NewsDesk, wrong []error) {
	open, wrong := OpenWays(cfg, o)
	d = &NewsDesk{watcher: notify.NewWatcher(cfg.Notify.NewsSettings, o.Jobs), sender: localSender(),
		gatherer: notify.Gatherer{PerHour: cfg.Notify.PerHour}, post: notify.OpenWays(open, o.Say)}
	d.watcher.Asks = cfg.HangAsk
	if len(open) > 0 && cfg.Demo == "" {
		names := []string{"told"}
		for _, w := range open {
			names = append(names, w.Name)
		}
		d.name = strings.Join(names, "-")
		d.told = config.Told(d.name, time.Now())
		d.watcher.Resume(d.told)
	}
	return d, wrong
}

func localSender() notify.Sender {
	user, host := access.Here()
	return notify.Sender{Host: host, User: user}
}

// OpenWays are the ways that the user wants and may use.
func OpenWays(cfg *config.Config, o NewsOptions) (open []notify.Way, wrong []error) {
	names := cfg.Notify.Ways
	if o.Named {
		names = o.Ways
	}
	for _, name := range names {
		way, err := wayOf(cfg, name, o.Terminal)
		switch {
		case err == nil:
			open = append(open, way)
		case o.Named || !errors.Is(err, notify.ErrNoTerminal):
			wrong = append(wrong, unusableWayError{name, err})
		}
	}
	return open, wrong
}

// unusableWayError is the error of a way that cannot be used.
type unusableWayError struct {
	way string
	why error
}

func (u unusableWayError) Error() string {
	return fmt.Sprintf("no notification by %s: %v", u.way, u.why)
}
func (u unusableWayError) Unwrap() error { return u.why }

// WhyUnusable returns why a way cannot be used, without the name of the way.
func WhyUnusable(err error) string {
	if u, is := errors.AsType[unusableWayError](err); is {
		return u.why.Error()
	}
	return err.Error()
}

// wayOf opens a way that the settings allow.
func wayOf(cfg *config.Config, name string, terminal func(title, text string)) (notify.Way, error) {
	n := &cfg.Notify
	if !n.Allows(name) {
		return notify.Way{}, fmt.Errorf("notify.allow = %q (%s) forbids it", n.Allow, n.AllowFrom)
	}
	return notify.NewWay(name, &notify.WaySettings{Command: n.Command, Webhook: n.Webhook, Mail: n.Mail,
		Terminal: terminal})
}

// TryWays sends one message over each way, and returns what failed. It calls begin before a way that may take some
// time; begin may be nil.
func TryWays(ctx context.Context, open []notify.Way, begin func(notify.Way)) (failed []error) {
	m := notify.Message{At: time.Now(), Title: "nvnodetop: a test message",
		Text:  "Notifications about your jobs come here.",
		Count: 1,
		Items: []notify.Item{{At: time.Now(), Event: "test", GPU: cluster.NoNumber, Title: "a test message"}}}
	document := localSender().Document(&m)
	for _, w := range open {
		if w.Most > 0 && begin != nil {
			begin(w)
		}
		if err := w.Send(ctx, document); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", w.Name, err))
		}
	}
	return failed
}

// See delivers the news in the next Snapshot, and returns it.
func (d *NewsDesk) See(s *cluster.Snapshot) []notify.Item {
	items := d.watcher.See(s)
	d.take(s.At, items)
	d.saveTold()
	return items
}

// Ended delivers the news of ended jobs that were in no Snapshot, and returns it.
func (d *NewsDesk) Ended(at time.Time, jobs []cluster.EndedJob) (items []notify.Item) {
	for k := range jobs {
		if i, wanted := d.watcher.Ended(at, &jobs[k]); wanted {
			items = append(items, i)
		}
	}
	d.take(at, items)
	return items
}

func (d *NewsDesk) take(at time.Time, items []notify.Item) {
	for _, m := range d.gatherer.Take(at, items) {
		d.post.Send(d.sender.Document(&m))
	}
}

// saveTold saves what was reported, if that has changed and the previous change has been saved. A home directory may
// hang.
func (d *NewsDesk) saveTold() {
	if d.saved != nil {
		if done, _ := d.saved.Wait(0); !done {
			return
		}
	}
	now := d.watcher.Told()
	if d.name == "" || slices.Equal(now, d.told) {
		return
	}
	forgotten := slices.DeleteFunc(slices.Clone(d.told), func(id string) bool {
		return slices.Contains(now, id) || d.watcher.Expects(id)
	})
	name := d.name
	d.told = now
	d.saved = source.StartTask(func() error { return config.Tell(name, now, forgotten, time.Now()) })
}

// Follow delivers the news of a Store until ctx ends.
func (d *NewsDesk) Follow(ctx context.Context, every time.Duration, snapshot func(time.Time) *cluster.Snapshot) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			d.See(snapshot(time.Now()))
		case <-ctx.Done():
			return
		}
	}
}

// Close delivers what is waiting, within a time limit, and reports whether that was enough.
func (d *NewsDesk) Close(within time.Duration) bool {
	if m, some := d.gatherer.Rest(time.Now()); some {
		d.post.Send(d.sender.Document(&m))
	}
	delivered := d.post.Close(within)
	if d.saved != nil {
		_, _ = d.saved.Wait(time.Second) // otherwise a problem is reported twice
	}
	return delivered
}
