package record

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/source"
)

// BesideFlag adds the flag that also makes a recording while an output runs.
func BesideFlag(f *pflag.FlagSet, path *string) {
	f.StringVar(path, "record", "", "also record to `FILE`, which must not exist, for nvnodetop replay")
}

// Beside also records the Events of out to a file; "": it does not record. If a recording fails, out goes on.
func Beside(p *cli.Program, path string, out feed.Show) feed.Show {
	if path == "" {
		return out
	}
	return func(ctx context.Context, from feed.Feed) error {
		b := NewBackground(&p.Config, nil)
		if err := b.recordTo(path, time.Now()); err != nil {
			return cli.Usage("--record: %w", err)
		}
		writes, stop := context.WithCancel(context.WithoutCancel(ctx))
		defer stop()
		writing := source.StartTask(func() error { return b.Run(writes) })
		err := out(ctx, feed.Heard(from, b.Take))
		stop()
		if done, _ := writing.Wait(feed.Parting); done {
			p.Say("%s", b.lastMessage())
		} else {
			p.Say("%q: the disk does not answer", path)
		}
		return err
	}
}

// SwitchedOff returns why recording is forbidden, usually by the system's file; "": it is allowed.
func SwitchedOff(cfg *config.Config) string {
	if cfg.Record {
		return ""
	}
	return fmt.Sprintf("recordings are switched off: record = false (%s)", cfg.RecordFrom)
}

// Allowed returns SwitchedOff as the error of a command.
func Allowed(cfg *config.Config) error {
	if why := SwitchedOff(cfg); why != "" {
		return cli.Usage("%s", why)
	}
	return nil
}
