// Command idle prints the GPUs of the user's jobs on which no kernel runs, one per line; where there is no SLURM, those
// of this host. It shows how a program uses package nvnodetop.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/nvnodetop/nvnodetop/pkg/nvnodetop"
	"github.com/nvnodetop/nvnodetop/pkg/schema"
)

func main() {
	nvnodetop.Probe() // on a node this program reads the GPUs, and goes no further
	var o nvnodetop.Options
	flag.StringVar(&o.Job, "job", "", "look at this job only")
	flag.StringVar(&o.Demo, "demo", "", "look at a simulated cluster of `NODESxGPUS`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	s, err := nvnodetop.Snapshot(ctx, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "idle:", err)
		os.Exit(1)
	}
	printIdle(os.Stdout, s)
}

// printIdle prints the GPUs that are there for the user and that nobody uses, and what is allocated on them meanwhile.
// Where SLURM is not asked, all GPUs are.
func printIdle(out io.Writer, s *schema.Snapshot) {
	for node, gpu := range s.GPUs() {
		util, known := gpu.Metrics[schema.UtilPercent]
		if !known || util > 0 || gpu.Index == nil || len(gpu.Jobs) == 0 && s.Discovery != nil {
			continue
		}
		fmt.Fprintf(out, "%s GPU%d", node.Name, *gpu.Index)
		if len(gpu.Jobs) > 0 {
			fmt.Fprint(out, " of job ", gpu.Jobs[0])
		}
		fmt.Fprint(out, ": idle")
		if used, known := gpu.Metrics[schema.MemoryUsedBytes]; known {
			fmt.Fprintf(out, ", %.1f GiB in use", used/(1<<30))
		}
		fmt.Fprintln(out)
	}
	for _, node := range s.Nodes {
		if node.State == schema.NodeFailed && node.Failure != nil {
			fmt.Fprintf(out, "%s: %s\n", node.Name, node.Failure.Summary)
		}
	}
}
