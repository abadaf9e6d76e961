package ui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/ui/terminal"
)

// Run shows the screen until the user quits or ctx ends. It restores the terminal, even after a panic in the screen. It
// handles SIGCONT and SIGWINCH. The caller ends ctx on SIGTERM and SIGHUP.
func Run(ctx context.Context, o Options, in io.Reader, out io.Writer) error {
	profile := o.Profile
	if profile == colorprofile.Unknown {
		profile = colorprofile.Detect(out, os.Environ())
	}
	m := newModel(o, out)
	m.terminal.Start(os.Getenv("TMUX") != "")
	defer m.terminal.Close()
	defer crash.Before(m.terminal.Close)()
	sh := terminal.NewShell(out, ctx.Done(), m.terminal)
	size := sh.Size()
	program := tea.NewProgram(m, tea.WithInput(terminal.Keyboard(in, o.Now)), tea.WithoutSignalHandler(),
		tea.WithFilter(sh.Filter), tea.WithColorProfile(profile),
		// Bubble Tea's renderer has nothing to show: all bytes come from m.terminal.
		tea.WithOutput(io.Discard), tea.WithFPS(1), tea.WithWindowSize(size.Width, size.Height))
	defer sh.Watch(program.Send)()
	defer o.watchAttachment(ctx, program.Send)()
	if o.Alerts != nil {
		alerted, enough := context.WithCancel(ctx)
		defer enough()
		crash.Go(func() { o.forwardAlerts(alerted, program.Send) })
	}
	// Cancelling Bubble Tea's own context leaks its input goroutine, so it is told to quit instead.
	defer context.AfterFunc(ctx, func() {
		sh.Unstoppable()
		program.Quit()
	})()
	_, err := program.Run()
	if errors.Is(err, tea.ErrProgramPanic) { // Bubble Tea has printed the traceback
		return fmt.Errorf("%w: %w", crash.Err, err)
	}
	return cmp.Or(m.terminal.Failure(), err)
}

// watchAttachment tells the model when the terminal is detached and attached. end stops it without waiting: Watch may
// be reading a file system that hangs, and the terminal must be restored anyway. Later calls from Watch have no effect.
func (o *Options) watchAttachment(ctx context.Context, send func(tea.Msg)) (end func()) {
	if o.Watch == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	crash.Go(func() { o.Watch(ctx, func(is bool) { send(attached(is)) }) })
	return cancel
}
