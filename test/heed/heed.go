// Package heed lets tests that send signals pass wherever they run. Under nohup, and in the background of a script,
// SIGHUP and SIGINT are ignored, and every process that such a test starts would ignore them as well.
package heed

import (
	"os"
	"os/signal"
	"syscall"
)

// Signals makes the processes that this one starts from now on heed the signals that it has ignored since its start. It
// goes on to ignore them itself.
func Signals() {
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGHUP} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s) // a handler ends with exec, where what is ignored stays so
		}
	}
}
