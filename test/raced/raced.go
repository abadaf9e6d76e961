// Package raced lets tests do less under the race detector, which makes a computation take ten times as long. The tests
// of a package that uses this one run a second time without the race detector: scripts/test finds it by the import.
package raced

import "testing"

// Skip skips a test of very many frames, or of memory. One goroutine does the work: there is no race to find.
func Skip(t *testing.T) {
	t.Helper()
	if On {
		t.Skip("run without the race detector")
	}
}
