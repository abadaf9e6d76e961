// Command nvnodetop shows every GPU of a SLURM job, on any number of nodes, on one screen.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/nvnodetop/nvnodetop/internal/app"
	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/probe"
	"github.com/nvnodetop/nvnodetop/internal/probe/nvml"
	"github.com/nvnodetop/nvnodetop/internal/remote/install"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

func main() {
	// The probe comes before everything else, so that on a compute node it costs nothing more than itself.
	if len(os.Args) > 1 && os.Args[1] == "probe" {
		os.Exit(asProbe())
	}
	crash.Own()
	obeyLimits()
	os.Exit(app.Main(app.Called(os.Args), os.Stdin, os.Stdout, os.Stderr))
}

// obeyLimits ends the program if a limit of this session is too low for it. Otherwise it would end later, with a dump
// of Go's runtime. If a file may not grow, its write fails as on a full disk, and the program goes on.
func obeyLimits() {
	if low := crash.ProgramShortage(); low != nil {
		fmt.Fprintf(os.Stderr, "nvnodetop: %v\n", low)
		os.Exit(cli.ExitFailed)
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGXFSZ) // unlike an ignored signal, children do not inherit this
}

// asProbe runs the program as its own probe, and returns its exit code. Nodes never get a program without NVML, so the
// linker leaves the probe out of such a program.
func asProbe() int {
	if !install.ReadsGPUs {
		fmt.Fprintln(os.Stderr, "nvnodetop probe: this build has no NVML: nodes get the probes inside a release")
		return cli.ExitUsage
	}
	return probe.Main(wire.BuildVersion(), nvml.New())
}
