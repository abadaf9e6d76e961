package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// Script runs a sh script on another host. Its error says why the script could not be run to its end; without one there
// is an exit status. The output is what has arrived so far.
type Script func(ctx context.Context, script string, input []byte) (stdout, stderr []byte, status int, err error)

// mark is the first line of our script's output. Output before it comes from a login shell.
const mark = "nvnodetop-command/1\n"

// Remote returns the Runner for another host. Nothing needs to be installed there.
func Remote(host string, run Script) Runner {
	return func(ctx context.Context, argv ...string) (stdout, stderr []byte, err error) {
		all, stderr, status, err := run(ctx, remoteScript, []byte(strings.Join(argv, "\n")+"\n"))
		_, connection := errors.AsType[*reach.Failure](err)
		printed, stdout, begun := bytes.Cut(all, []byte(mark))
		switch {
		case !begun && (err == nil || errors.Is(err, ErrLate) || connection && len(printed) > maxPrinted):
			return nil, stderr, notBegun(host, printed, stderr, err)
		case err != nil:
		case status == exitNotFound:
			err = fmt.Errorf("%s: %w", argv[0], exec.ErrNotFound)
		case status != 0:
			err = fmt.Errorf("exit status %d", status)
		}
		return stdout, stderr, err
	}
}

// maxPrinted is more than a login shell prints before it runs a command.
const maxPrinted = 256 << 10

// notBegun returns the failure of a login shell that does not run our script. SLURM was not asked.
func notBegun(host string, printed, stderr []byte, err error) *reach.Failure {
	words := slices.Concat(printed[:min(len(printed), maxWords)], stderr[:min(len(stderr), maxWords)])
	f := &reach.Failure{
		Class:   reach.ClassLoginHangs,
		Short:   fmt.Sprintf("the shell of %s has not begun our command within %v", host, deadline),
		Cause:   "its startup files hang or print",
		Words:   string(bytes.TrimSpace(words)),
		Meaning: "The login works, but the login shell does not reach our command. SLURM was not asked.",
		Hints:   []string{"reproduce with: ssh " + host + " true"},
	}
	switch {
	case len(printed) > maxPrinted:
		f.Class, f.Short = reach.ClassGarbage, "the shell of "+host+" has not begun our command"
		f.Cause = "its startup files print without end"
	case err == nil:
		f.Class, f.Short, f.Cause = reach.ClassDenied, "the shell of "+host+" does not run our command",
			"its startup files exit, or the account may run only something else"
	}
	return f
}

// exitNotFound is the exit status of a shell that does not find a command.
const exitNotFound = 127

// remoteScript runs the command whose words are the lines of its input, in an environment like that of
// commandEnviron. A login shell cannot change that environment. If sh does not find the command, a login shell's paths
// may have it. A command that hangs is killed there too, if possible.
const remoteScript = `echo nvnodetop-command/1; IFS= read -r a; ` +
	`command -v "$a" >/dev/null 2>&1 || { [ -r /etc/profile ] && . /etc/profile </dev/null >/dev/null 2>&1; }; ` +
	`set -- "$a"; while IFS= read -r a; do set -- "$@" "$a"; done; ` +
	`unset SLURM_TOPO_LEN $(env | grep -oE "^(SQUEUE|SINFO|SCONTROL|SCANCEL|SACCT|SPRIO|SBATCH)_[A-Za-z0-9_]*"); ` +
	`case "$SLURM_CLUSTERS" in "") unset SLURM_CLUSTERS;; *,*|[Aa][Ll][Ll]) ` +
	`echo "` + droppedMark + `$SLURM_CLUSTERS" >&2; unset SLURM_CLUSTERS;; esac; ` +
	`export SLURM_TIME_FORMAT=standard TZ=UTC0 SQUEUE_LOCAL=1 SINFO_LOCAL=1 SCONTROL_LOCAL=1 ` +
	`SQUEUE_ALL=1 SINFO_ALL=1 SCONTROL_ALL=1; ` +
	`if command -v timeout >/dev/null 2>&1; then exec timeout -s KILL 15 "$@" </dev/null; fi; exec "$@" </dev/null`
