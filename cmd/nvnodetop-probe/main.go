// Command nvnodetop-probe is the probe alone, which nvnodetop copies to nodes: without the screen, SLURM and ssh it is
// a fourth of the size.
package main

import (
	"os"

	"github.com/nvnodetop/nvnodetop/internal/build"
	"github.com/nvnodetop/nvnodetop/internal/probe"
	"github.com/nvnodetop/nvnodetop/internal/probe/nvml"
)

func main() { os.Exit(probe.Main(build.Version(), nvml.New())) }
