// Command probe is the probe alone, for tests.
package main

import (
	"os"

	"github.com/nvnodetop/nvnodetop/internal/probe"
	"github.com/nvnodetop/nvnodetop/internal/probe/nvml"
)

func main() { os.Exit(probe.Main("test", nvml.New())) }
