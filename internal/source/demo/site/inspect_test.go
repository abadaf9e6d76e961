package site

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// A process and its threads ran last on CPUs on which they may run.
func TestCPUOf(t *testing.T) {
	for affinity, want := range map[string][3]int{"48-63": {48, 49, 50}, "7": {7, 7, 7}, "4-5,9": {4, 5, 4}} {
		for thread, cpu := range want {
			if got := cpuOf(&wire.Process{Identity: wire.Identity{CPUAffinity: affinity}}, thread); got != cpu {
				t.Errorf("on %s, thread %d ran on %d, want %d", affinity, thread, got, cpu)
			}
		}
	}
}
