package probe

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const (
	// processName is what ps shows: as long as the kernel lets it be.
	processName = "nvnodetop-probe"

	memoryLimit = 12 << 20 // bytes, soft; what the runtime may take before it collects harder
	gcPercent   = 50       // of a live heap of a few hundred KiB: collects at 2 MiB instead of 4; less than 50 was measured to save nothing
)

// Main is `nvnodetop probe`: Run over the standard input and output, as a good guest on a node that is paid for. It returns the exit
// code: 0 when the input ended, wire.ExitOutdated when the driver was replaced, else 1; why is on standard error. SIGTERM and SIGHUP end the process at once and a closed standard
// output ends it by SIGPIPE, as is the default of the Go runtime: there is nothing to clean up, and a driver that hangs must not hold it.
func Main(build string, lib Library) int {
	runtime.GOMAXPROCS(1)
	debug.SetMemoryLimit(memoryLimit)
	debug.SetGCPercent(gcPercent)
	// By the file, since it names the process whatever thread this runs on. To be named otherwise harms nobody.
	_ = os.WriteFile("/proc/self/comm", []byte(processName), 0)

	opts := Options{Build: build, Library: lib, Beat: kernelBeat(), Patience: kernelBeat(), Name: os.Getenv(wire.NameVariable)}
	if err := Run(context.Background(), os.Stdin, os.Stdout, opts); err != nil {
		fmt.Fprintf(os.Stderr, "nvnodetop probe: %v\n", err)
		if errors.Is(err, ErrOutdated) {
			return wire.ExitOutdated
		}
		return 1
	}
	return 0
}
