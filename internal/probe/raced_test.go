//go:build race

package probe

import "testing"

// notRaced leaves out a test that counts allocations: the race detector has some of its own.
func notRaced(t *testing.T) { t.Skip("run without the race detector") }
