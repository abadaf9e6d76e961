package ui

import (
	"fmt"
	"testing"

	"github.com/nvnodetop/nvnodetop/test/raced"
)

// A size that is not known, or is nonsense, neither keeps the screen empty nor takes the memory of the host. The
// emulator is smaller than the frame, which scrolls through it: the footer is what is left. The race detector takes
// four times the memory. This test comes first, in the first file: a program begins with the peak of the memory of the
// process that starts it.
func TestAbsurdSizes(t *testing.T) {
	raced.Skip(t)
	for _, size := range [][2]uint16{{0, 0}, {65535, 65535}} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			got := trial{mode: "run", w: size[0], h: size[1], steps: []step{{shows("q quit", true), types("q")}}}.run(t)
			if got.code != 0 || got.maxRSS > 200<<10 {
				t.Errorf("exit status %d, and it took %d MiB", got.code, got.maxRSS>>10)
			}
		})
	}
}
