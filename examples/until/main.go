// Command until prints the problems of a job as they come and go, until the job has ended, and then how it ended. It
// shows how a program follows a job with package nvnodetop.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"os/signal"
	"slices"

	"github.com/nvnodetop/nvnodetop/pkg/nvnodetop"
	"github.com/nvnodetop/nvnodetop/pkg/schema"
)

func main() {
	nvnodetop.Probe() // on a node this program reads the GPUs, and goes no further
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "until: needs the ID of a job")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := follow(os.Stdout, nvnodetop.Watch(ctx, nvnodetop.Options{Job: os.Args[1]})); err != nil {
		fmt.Fprintln(os.Stderr, "until:", err)
		os.Exit(1)
	}
}

// follow prints what is new in each snapshot until the job has ended. Watch itself goes on: a job has ended when Ended
// has it, and no part of it (an array has several) runs or waits.
func follow(out io.Writer, snapshots iter.Seq2[*schema.Snapshot, error]) error {
	var known []schema.Finding
	for s, err := range snapshots {
		if err != nil {
			return err
		}
		known = printFindings(out, known, s)
		switch {
		case len(s.Jobs) > 0 || len(s.Pending) > 0 || s.Discovery == nil || s.Discovery.Answered.IsZero():
			continue // it is there, or SLURM has not answered yet
		case len(s.Ended) > 0:
			for i := range s.Ended {
				fmt.Fprintln(out, s.Ended[i].ID, "ended:", s.Ended[i].State, s.Ended[i].Cause)
			}
			return nil
		}
		return errors.New("SLURM lists no such job")
	}
	return nil // interrupted
}

// printFindings prints the findings that are new or over, and returns those that hold.
func printFindings(out io.Writer, known []schema.Finding, s *schema.Snapshot) (now []schema.Finding) {
	for i := range s.Jobs {
		for _, f := range s.Jobs[i].Findings {
			if f.Text == nil { // it is over
				continue
			}
			now = append(now, f)
			if !slices.ContainsFunc(known, func(k schema.Finding) bool { return isSame(&k, &f) }) {
				fmt.Fprintf(out, "%s: %s\n", subject(&f), *f.Text)
			}
		}
	}
	for _, k := range known {
		if !slices.ContainsFunc(now, func(f schema.Finding) bool { return isSame(&k, &f) }) {
			fmt.Fprintf(out, "%s: over: %s\n", subject(&k), k.Kind)
		}
	}
	return now
}

// isSame reports whether two findings are the same problem: its text and severity change while it lasts.
func isSame(a, b *schema.Finding) bool { return a.Kind == b.Kind && subject(a) == subject(b) }

// subject names what a finding is about.
func subject(f *schema.Finding) string {
	switch {
	case f.Node == "":
		return "job"
	case f.GPU != nil:
		return fmt.Sprintf("%s GPU%d", f.Node, *f.GPU)
	}
	return f.Node + f.GPUKey
}
