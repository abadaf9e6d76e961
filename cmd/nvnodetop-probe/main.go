// Command nvnodetop-probe is the probe alone. nvnodetop copies it to nodes. Without the screen, SLURM and ssh it is a
// quarter of the size.
package main

import (
	"os"

	"github.com/nvnodetop/nvnodetop/internal/probe"
	"github.com/nvnodetop/nvnodetop/internal/probe/nvml"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

func main() { os.Exit(probe.Main(wire.BuildVersion(), nvml.New())) }
