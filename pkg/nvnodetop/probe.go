package nvnodetop

import (
	"os"
	"sync/atomic"

	"github.com/nvnodetop/nvnodetop/internal/lib/build"
	"github.com/nvnodetop/nvnodetop/internal/probe"
	"github.com/nvnodetop/nvnodetop/internal/probe/nvml"
)

// probed says that Probe was called: a copy of this program that is started on a node becomes a probe.
var probed atomic.Bool

// Probe makes the program serve as the probe on the nodes, too. Call it first in main, before flags are parsed. A copy
// of the program is put on each node, and started there with the only argument "probe", which the program can have no
// other use for: Probe then reads the GPUs until its session ends, and never returns. Otherwise it returns at once.
// Functions named init run on the nodes as well.
//
// A program for Linux that is built with cgo reads the GPUs itself. Any other has nvidia-smi read in its place, which
// gives less, and Node.StandIn says so.
func Probe() {
	probed.Store(true)
	if len(os.Args) == 2 && os.Args[1] == "probe" {
		os.Exit(probe.Main(build.Version(), nvml.New()))
	}
}
