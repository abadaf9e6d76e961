package app

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/field"
	"github.com/nvnodetop/nvnodetop/internal/filter"
)

// sharedFlags are flags of the program that also commands about GPUs of nodes have.
var sharedFlags = []string{"nodes", "login", "transport", "timeout", firstSample, "ascii", "demo"}

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
func prepared(cfg *config.Config, flags *pflag.FlagSet, io streams) error {
	cfg.JSON = true // no histories are kept
	_, err := accept(cfg, flags, nil, io)
	return err
}

// secondsOf reads the interval of a flag.
func secondsOf(cfg *config.Config, flag, text string, least time.Duration) (time.Duration, error) {
	seconds, err := strconv.ParseFloat(text, 64)
	if least, most := max(cfg.PollFloor, least).Seconds(), config.MaxPoll.Seconds(); err != nil ||
		!(seconds >= least && seconds <= most) {
		return 0, fmt.Errorf("--%s must be from %v to %v seconds, not %q", flag, least, most, text)
	}
	return time.Duration(seconds * float64(time.Second)), nil
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
	v, err := filter.Number(field.Bytes, text)
	if err == nil && v < 0 {
		err = errors.New("negative")
	}
	return v, err
}
