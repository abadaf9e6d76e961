package leaks

import (
	"strings"
	"testing"
	"time"
)

func waits(end chan struct{}) { <-end }

// A goroutine is found by a part of the name of a function in its stack, until it has ended.
func TestRunning(t *testing.T) {
	end := make(chan struct{})
	go waits(end)
	for began := time.Now(); len(running([]string{"nowhere", "leaks.waits"})) != 1; time.Sleep(time.Millisecond) {
		if time.Since(began) > patience {
			t.Fatal("it is not found")
		}
	}
	if left := running([]string{"nowhere"}); len(left) > 0 {
		t.Errorf("found another one:\n%s", strings.Join(left, "\n\n"))
	}
	close(end)
	Check(t, "leaks.waits")
}
