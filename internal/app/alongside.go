package app

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/session"
)

// alongsideFlag adds the flag of what can be recorded besides.
func alongsideFlag(f *pflag.FlagSet, path *string) {
	f.StringVar(path, "record", "", "also record to `FILE`, which must not exist, for nvnodetop replay")
}

// alongside records to a file what out gets; "": nothing is recorded. A recording that fails does not stop out.
func alongside(path string, out show) show {
	if path == "" {
		return out
	}
	return func(ctx context.Context, cfg *config.Config, io streams, from feed) error {
		o := newOnCall(cfg, nil)
		if err := o.to(path, time.Now()); err != nil {
			return usage("--record: %w", err)
		}
		writes, stop := context.WithCancel(context.WithoutCancel(ctx))
		defer stop()
		writing := session.Go(func() error { return o.run(writes) })
		err := out(ctx, cfg, io, overheard{from, o.take})
		stop()
		if done, _ := writing.Wait(partingTime); done {
			fmt.Fprintf(io.err, "nvnodetop: %s\n", printable(o.last()))
		} else {
			fmt.Fprintf(io.err, "nvnodetop: %q: the disk does not answer\n", path)
		}
		return err
	}
}

// overheard is a feed whose Events something else takes too.
type overheard struct {
	feed
	take func(cluster.Event)
}

// Unwrap returns the Source.
func (o overheard) Unwrap() cluster.Source { return o.feed }

// Run implements cluster.Source.
func (o overheard) Run(ctx context.Context, emit func(cluster.Event)) error {
	return o.feed.Run(ctx, func(e cluster.Event) {
		o.take(e)
		emit(e)
	})
}
