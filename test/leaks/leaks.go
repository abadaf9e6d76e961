// Package leaks finds goroutines that outlive a test. Each test looks for its own.
package leaks

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// patience is the time for goroutines to end.
const patience = 3 * time.Second

// Check fails the test if goroutines outlive it whose stack has a function with one of these parts in its name. Call it
// first, so that it runs after all other cleanups.
func Check(t testing.TB, parts ...string) {
	t.Helper()
	t.Cleanup(func() {
		for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
			left := running(parts)
			if len(left) == 0 {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("%d goroutines are left:\n%s", len(left), strings.Join(left, "\n\n"))
			}
		}
	})
}

// running returns the stacks of the goroutines with one of the parts, without this one and those of tests.
func running(parts []string) (left []string) {
	buf := make([]byte, 1<<20)
	for _, g := range strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n")[1:] {
		if !strings.Contains(g, "testing.tRunner") &&
			slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(g, p) }) {
			left = append(left, g)
		}
	}
	return left
}
