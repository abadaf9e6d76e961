package command

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
)

// Logged returns run with each command logged: its arguments, its duration, and whether it failed. The output is not
// logged. scancel is also logged before it runs: the program may end before scancel does.
func Logged(run Runner, log *slog.Logger) Runner {
	const most = 200 // characters of a command
	return func(ctx context.Context, argv ...string) (stdout, stderr []byte, err error) {
		command := text.Cut(strings.Join(argv, " "), most)
		if argv[0] == "scancel" {
			log.Info("slurm asked", "command", command)
		}
		began := time.Now()
		stdout, stderr, err = run(ctx, argv...)
		level := slog.LevelInfo
		if err != nil {
			level = slog.LevelWarn
		}
		log.Log(context.WithoutCancel(ctx), level, "slurm", "command", command, "took",
			time.Since(began).Round(time.Millisecond), "bytes", len(stdout), "failed", err != nil)
		return stdout, stderr, err
	}
}
