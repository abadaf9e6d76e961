package nvnodetop

import (
	"os"
	"sync/atomic"

	"github.com/nvnodetop/nvnodetop/internal/build"
	"github.com/nvnodetop/nvnodetop/internal/probe"
	"github.com/nvnodetop/nvnodetop/internal/probe/nvml"
)

// probed says that Probe was called: a copy of this program that is started on a node becomes a probe.
var probed atomic.Bool

// Probe makes the program what runs on the nodes, too. Call it first in main, before flags are parsed. A copy of the program is put on each node and
// started there with the only argument "probe", which is not available for other purposes: Probe then reads the GPUs until its session ends, and never returns.
// Otherwise it returns at once.
//
// Programs for Linux that are built with cgo read the GPUs themselves. Of others Node.StandIn says that nvidia-smi is read on the node in place of a probe,
// which gives less.
func Probe() {
	probed.Store(true)
	if len(os.Args) == 2 && os.Args[1] == "probe" {
		os.Exit(probe.Main(build.Version(), nvml.New()))
	}
}
