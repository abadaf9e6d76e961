package host

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Describe fills in the fields of a Hello about the node and the probe on it.
func Describe(h *wire.Hello, proc string) {
	h.Version = wire.Version
	h.PID, h.Root = os.Getpid(), os.Getuid() == 0
	h.Kernel = kernel()
	h.System = runtime.GOOS + "/" + runtime.GOARCH
	if path, err := os.Executable(); err == nil {
		h.Program = path
	}
	if name, err := os.Hostname(); err == nil {
		h.Host = name
	}
	// One line per CPU, after the line with the sum. Unlike sched_getaffinity(2), /proc/stat shows the CPUs outside the
	// probe's own cgroup too.
	if stat, err := os.ReadFile(filepath.Join(proc, "stat")); err == nil {
		h.CPUs = bytes.Count(stat, []byte("\ncpu"))
	}
}
