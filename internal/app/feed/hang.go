package feed

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/hang"
	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/source"
)

// suspectEvery is how often jobs that seem to hang are searched for.
const suspectEvery = 10 * time.Second

// AskHung asks the ranks of jobs that seem to hang where they are, once per hang, until no more Events come. The
// answers go to all takers of the session's Events. The settings may forbid it.
func AskHung(cfg *config.Config, from Feed, w *source.Watch) {
	if cfg.HangAsk {
		crash.Go(func() { hang.New(from.Ask, w.Tell).Follow(w.Context(), suspectEvery, w.Look) })
	}
}
