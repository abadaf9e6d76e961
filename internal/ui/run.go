package ui

import (
	"context"
	"errors"
	"io"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// Run shows the screen until a person quits or ctx ends, and gives the terminal back as it was, also after a panic in the screen.
// It handles no signal but that of the window's size: the caller ends ctx on SIGTERM and SIGHUP.
func Run(ctx context.Context, o Options, in io.Reader, out io.Writer) error {
	m := newModel(o, out)
	m.terminal.start()
	defer m.terminal.close()
	opts := []tea.ProgramOption{
		tea.WithInput(in), tea.WithOutput(muted(out)), tea.WithoutSignalHandler(),
		tea.WithFPS(1), // its renderer has nothing to show
	}
	if o.Profile != colorprofile.Unknown {
		opts = append(opts, tea.WithColorProfile(o.Profile))
	}
	program := tea.NewProgram(m, opts...)
	// A program that is killed through its context leaves its reader of keys behind; one that quits waits for it.
	defer context.AfterFunc(ctx, program.Quit)()
	_, err := program.Run()
	if gone := m.terminal.failure(); gone != nil && !errors.Is(err, tea.ErrProgramPanic) {
		return gone
	}
	return err
}
