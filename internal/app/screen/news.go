package screen

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/app/watch"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/output/notify"
	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/internal/ui"
	"github.com/nvnodetop/nvnodetop/internal/ui/settings"
)

const (
	// newsEvery is how often news is looked for. newsParting is how long the last messages may take.
	newsEvery   = 5 * time.Second
	newsParting = time.Second

	mostAlerts = 16 // that wait for the screen
)

// newsTeller tells the user what happens while the screen runs, in the ways that the settings choose.
type newsTeller struct {
	cfg    *config.Config
	alerts chan ui.Alert
}

func newTeller(cfg *config.Config) *newsTeller {
	return &newsTeller{cfg, make(chan ui.Alert, mostAlerts)}
}

func (t *newsTeller) sendAlert(a ui.Alert) {
	select {
	case t.alerts <- a:
	default: // the terminal accepts nothing
	}
}

// newsOptions returns the options of news with these ways.
func (t *newsTeller) newsOptions(ways ...string) watch.NewsOptions {
	on := draw.AlertHostOf(os.Getenv)
	return watch.NewsOptions{Ways: ways, Named: len(ways) > 0,
		Terminal: func(title, text string) {
			t.sendAlert(ui.Alert{Sequence: draw.AlertSequence(t.cfg.Notify.Terminal, on, title, text)})
		},
		Say: func(line string) { t.sendAlert(ui.Alert{Notice: line}) }}
}

// deliverNews delivers the news until ctx ends. If there is no way, it only says which ways exist.
func (t *newsTeller) deliverNews(ctx context.Context, w *source.Watch) error {
	t.sendAlert(ui.Alert{Ways: t.newsWays()})
	if len(t.cfg.Notify.Ways) == 0 {
		return nil
	}
	desk, wrong := watch.OpenNews(t.cfg, t.newsOptions())
	if len(wrong) > 0 {
		t.sendAlert(ui.Alert{Notice: strings.ReplaceAll(errors.Join(wrong...).Error(), "\n", "; ")})
	}
	w.CatchUp(source.PastPatience)
	desk.Follow(ctx, newsEvery, w.Look)
	desk.Close(newsParting)
	return nil
}

// newsWays returns the ways that the page of settings shows. Their files may be in a slow home directory.
func (t *newsTeller) newsWays() (all []settings.News) {
	for _, name := range notify.WayNames() {
		n := settings.News{Way: name, On: slices.Contains(t.cfg.Notify.Ways, name)}
		if _, wrong := watch.OpenWays(t.cfg, t.newsOptions(name)); len(wrong) > 0 {
			n.Not = watch.WhyUnusable(wrong[0])
		}
		all = append(all, n)
	}
	return all
}

// sendTest sends a test message over a way.
func (t *newsTeller) sendTest(ctx context.Context, way string) error {
	open, wrong := watch.OpenWays(t.cfg, t.newsOptions(way))
	return errors.Join(append(wrong, watch.TryWays(ctx, open, nil)...)...)
}
