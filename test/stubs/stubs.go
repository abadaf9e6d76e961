// Package stubs writes programs that stand in for real ones in tests.
package stubs

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Write writes a script of sh as an executable, and returns its path. Nothing forks meanwhile: the child of a parallel
// test would have the file open for a moment, and the kernel would not run it ("text file busy").
func Write(t testing.TB, dir, name, script string) (path string) {
	t.Helper()
	path = filepath.Join(dir, name)
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	return path
}
