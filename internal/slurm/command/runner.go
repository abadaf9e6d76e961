// Package command runs SLURM's commands, here or on a login host, with a deadline and a cap on their output, and
// explains their failures. If there is no SLURM, the error is ErrNoSlurm. It splits the output of scontrol into
// records, and keeps the last answers for the next program of the same user.
package command

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
)

// Runner runs a command to its end and returns its output. If ctx ends first, it kills the command and returns ctx's
// cause. The error wraps exec.ErrNotFound if there is no such command.
type Runner func(ctx context.Context, argv ...string) (stdout, stderr []byte, err error)

// deadline limits one call of a command.
const deadline = 10 * time.Second

// Within runs a command with our deadline.
func (run Runner) Within(ctx context.Context, argv ...string) (stdout, stderr []byte, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, deadline, ErrLate)
	defer cancel()
	return run(ctx, argv...)
}

// Caps on the output of a command. The longest known output, for all jobs of a cluster with 1000 jobs, is 1.2 MB.
const (
	maxStdout = 32 << 20
	maxStderr = 64 << 10
)

// ErrTooMuch means that a command printed more than is accepted.
var ErrTooMuch = errors.New("more than 32 MiB of output")

// reapDelay is how long a killed command's pipes may stay open, held by a process that left its group.
const reapDelay = time.Second

// Run is the Runner that starts a process. The process has its own group, which is killed when ctx ends. Ctrl-C at
// the terminal does not reach it.
func Run(ctx context.Context, argv ...string) (stdout, stderr []byte, err error) {
	out := &text.Capture{Limit: maxStdout, Full: ErrTooMuch}
	words := &text.Capture{Limit: maxStderr}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = commandEnviron(os.Environ())
	cmd.Stdout, cmd.Stderr = out, words
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = reapDelay
	err = cmd.Run()
	said := words.Bytes()
	if value := os.Getenv(clustersVariable); namesSeveral(value) {
		said = append([]byte(droppedMark+value+"\n"), said...)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		err = context.Cause(ctx)
	case len(out.Bytes()) == maxStdout:
		err = ErrTooMuch
	}
	return out.Bytes(), said, err
}

// commandEnviron returns base without settings that change the output format of squeue, sinfo, scontrol, sacct and
// sprio, the effect of scancel, or what sbatch --test-only asks for. Times are in one format and in UTC: glibc knows
// time zones that Go does not. Jobs are those of one cluster, that of slurm.conf or of SLURM_CLUSTERS, without clusters
// federated with it, since their nodes and jobs may have the same names. Partitions that a site hides, or keeps from
// the user's groups, are listed like all others: a job of the user may run there. An old scontrol refuses the option
// --local, but not the variable.
func commandEnviron(base []string) []string {
	env := slices.DeleteFunc(slices.Clone(base), func(entry string) bool {
		name, value, _ := strings.Cut(entry, "=")
		return strings.HasPrefix(name, "SQUEUE_") || strings.HasPrefix(name, "SCONTROL_") ||
			strings.HasPrefix(name, "SCANCEL_") || strings.HasPrefix(name, "SACCT_") ||
			strings.HasPrefix(name, "SINFO_") || strings.HasPrefix(name, "SPRIO_") || strings.HasPrefix(name, "SBATCH_") ||
			name == "SLURM_TIME_FORMAT" || name == "SLURM_TOPO_LEN" || name == "TZ" || name == clustersVariable &&
			!isOneCluster(value)
	})
	return append(env, "SLURM_TIME_FORMAT=standard", "TZ=UTC0", "SQUEUE_LOCAL=1", "SINFO_LOCAL=1", "SCONTROL_LOCAL=1",
		"SQUEUE_ALL=1", "SINFO_ALL=1", "SCONTROL_ALL=1")
}
