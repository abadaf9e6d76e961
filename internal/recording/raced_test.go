//go:build race

package recording

import "testing"

// notRaced leaves out a test that reads very much on one goroutine: the race detector makes it ten times as long.
func notRaced(t *testing.T) { t.Skip("run without the race detector") }
