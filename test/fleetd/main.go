// Command fleetd plays the nodes of a large cluster: `fleetd 1000` is a thousand ssh servers with eight GPUs each,
// which scripts/fleet runs. It ends with Ctrl-C, or when its standard input ends. For each line of its input it prints
// the counts of the servers, as JSON.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"strconv"
	"syscall"

	"github.com/nvnodetop/nvnodetop/test/fleet"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "fleet:", err)
		if errors.Is(err, errUsage) || errors.Is(err, fleet.ErrOptions) {
			os.Exit(2)
		}
		os.Exit(1)
	}
}

var errUsage = errors.New("usage: fleet [flags] N, with the number of nodes; --help lists the flags")

// memory is the limit from which the collector runs: the servers should use little CPU time, since they share the
// machine with the measured program.
const memory = 2 << 30

func run() error {
	var o fleet.Options
	flag.IntVar(&o.GPUs, "gpus", 8, "GPUs of each node")
	flag.IntVar(&o.Trouble, "trouble", 0, "`nodes` in trouble: off, refuses, hangs, slow, flaps and hostile take turns")
	flag.DurationVar(&o.RTT, "rtt", 0, "round trip `time` to the nodes, as 20ms")
	flag.Float64Var(&o.Loss, "loss", 0, "`share` of segments that come 200 ms late, as 0.01")
	flag.StringVar(&o.Dir, "dir", "", "`directory` for keys, configuration and names (default: a new one, which is "+
		"removed at the end)")
	flag.Parse()
	var err error
	if o.Nodes, err = strconv.Atoi(flag.Arg(0)); err != nil || flag.NArg() != 1 {
		return errUsage
	}
	if o.Dir == "" {
		if o.Dir, err = os.MkdirTemp("", "fleet-"); err != nil {
			return err
		}
		defer os.RemoveAll(o.Dir)
	}
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(memory)
	return serve(o)
}

// serve runs a fleet until it should end.
func serve(o fleet.Options) error {
	f, err := fleet.Start(o)
	if err != nil {
		return err
	}
	defer f.Close()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	fmt.Printf("%d nodes. Run a command among them, such as:\n  %s/with nvnodetop --nodes '%s'\n", o.Nodes, f.Dir,
		f.Nodes)
	asked := make(chan bool)
	go func() {
		defer close(asked)
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			asked <- true
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return nil
		case _, more := <-asked:
			if !more {
				return nil
			}
			if err := json.NewEncoder(os.Stdout).Encode(f.Counts()); err != nil {
				return err
			}
		}
	}
}
