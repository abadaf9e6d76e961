package host

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Describe fills in what a Hello says about the node and the probe on it.
func Describe(h *wire.Hello, proc, sys string) {
	h.Version = wire.Version
	h.PID, h.Root = os.Getpid(), os.Getuid() == 0
	h.Kernel = kernelRelease()
	h.System = runtime.GOOS + "/" + runtime.GOARCH
	if path, err := os.Executable(); err == nil {
		h.Program = path
	}
	if name, err := os.Hostname(); err == nil {
		h.Host = name
	}
	h.CPUs, _ = CPUs(proc) // 0: not known
	h.NUMA = numaNodes(sys)
}

// CPUs counts the CPUs. Unlike sched_getaffinity(2), /proc/stat also shows those outside the probe's own cgroup. It has
// one line per CPU, after the line with the sum.
func CPUs(proc string) (int, error) {
	stat, err := os.ReadFile(filepath.Join(proc, "stat"))
	return bytes.Count(stat, []byte("\ncpu")), err
}
