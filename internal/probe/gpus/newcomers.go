package gpus

import (
	"os"
	"path/filepath"
	"slices"
	"time"
)

// newcomers are GPUs that the kernel got after NVML was initialized. NVML lists only the GPUs that were there then. So
// it must be initialized again for a GPU that was missing when the probe started, or that fell off the bus and is back.
type newcomers struct {
	known  []string      // at the last initialization
	looked time.Duration // Moment.Mono of the last check
}

// ofKernel returns the PCI addresses of the GPUs that the kernel has given to the NVIDIA driver; none if they are not
// known.
func ofKernel(proc string) (names []string) {
	f, err := os.Open(filepath.Join(proc, "driver/nvidia/gpus"))
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }() // open for reading only: a failure loses nothing
	names, _ = f.Readdirnames(-1)
	return names
}

// hasNewGPU reports whether the kernel has a GPU that NVML does not list.
func (n *newcomers) hasNewGPU(proc string) bool {
	return slices.ContainsFunc(ofKernel(proc), func(name string) bool { return !slices.Contains(n.known, name) })
}

// checkKernel forgets GPUs that are gone: when they come back they are newcomers. Once a minute it reports whether
// there are any newcomers.
func (n *newcomers) checkKernel(proc string, now time.Duration) bool {
	if now-n.looked < slowEvery {
		return false
	}
	n.looked = now
	has := ofKernel(proc)
	n.known = slices.DeleteFunc(n.known, func(name string) bool { return !slices.Contains(has, name) })
	return n.hasNewGPU(proc)
}
