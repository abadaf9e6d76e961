package main

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/probe"
	"github.com/nvnodetop/nvnodetop/internal/probe/nvml"
)

func main() {
	n, _ := strconv.Atoi(os.Getenv("TP"))
	runtime.GOMAXPROCS(n)
	g, _ := strconv.Atoi(os.Getenv("TG"))
	debug.SetGCPercent(g)
	debug.SetMemoryLimit(12 << 20)
	probe.Run(context.Background(), os.Stdin, os.Stdout, probe.Options{Library: nvml.New()})
}
