// Command nvnodetop shows every GPU of a SLURM job, on any number of nodes, on one screen.
package main

import (
	"os"

	"github.com/nvnodetop/nvnodetop/internal/app"
	"github.com/nvnodetop/nvnodetop/internal/build"
	"github.com/nvnodetop/nvnodetop/internal/probe"
	"github.com/nvnodetop/nvnodetop/internal/probe/nvml"
)

func main() {
	// The probe comes before everything else, so that on a compute node it costs nothing more than itself.
	if len(os.Args) > 1 && os.Args[1] == "probe" {
		os.Exit(probe.Main(build.Version(), nvml.New()))
	}
	os.Exit(app.Main(app.Called(os.Args), os.Stdin, os.Stdout, os.Stderr))
}
