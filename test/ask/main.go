// Command ask sends one request to the probe of a node and prints the reply as JSON: `ask NODE environ PID START`, `ask
// NODE process PID START`, `ask NODE family PID START`, `ask NODE stacks PID START [PID START]...` or `ask NODE TERM
// PID START [PID START]...`, where TERM is any signal and START the start of the process in ticks, as in --json. It
// connects to the node as nvnodetop does. `ask cancel JOB [SIGNAL]` runs scancel as nvnodetop does.
//
// The tests on a real cluster run it. It contains the probe, so that it can be copied to a cluster alone.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/probe"
	"github.com/nvnodetop/nvnodetop/internal/probe/nvml"
	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/ssh"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == "probe" {
		os.Exit(probe.Main("ask", nvml.New()))
	}
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "ask:", err)
		os.Exit(1)
	}
}

// within limits the time for connecting and asking.
const within = time.Minute

func run(args []string) error {
	if len(args) > 1 && args[0] == "cancel" {
		return slurm.New(command.Run).Cancel(context.Background(), args[1], strings.Join(args[2:], " "))
	}
	node, request, err := parse(args)
	if err != nil {
		return err
	}
	door, err := ssh.New("ask")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	nodes := poller.New(poller.Config{Opener: remote.New(door), Interval: time.Second, Retries: 1})
	nodes.SetNodes([]string{node})
	up := make(chan error, 1)
	var watching sync.WaitGroup
	defer watching.Wait()
	defer cancel()
	watching.Go(func() { nodes.Run(ctx, func(e cluster.Event) { tell(up, e) }) })
	select {
	case err := <-up:
		if err != nil {
			return err
		}
	case <-ctx.Done():
		return ctx.Err()
	}
	reply, err := nodes.Ask(ctx, node, request)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(reply)
}

func parse(args []string) (node string, r wire.Request, err error) {
	if len(args) < 4 || len(args)%2 != 0 {
		return "", r, errors.New("usage: ask NODE environ|process|inspect|family|stacks|SIGNAL PID START [PID " +
			"START]..., " +
			"or ask cancel JOB [SIGNAL]")
	}
	var all []wire.ProcessID
	for i := 2; i < len(args); i += 2 {
		pid, err1 := strconv.Atoi(args[i])
		start, err2 := strconv.ParseUint(args[i+1], 10, 64)
		if err := errors.Join(err1, err2); err != nil {
			return "", r, err
		}
		all = append(all, wire.ProcessID{PID: pid, StartTicks: start})
	}
	id := &all[0]
	switch args[1] {
	case "environ":
		r.Environ = id
	case "process":
		r.Process = id
	case "inspect":
		r.Inspect = &wire.Inspect{ProcessID: *id}
	case "family":
		r.Family = &wire.Family{PIDs: []int{id.PID}}
	case "stacks":
		r.Stacks = &wire.Stacks{Processes: all}
	default:
		if r.Signal = (&wire.Signal{Number: wire.SignalNumber(args[1]), Processes: all}); r.Signal.Number == 0 {
			return "", r, fmt.Errorf("unknown request %q", args[1])
		}
	}
	return args[0], r, nil
}

// tell reports once that the node is reporting, or why it is not.
func tell(up chan<- error, e cluster.Event) {
	var err error
	switch {
	case e.Down != nil:
		err = &e.Down.Failure
	case e.Report == nil:
		return
	}
	select {
	case up <- err:
	default:
	}
}
