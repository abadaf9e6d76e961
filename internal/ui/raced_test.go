//go:build race

package ui

import "testing"

// notRaced leaves out a test of very many frames, or of memory. One goroutine draws them, and the race detector would
// make each take ten times as long: scripts/test runs these tests without it.
func notRaced(t *testing.T) { t.Skip("run without the race detector") }
