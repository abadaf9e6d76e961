// Package heed lets tests that send signals pass wherever they run. Under nohup, and in the background of a script,
// SIGHUP and SIGINT are ignored, and every process that such a test starts would ignore them as well.
package heed

import (
	"os"
	"os/signal"
	"syscall"
)

// Signals makes processes that this one starts from now on heed the signals that this one has ignored since its start.
// This process continues to ignore them.
func Signals() {
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGHUP} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s) // exec ends a handler, but keeps ignored signals ignored
		}
	}
}
