package screen

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/nvnodetop/nvnodetop/internal/app/news"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/session"
	"github.com/nvnodetop/nvnodetop/internal/ui"
	"github.com/nvnodetop/nvnodetop/internal/ui/terminal"
)

const (
	// newsEvery is the time between two looks for news, and newsParting the time for the last messages.
	newsEvery   = 5 * time.Second
	newsParting = time.Second

	mostAlerts = 16 // that wait for the screen
)

// tellNews tells the user what happens while the screen runs, in the ways of the settings. Without a way it costs
// nothing, and returns nil.
func tellNews(ctx context.Context, group *errgroup.Group, cfg *config.Config, w *session.Watch) <-chan ui.Alert {
	if len(cfg.Notify.Ways) == 0 {
		return nil
	}
	alerts := make(chan ui.Alert, mostAlerts)
	tell := func(a ui.Alert) {
		select {
		case alerts <- a:
		default: // the terminal does not accept anything
		}
	}
	on := terminal.HostOf(os.Getenv)
	group.Go(func() error {
		desk, wrong := news.Open(cfg, news.Options{
			Terminal: func(title, text string) {
				tell(ui.Alert{Sequence: terminal.Alert(cfg.Notify.Terminal, on, title, text)})
			},
			Say: func(line string) { tell(ui.Alert{Notice: line}) },
		})
		if len(wrong) > 0 {
			tell(ui.Alert{Notice: strings.ReplaceAll(errors.Join(wrong...).Error(), "\n", "; ")})
		}
		w.CatchUp(session.Past)
		desk.Follow(ctx, newsEvery, w.Store.Snapshot)
		desk.Close(newsParting)
		return nil
	})
	return alerts
}
