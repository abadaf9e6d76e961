package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	output "github.com/nvnodetop/nvnodetop/internal/output/check"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/slurm/queue"
	"github.com/nvnodetop/nvnodetop/internal/slurm/sacct"
	"github.com/nvnodetop/nvnodetop/internal/source/access"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// checkWaiting refuses flags that have no meaning for --waiting.
func (o *Options) checkWaiting() error {
	for _, name := range []string{"job", "nodes", "transport", "demo"} {
		if o.Changed(name) {
			return fmt.Errorf("--%s cannot be combined with --waiting", name)
		}
	}
	if !sacct.IsID(o.waiting) {
		return fmt.Errorf("--waiting takes the ID of a job, such as 48211, not %q", o.waiting)
	}
	return nil
}

// sayWhyItWaits asks SLURM about a job that waits.
func (o *Options) sayWhyItWaits(ctx context.Context, log *slog.Logger) error {
	ways, err := access.New(ctx, &o.Config, log)
	if err != nil {
		return cli.Exit(cli.ExitFailed, err)
	}
	defer ways.Close()
	if at := feed.NewTerminal(o.Streams); at != nil && o.Config.Login != "" {
		if err := ways.Native.Prepare(ctx, at, nil); err != nil {
			return cli.Exit(cli.ExitFailed, err)
		}
	}
	inTime, cancel := context.WithTimeout(ctx, o.Config.Timeout)
	defer cancel()
	line := cli.NewStatus(o.Err)
	line.Set("asking SLURM, with pauses")
	found, err := queue.Ask(inTime, ways.Commands, o.waiting)
	line.Erase()
	switch {
	case err == nil:
		return cli.Failed(o.printWait(found))
	case ctx.Err() != nil:
		return cli.Exit(cli.ExitFailed, cli.ErrInterrupted)
	case inTime.Err() != nil:
		return cli.Exit(cli.ExitNoJobs, fmt.Errorf("SLURM did not answer within %v", o.Config.Timeout))
	case errors.Is(err, command.ErrNoSlurm):
		return cli.Exit(cli.ExitNoJobs, feed.AskElsewhere(&o.Config))
	}
	return cli.Exit(cli.ExitNoJobs, fmt.Errorf("job %q: %w", o.waiting, err))
}

// printWait prints SLURM's answers.
func (o *Options) printWait(found *queue.Wait) error {
	if o.json {
		return output.WaitingJSON(o.Out, found, wire.BuildVersion())
	}
	_, err := io.WriteString(o.Out, cli.Printable(found.Text(time.Now())))
	return err
}
