package app

import (
	"os"
	"os/signal"
	"slices"
	"syscall"
	"testing"
)

// A signal ends the program, unless it was ignored when the program started: under nohup it outlives its terminal, and
// in the background of a script a Ctrl-C that is meant for another program.
func TestHeeded(t *testing.T) {
	t.Parallel()
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGHUP} {
		came := make(chan os.Signal, 1)
		signal.Notify(came, s) // also where the tests themselves run under nohup
		if !slices.Contains(exitSignals(), s) {
			t.Errorf("%v does not end the program", s)
		}
		signal.Ignore(s)
		if slices.Contains(exitSignals(), s) {
			t.Errorf("%v, which is ignored, ends the program", s)
		}
		if !slices.Contains(exitSignals(), os.Signal(syscall.SIGTERM)) {
			t.Error("SIGTERM does not end the program")
		}
		signal.Reset(s)
	}
}
