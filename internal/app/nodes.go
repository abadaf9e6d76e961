package app

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/filter"
)

// sharedFlags are flags of the program that also commands about GPUs of nodes have.
var sharedFlags = []string{"nodes", "login", "transport", "timeout", "ascii", "demo"}

// shareFlags gives a command the flags that choose nodes.
func shareFlags(cmd *cobra.Command, cfg *config.Config, flags *pflag.FlagSet) {
	cmd.Flags().StringVar(&cfg.Job, "job", "", "the nodes of the job `ID`, and its GPUs only")
	for _, name := range sharedFlags {
		cmd.Flags().AddFlag(flags.Lookup(name))
	}
}

func noArguments(args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q", args[0])
	}
	return nil
}

// prepared checks what the command line sets, and loads the other settings.
func prepared(cfg *config.Config, flags *pflag.FlagSet, errs io.Writer) error {
	for _, name := range []string{"nodes", "job"} { // "$UNSET" in a script must not mean: other GPUs
		if f := flags.Lookup(name); f.Changed && f.Value.String() == "" {
			return fmt.Errorf("--%s is empty", name)
		}
	}
	cfg.JSON = true // no histories are kept
	if err := cfg.Validate(); err != nil {
		return err
	}
	if _, err := hosts("--nodes", cfg.Nodes); err != nil {
		return err
	}
	origins, err := load(cfg, flags, nil)
	if err != nil {
		return err
	}
	for _, note := range origins.Notes {
		fmt.Fprintf(errs, "nvnodetop: %s\n", note)
	}
	return nil
}

// noJob is the error of a Snapshot without the job that is wanted.
func noJob(cfg *config.Config, s *cluster.Snapshot) error {
	if cfg.Job == "" || s.Discovery.Answered.IsZero() {
		return exitCode(s)
	}
	return &exitError{exitNoJobs, fmt.Errorf("job %q is not one of your running jobs", cfg.Job)}
}

// bytesOf reads an amount of memory: with a unit, or in bytes.
func bytesOf(text string) (float64, error) {
	if v, err := strconv.ParseUint(text, 10, 64); err == nil {
		return float64(v), nil
	}
	v, err := filter.Number(filter.Bytes, text)
	if err == nil && v < 0 {
		err = errors.New("negative")
	}
	return v, err
}
