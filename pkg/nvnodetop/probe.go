package nvnodetop

import (
	"os"
	"sync/atomic"

	"github.com/nvnodetop/nvnodetop/internal/probe"
	"github.com/nvnodetop/nvnodetop/internal/probe/nvml"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// probed says that Probe was called: a copy of this program that is started on a node becomes a probe.
var probed atomic.Bool

// Probe makes the program also serve as the probe on the nodes. Call it first in main, before flags are parsed. A copy
// of the program is put on each node and started there with "probe" as its only argument, so the program cannot use
// that argument for anything else. In such a copy, Probe reads the GPUs until its session ends, and never returns.
// Otherwise it returns at once. Functions named init run on the nodes as well.
//
// A program for Linux that is built with cgo reads the GPUs itself. Any other program runs nvidia-smi instead, which
// gives less; Node.StandIn then says so.
func Probe() {
	probed.Store(true)
	if len(os.Args) == 2 && os.Args[1] == "probe" {
		os.Exit(probe.Main(wire.BuildVersion(), nvml.New()))
	}
}
