package notify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
)

// childTime is how long a command may run. lingering is how long its output may stay open after its end.
const (
	childTime = 30 * time.Second
	lingering = time.Second
	maxWords  = 1 << 10 // limit of its output that is kept
	maxLine   = 200     // limit of its output that is quoted
)

// passedVariables are the variables that a child gets. Other variables may be secrets, such as tokens of services or
// keys of clouds.
var passedVariables = []string{"HOME", "USER", "LOGNAME", "PATH", "SHELL", "LANG", "TZ", "TMPDIR", "DISPLAY",
	"WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "TMUX", "TMUX_PANE"}

// childEnvironment are the variables of a child.
func childEnvironment(of []string) []string {
	return slices.DeleteFunc(slices.Clone(of), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return !slices.Contains(passedVariables, name) && !strings.HasPrefix(name, "LC_")
	})
}

// NewCommandWay runs a program for each Message, which it gets as JSON on its standard input, without a shell. The
// program is searched for immediately.
func NewCommandWay(argv []string) (Way, error) {
	path, err := findProgram(argv[0])
	if err != nil {
		return Way{}, err
	}
	return Way{"command", func(ctx context.Context, d *MessageDocument) error {
		return runProgram(ctx, childTime, path, argv[1:], d.encodeJSON())
	}, childTime}, nil
}

// findProgram finds a program. "~/" stands for the home directory.
func findProgram(name string) (string, error) {
	if rest, home := strings.CutPrefix(name, "~/"); home {
		dir, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		name = filepath.Join(dir, rest)
	}
	path, err := exec.LookPath(name)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return "", fmt.Errorf("the command %q is not found, or not executable", name)
	}
	return path, nil
}

// runProgram runs a program. Its process group is killed when the time is over. A child that has left the group, for
// example with setsid, stays: that is how a program starts something that should go on, and a subreaper could not
// distinguish it from other children of ours.
func runProgram(ctx context.Context, limit time.Duration, path string, args []string, in []byte) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errTooLong)
	defer cancel()
	words := &text.Capture{Limit: maxWords}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env, cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = childEnvironment(os.Environ()), "/", bytes.NewReader(in), words,
		words
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no terminal on which to ask questions
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = lingering
	err := cmd.Run()
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay): // it left something running
		return nil
	case context.Cause(ctx) != nil:
		err = context.Cause(ctx)
	}
	// Programs such as curl repeat their arguments.
	if said := safe.SecretOfCommand(args...).Line(words.String(), maxLine); said != "" {
		return fmt.Errorf("%q: %w: %s", path, err, said)
	}
	return fmt.Errorf("%q: %w", path, err)
}

var errTooLong = errors.New("it takes too long")
