package command

import (
	"context"
	"errors"
	"os/exec"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
)

// ErrMissing says that a command is not in PATH.
var ErrMissing = errors.New("not in PATH")

// Version asks one of SLURM's commands for its version, such as "slurm 23.11.4". The error is ErrMissing, ErrNoSlurm,
// ctx's error, or a *reach.Failure.
func Version(ctx context.Context, run Runner, command string) (string, error) {
	out, stderr, err := run.Within(ctx, command, "--version")
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return "", ErrMissing
	case NoSlurm(stderr, err): // some versions look for a configuration even so
		return "", ErrNoSlurm
	case err != nil:
		return "", Failed(command, stderr, err)
	}
	return text.Cut(strings.TrimSpace(text.FirstLine(string(out))), maxLine), nil
}
