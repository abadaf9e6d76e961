package feed

import (
	"context"
	"slices"
	"sync"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/source/mark"
)

// markedFeed is a feed that adds the marks of its jobs, for scalars, recordings and reports.
type markedFeed struct{ Feed }

// Unwrap returns the Source.
func (m markedFeed) Unwrap() cluster.Source { return m.Feed }

// Run implements cluster.Source. It does not wait for a home directory that hangs.
func (m markedFeed) Run(ctx context.Context, emit func(cluster.Event)) error {
	dir, err := config.MarkDir()
	if err != nil { // there is no home, and so there are no marks
		return m.Feed.Run(ctx, emit)
	}
	var mu sync.Mutex
	var jobs, before []string // from SLURM's last answer and the one before it: a job may have marked its end
	over := false
	both := func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Compact(slices.Sorted(slices.Values(slices.Concat(jobs, before))))
	}
	f := mark.Follow(dir, mark.Every, both, func(k cluster.Mark) {
		mu.Lock()
		defer mu.Unlock()
		if !over {
			emit(cluster.Event{At: k.Arrived, Mark: &k})
		}
	})
	defer func() {
		f.Close(0)
		mu.Lock()
		defer mu.Unlock()
		over = true
	}()
	return m.Feed.Run(ctx, func(e cluster.Event) {
		if e.Discovery != nil {
			mu.Lock()
			before, jobs = jobs, nil
			for i := range e.Discovery.Jobs {
				jobs = append(jobs, e.Discovery.Jobs[i].Number)
			}
			mu.Unlock()
		}
		emit(e)
	})
}
