// Package app is the program: its command line, the choice of where the Events come from and where the Snapshots go, the order in which
// everything ends, and the exit codes. Nothing imports it but main.
package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/nvnodetop/nvnodetop/internal/config"
)

// Exit codes of the program.
const (
	exitOK     = 0
	exitFailed = 1 // --once, --json: a node did not answer; else: the program could not go on
	exitUsage  = 2
	exitNoJobs = 3 // no running job, or no SLURM to ask
)

// exitError ends the program with a code. Its text, if any, is one line for a person.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return fmt.Sprintf("exit code %d: %v", e.code, e.err) }

// Unwrap makes the reason visible.
func (e *exitError) Unwrap() error { return e.err }

func usage(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// streams are the standard ones.
type streams struct {
	in, out *os.File
	err     io.Writer
}

// Main runs the program with its arguments (without its name) and returns its exit code.
func Main(args []string, in, out *os.File, errs io.Writer) int {
	// Login nodes are shared and count CPU seconds: two threads are plenty, and a heap that stays small.
	runtime.GOMAXPROCS(min(runtime.GOMAXPROCS(0), 2))
	debug.SetMemoryLimit(memoryLimit)

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	cmd := newCommand(streams{in, out, errs})
	cmd.SetArgs(args)
	cmd.SetIn(in)
	cmd.SetOut(out)
	cmd.SetErr(errs)
	err := cmd.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	exit, ours := errors.AsType[*exitError](err)
	if !ours { // cobra itself finds fault only with how it was called
		exit = &exitError{exitUsage, err}
	}
	if exit.err != nil {
		fmt.Fprintf(errs, "nvnodetop: %v\n", exit.err)
	}
	return exit.code
}

// memoryLimit is soft: above it the runtime collects harder. 512 nodes stay below it.
const memoryLimit = 192 << 20

func newCommand(io streams) *cobra.Command {
	cfg := config.Default()
	cmd := &cobra.Command{
		Use:   "nvnodetop [POLL [DISPLAY]]",
		Short: "Every GPU of your SLURM jobs, on all their nodes, on one screen",
		Long: `nvnodetop shows every GPU of your running SLURM jobs, on all their nodes, on one screen, from the login node.
Nothing is installed on the nodes: one ssh session a node runs a probe that copies itself there.

POLL is how often a node is asked, DISPLAY how often the screen is redrawn, in seconds (default 3 and 1).`,
		Example: `  nvnodetop                       your running jobs
  nvnodetop 5 2                   nodes every 5 s, screen every 2 s
  nvnodetop --nodes 'gpu[01-04]'  these hosts, without SLURM
  nvnodetop --json                everything known, once, for a program
  nvnodetop --demo                a simulated cluster`,
		Version:       Version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          func(_ *cobra.Command, args []string) error { return cfg.Intervals(args) },
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("nodes") && cfg.Nodes == "" {
				return errors.New("--nodes names no host") // "$UNSET" in a script must not mean: ask SLURM
			}
			return cfg.Validate()
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), &cfg, io) },
	}
	cmd.CompletionOptions.DisableDefaultCmd = true
	cmd.SetVersionTemplate("nvnodetop {{.Version}}\n")
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return fmt.Errorf("%s (nvnodetop --help lists the flags)", strings.TrimSuffix(err.Error(), "."))
	})
	f := cmd.Flags()
	f.StringVar(&cfg.Demo, "demo", "", "show a simulated cluster of `NODESxGPUS`")
	f.Lookup("demo").NoOptDefVal = config.DefaultDemo
	f.StringVar(&cfg.Nodes, "nodes", "", "watch these `HOSTS`, such as a,b[1-3], without asking SLURM")
	f.BoolVar(&cfg.Once, "once", false, "print the overview and the nodes as text, once")
	f.BoolVar(&cfg.JSON, "json", false, "print everything known as JSON, once")
	f.DurationVar(&cfg.Timeout, "timeout", cfg.Timeout, "of --once and --json: how long to wait for nodes")
	f.StringVar(&cfg.Colors, "colors", "", "`job` (amber means look) or classic (green, yellow 60, red 85); default: what C chose last")
	f.StringVar(&cfg.Theme, "theme", cfg.Theme, "`auto`, dark or light")
	f.BoolVar(&cfg.ASCII, "ascii", false, "draw with ASCII characters only")
	return cmd
}

// version is set by a release build: -ldflags '-X …/internal/app.version=1.2.3'.
var version = ""

// Version is the program's version: a release's, else the module's, else "devel".
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if ok && info.Main.Version != "(devel)" {
		return cmp.Or(version, info.Main.Version, "devel")
	}
	return cmp.Or(version, "devel")
}
