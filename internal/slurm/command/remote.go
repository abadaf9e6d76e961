package command

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// Script runs a script of sh on another host. Its error is the reason why it could not be run; otherwise there is an
// exit status.
type Script func(ctx context.Context, script string, input []byte) (stdout, stderr []byte, status int, err error)

// Remote returns the Runner for another host. Nothing has to be installed there.
func Remote(run Script) Runner {
	return func(ctx context.Context, argv ...string) (stdout, stderr []byte, err error) {
		stdout, stderr, status, err := run(ctx, remoteScript, []byte(strings.Join(argv, "\n")+"\n"))
		switch {
		case err != nil:
		case status == exitNotFound:
			err = fmt.Errorf("%s: %w", argv[0], exec.ErrNotFound)
		case status != 0:
			err = fmt.Errorf("exit status %d", status)
		}
		return stdout, stderr, err
	}
}

// exitNotFound is the exit status of a shell that does not find a command.
const exitNotFound = 127

// remoteScript runs the command whose words are the lines of its input, in the environment that Command makes. A login
// shell cannot change it. If sh does not find the command, the paths of a login shell may. A command that hangs is
// killed there, too, if possible.
const remoteScript = `IFS= read -r a; ` +
	`command -v "$a" >/dev/null 2>&1 || { [ -r /etc/profile ] && . /etc/profile </dev/null >/dev/null 2>&1; }; ` +
	`set -- "$a"; while IFS= read -r a; do set -- "$@" "$a"; done; ` +
	`unset SLURM_TOPO_LEN $(env | grep -oE "^(SQUEUE|SINFO|SCONTROL|SCANCEL|SACCT)_[A-Za-z0-9_]*"); ` +
	`case "$SLURM_CLUSTERS" in "") unset SLURM_CLUSTERS;; *,*|[Aa][Ll][Ll]) ` +
	`echo "` + droppedMark + `$SLURM_CLUSTERS" >&2; unset SLURM_CLUSTERS;; esac; ` +
	`export SLURM_TIME_FORMAT=standard TZ=UTC0 SQUEUE_LOCAL=1 SINFO_LOCAL=1 SCONTROL_LOCAL=1 ` +
	`SQUEUE_ALL=1 SINFO_ALL=1 SCONTROL_ALL=1; ` +
	`if command -v timeout >/dev/null 2>&1; then exec timeout -s KILL 15 "$@" </dev/null; fi; exec "$@" </dev/null`
