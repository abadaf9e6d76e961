package app

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/remote/ssh"
)

// systemFile is the system's file of settings. Only tests change it.
var systemFile = config.SystemFile

// settingFlags lists the flags that are settings, which files and the environment can set too.
var settingFlags = []string{"transport", "login", "view", "monitor", "colors", "theme", "gpu-util-thresh",
	"mem-util-thresh", "ascii", "timeout", "log", "readonly"}

// intervals are the arguments POLL and DISPLAY.
var intervals = []struct{ name, key string }{{"POLL", "poll.interval"}, {"DISPLAY", "display.interval"}}

// intervalFlag is POLL where it is no plain number: asNvitop makes an argument of one.
const intervalFlag = "interval"

// atMostIntervals checks the number of arguments.
func atMostIntervals(args []string) error {
	if len(args) > len(intervals) {
		return fmt.Errorf("too many arguments (%d): expected at most POLL and DISPLAY, in seconds", len(args))
	}
	return nil
}

// pacesOf returns POLL and DISPLAY, as many as are given.
func pacesOf(args []string) []config.Word {
	var paces []config.Word
	for i, arg := range args {
		paces = append(paces, config.Word{Name: intervals[i].name, Text: arg})
	}
	return paces
}

// orInterval returns the paces, or POLL of the flag --interval.
func orInterval(paces []config.Word, flags *pflag.FlagSet) ([]config.Word, error) {
	switch {
	case !flags.Changed(intervalFlag):
		return paces, nil
	case len(paces) > 0:
		return nil, fmt.Errorf("--%s is POLL: both cannot be given", intervalFlag)
	}
	return []config.Word{{Name: "--" + intervalFlag, Text: flags.Lookup(intervalFlag).Value.String()}}, nil
}

// load sets the settings, from all places where they can stand. paces are POLL and DISPLAY, as many as are given.
func load(cfg *config.Config, flags *pflag.FlagSet, paces []config.Word) (*config.Origins, error) {
	line := map[string]config.Word{}
	for i, pace := range paces {
		line[intervals[i].key] = pace
	}
	flags.Visit(func(f *pflag.Flag) {
		if slices.Contains(settingFlags, f.Name) {
			line[strings.ReplaceAll(f.Name, "-", "_")] = config.Word{Name: "--" + f.Name, Text: f.Value.String()}
		}
	})
	origins, err := cfg.Load(config.Inputs{System: systemFile, User: config.UserFile(), Environ: os.Environ(),
		Line: line})
	if err == nil && (cfg.Login != "" || flags.Changed("login")) {
		if wrong := ssh.CheckLogin(cfg.Login); wrong != nil {
			err = fmt.Errorf("%s takes [USER@]HOST[:PORT]: %w", origins.Of("login"), wrong)
		}
	}
	return origins, err
}

// configCommand prints the settings that the same flags and arguments would give a run.
func configCommand(cfg *config.Config, flags *pflag.FlagSet, io streams) *cobra.Command {
	var check bool
	cmd := &cobra.Command{
		Use:   "config [POLL [DISPLAY]]",
		Short: "print the settings, and where each of them comes from",
		Args:  func(_ *cobra.Command, args []string) error { return atMostIntervals(args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			origins, err := load(cfg, cmd.Flags(), pacesOf(args))
			if err != nil {
				return err
			}
			if check {
				return checked(io, origins)
			}
			if err := cfg.Print(io.out, origins); err != nil {
				return &exitError{exitFailed, err}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&check, "check", false,
		"only say what is wrong: exit code 2 also for a key that this version does not know")
	for _, name := range settingFlags {
		cmd.Flags().AddFlag(flags.Lookup(name))
	}
	return cmd
}

// checked says which keys are unknown, or that none is: other mistakes have ended the command before.
func checked(io streams, o *config.Origins) error {
	if len(o.Unknown) > 0 {
		for _, key := range o.Unknown {
			fmt.Fprintf(io.err, "nvnodetop: %s\n", printable(key))
		}
		return &exitError{exitUsage, nil}
	}
	for _, path := range o.Files {
		if _, err := fmt.Fprintf(io.out, "%s: no mistake\n", path); err != nil {
			return &exitError{exitFailed, err}
		}
	}
	return nil
}
