package ui

import (
	"context"
	"errors"
	"io"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// framesPerSecond is how often Bubble Tea looks whether View has changed: each look costs, and a key must be answered within 50 ms.
const framesPerSecond = 30

// Run shows the screen until a person quits or ctx ends, and gives the terminal back as it was, also after a panic in the screen.
// It installs no signal handler but that of the window's size: the caller ends ctx on SIGTERM and SIGHUP.
func Run(ctx context.Context, o Options, in io.Reader, out io.Writer) error {
	opts := []tea.ProgramOption{
		tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out), tea.WithFPS(framesPerSecond), tea.WithoutSignalHandler(),
	}
	if o.Profile != colorprofile.Unknown {
		opts = append(opts, tea.WithColorProfile(o.Profile))
	}
	_, err := tea.NewProgram(newModel(o), opts...).Run()
	if ctx.Err() != nil && !errors.Is(err, tea.ErrProgramPanic) {
		return nil // to be ended is no failure
	}
	return err
}
