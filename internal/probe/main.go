package probe

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/probe/gpus"
	"github.com/nvnodetop/nvnodetop/internal/probe/sample"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const (
	memoryLimit = 12 << 20 // bytes; a soft limit, near which the runtime collects garbage more often
	// the live heap is a few hundred KiB, so a collection begins at 2 MiB instead of 4; lower values saved nothing when
	// measured
	gcPercent = 50
)

// Main is `nvnodetop probe`: it runs Run on the standard input and output, with as little memory and CPU time as
// possible. It returns the exit code: 0 when the input ended, wire.ExitOutdated when the driver was replaced, and
// otherwise 1 with the error on standard error. SIGTERM and SIGHUP end the process at once, and a closed standard
// output ends it by SIGPIPE, as usual in Go: there is nothing to clean up, and a hung driver must not delay the end.
func Main(build string, lib driver.Library) int {
	runtime.GOMAXPROCS(1)
	debug.SetMemoryLimit(memoryLimit)
	debug.SetGCPercent(gcPercent)
	// The file names the process, whichever thread this runs on. If it fails, only the name in ps is wrong.
	_ = os.WriteFile("/proc/self/comm", []byte(driver.ProbeName), 0)

	go renewAge()
	fold, _ := strconv.Atoi(os.Getenv(wire.FoldVariable)) // 0 if it is unset
	opts := Options{Build: build, Library: lib, Beat: sample.KernelBeat(), Patience: sample.KernelBeat(),
		Name: os.Getenv(wire.NameVariable), Fold: max(fold, 0)}
	if err := Run(context.Background(), os.Stdin, os.Stdout, opts); err != nil {
		fmt.Fprintf(os.Stderr, "nvnodetop probe: %v\n", err)
		if errors.Is(err, gpus.ErrOutdated) {
			return wire.ExitOutdated
		}
		return 1
	}
	return 0
}

// renewal is how often the age of the probe's file is reset: copies that nobody has used for a week are removed.
const renewal = 24 * time.Hour

// renewAge keeps the probe's own file from looking old while it runs. The file may be on a file server that hangs. A
// program that is not a copy, or that was removed, is left alone.
func renewAge() {
	for {
		const self = "/proc/self/exe"
		name, err := os.Readlink(self)
		if err != nil || !strings.HasPrefix(filepath.Base(name), "nvnodetop-probe-") ||
			strings.HasSuffix(name, " (deleted)") {
			return
		}
		if info, err := os.Stat(self); err == nil && time.Since(info.ModTime()) > renewal {
			now := time.Now()
			_ = os.Chtimes(self, now, now) // the file system may be read-only
		}
		time.Sleep(renewal)
	}
}
