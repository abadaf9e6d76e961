package track

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/app/record"
	ofjobs "github.com/nvnodetop/nvnodetop/internal/app/report"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/output/report/output"
)

// Flags for the report of a job, and flags that only the report of a command has.
var (
	jobFlags     = []string{"transport", "login", "timeout", "log"}
	commandFlags = []string{"ram-unit", "gpu-ram-unit", "time-unit", "n-expected-cores", "gpu-uuids", "disable-logs",
		"execute", "pid", "tracking-file", "overwrite", "tconfig"}
)

// chooseJob chooses the job of the batch script if the command is srun. A flag that only the report of a command has
// selects that report instead.
func (t *Options) chooseJob(args []string) {
	if len(args) > 0 && filepath.Base(args[0]) == "srun" && !t.Changed("job") &&
		!slices.ContainsFunc(commandFlags, t.Changed) {
		t.job = os.Getenv(feed.BatchJob)
	}
}

// ofJob reports on a job, during a command if there is one.
func (t *Options) ofJob(ctx context.Context, command []string) error {
	for _, name := range commandFlags {
		if t.Changed(name) {
			return cli.Usage("--%s is for the report of a command: it cannot be combined with --job", name)
		}
	}
	t.Config.Job = t.job
	poll, err := t.checkJob()
	if err == nil {
		t.Apart = len(command) > 0 // the command runs in any case
		err = t.Accept(poll...)
	}
	if err == nil {
		err = t.checkRecord(len(command) > 0)
	}
	if err != nil {
		return err
	}
	file, err := cli.OpenReport(t.output)
	if err != nil {
		return cli.Usage("--output: %w", err)
	}
	return t.Logged(func(log *slog.Logger) error {
		if len(command) > 0 {
			return t.inJob(ctx, log, command, file)
		}
		live := ofjobs.Live{Program: t.Program, Format: t.format, Record: t.record}
		return live.Run(ctx, log, file)
	})
}

func (t *Options) checkJob() (poll []config.Word, err error) {
	if err := cli.OneOf("format", t.format, output.Names...); err != nil {
		return nil, err
	}
	switch {
	case t.Changed("output") && t.output == "":
		return nil, errors.New("--output is empty")
	case t.Changed(cli.Interval):
		return t.ByInterval(t.flags.Lookup(cli.Interval).Value.String(), config.MinPoll)
	}
	return nil, nil
}

// checkRecord refuses a recording that is switched off. A command still runs, but without the recording: a job that has
// waited for days must not fail because of a report.
func (t *Options) checkRecord(runs bool) error {
	why := record.SwitchedOff(&t.Config)
	if t.record == "" || why == "" {
		return nil
	}
	if !runs {
		return cli.Usage("%s", why)
	}
	t.Say("%s: the command runs without --record", why)
	t.record = ""
	return nil
}
