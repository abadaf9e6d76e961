// Package app is the program: the command line, the choice of the source of Events and of the output for Snapshots, the
// order of shutdown, and the exit codes. Only main imports it; Main is called once.
package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/build"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/remote/agent"
)

// Exit codes of the program.
const (
	exitOK = 0
	// --once, --json: a node or a GPU of a job does not report; otherwise: the program could not continue
	exitFailed = 1
	exitUsage  = 2
	exitNoJobs = 3 // no running job, or no SLURM to ask
)

// exitError ends the program with an exit code. Its error, if any, is printed as one line.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return fmt.Sprintf("exit code %d: %v", e.code, e.err) }

// Unwrap returns the reason.
func (e *exitError) Unwrap() error { return e.err }

func usage(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// streams are the standard streams.
type streams struct {
	in, out *os.File
	err     io.Writer
}

// Main runs the program with its arguments (without its name) and returns its exit code.
func Main(args []string, in, out *os.File, errs io.Writer) int {
	// Login nodes are shared and count CPU seconds: one thread is plenty, and a heap that stays small. A second one
	// would wake up for each report and find nothing to do, which was measured to cost a fifth of the report.
	runtime.GOMAXPROCS(1)
	debug.SetMemoryLimit(memoryFor(0))

	ctx, stop := signal.NotifyContext(context.Background(), heeded()...)
	defer stop()
	cmd := newCommand(streams{in, out, errs})
	cmd.SetArgs(habits(ofVersion(cmd, args)))
	cmd.SetIn(in)
	said := &delivery{to: out}
	cmd.SetOut(said)
	cmd.SetErr(errs)
	err := cmd.ExecuteContext(ctx)
	if said.err != nil { // cobra prints the help, and does not look
		err = &exitError{exitFailed, said.err}
	}
	if err == nil {
		return exitOK
	}
	exit, ours := errors.AsType[*exitError](err)
	if !ours { // cobra itself only reports usage errors
		exit = &exitError{exitUsage, err}
	}
	if exit.err != nil {
		fmt.Fprintf(errs, "nvnodetop: %s\n", printable(exit.err.Error())) // a host may have said it
	}
	return exit.code
}

// delivery keeps the first error of what is printed.
type delivery struct {
	to  io.Writer
	err error
}

// Write implements io.Writer.
func (p *delivery) Write(text []byte) (int, error) {
	n, err := p.to.Write(text)
	p.err = cmp.Or(p.err, err)
	return n, err
}

// heeded lists the signals that end the program. What it ignored when it started, as nohup wants of SIGHUP, it still
// ignores.
func heeded() []os.Signal {
	return append(slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGHUP}, signal.Ignored), syscall.SIGTERM)
}

// ofVersion takes the command out of "track -v": gpu_tracker, gpustat and nvl have that flag.
func ofVersion(cmd *cobra.Command, args []string) []string {
	if len(args) == 2 && (args[1] == "-v" || args[1] == "--version") {
		if c, _, err := cmd.Find(args[:1]); err == nil && c != cmd {
			return args[1:]
		}
	}
	return args
}

func newCommand(io streams) *cobra.Command {
	cfg := config.Default()
	var paces []config.Word
	var only narrow
	var from *config.Origins
	cmd := &cobra.Command{
		Use:   "nvnodetop [POLL [DISPLAY]]",
		Short: "Every GPU of your SLURM jobs, on all their nodes, on one screen",
		Long: `nvnodetop shows every GPU of your running SLURM jobs, on all their nodes, on one screen, from the login node.
Nothing to install on the nodes: over one ssh session per node, nvnodetop copies a small probe there and runs it.

POLL is the interval between samples of a node, DISPLAY between screen updates, in seconds (default 3 and 1).`,
		Example: `  nvnodetop                       your running jobs
  nvnodetop 5 2                   nodes every 5 s, screen every 2 s
  nvnodetop --nodes 'gpu[01-04]'  these hosts, without SLURM
  nvnodetop --login alice@cluster your jobs on a cluster, from your own computer
  nvnodetop --json                one JSON document, for scripts
  nvnodetop snapshot --help       the same as CSV, or for Prometheus
  nvnodetop doctor gpu01          examine the connection to a node, step by step
  nvnodetop --demo 64x8           a simulated cluster of 64 nodes with 8 GPUs each`,
		Version:       build.Version(), // not SetVersionTemplate: with text/template the linker keeps every method, 3 MB that a probe pays for too
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("demo") {
				args = cfg.TakeDemoSize(args)
			}
			if err := atMostIntervals(args); err != nil {
				return err
			}
			var err error
			paces, err = orInterval(pacesOf(args), cmd.Flags())
			return err
		},
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			origins, err := accept(&cfg, cmd.Flags(), paces, io)
			if err != nil {
				return err
			}
			from = origins
			return only.apply(&cfg)
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			return logged(&cfg, from, func(log *slog.Logger) error { return run(cmd.Context(), &cfg, io, log) })
		},
	}
	cmd.CompletionOptions.DisableDefaultCmd = true
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return flagError(err) })
	f := cmd.Flags()
	addFlags(f, &cfg)
	only.add(f)
	cmd.AddCommand(configCommand(&cfg, f, io), doctorCommand(&cfg, f, io), snapshotCommand(&cfg, &only, f, io))
	cmd.AddCommand(availableCommand(&cfg, f, io), listCommand(&cfg, f, io), trackCommand(&cfg, f, io),
		scalarsCommand(&cfg, f, io), serveCommand(&cfg, f, io))
	cmd.AddCommand(recordCommand(&cfg, f, io), replayCommand(&cfg, f, io))
	cmd.SetHelpCommand(&cobra.Command{Use: "help [COMMAND]", Short: "print the help of a command",
		RunE: func(_ *cobra.Command, args []string) error { return help(cmd, args) }})
	return cmd
}

// accept checks what only the command line has, and sets the settings from all places where they can stand.
func accept(cfg *config.Config, f *pflag.FlagSet, paces []config.Word, io streams) (*config.Origins, error) {
	for _, name := range []string{"nodes", "job"} { // "$UNSET" in a script must not mean: all
		if f.Changed(name) && f.Lookup(name).Value.String() == "" {
			return nil, fmt.Errorf("--%s is empty", name)
		}
	}
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if err := checkNodes(cfg.Nodes); err != nil { // before the terminal is looked at
		return nil, err
	}
	origins, err := load(cfg, f, paces)
	if err != nil {
		return nil, err
	}
	if agent.IsList(cfg.Nodes) && (cfg.Login != "" || f.Changed("transport")) {
		return nil, errors.New("--nodes with URLs of agents cannot be combined with --login or --transport")
	}
	for _, remark := range origins.Remarks() {
		fmt.Fprintf(io.err, "nvnodetop: %s\n", printable(remark))
	}
	return origins, nil
}

// help prints what --help prints behind the names of a command.
func help(root *cobra.Command, names []string) error {
	cmd, rest, err := root.Find(names)
	if err != nil || len(rest) > 0 {
		return usage("no command %q (nvnodetop --help lists them)", strings.Join(names, " "))
	}
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	return cmd.Help()
}

func addFlags(f *pflag.FlagSet, cfg *config.Config) {
	f.StringVar(&cfg.Demo, "demo", "", "simulate a cluster: `NODESxGPUS` sets the number of nodes and of GPUs per node")
	f.Lookup("demo").NoOptDefVal = config.DefaultDemo
	f.StringVar(&cfg.Nodes, "nodes", "",
		"watch these `HOSTS`, such as a,b[1-3], without asking SLURM; also URLs of nvgpu's agents")
	f.StringVar(&cfg.Transport, "transport", cfg.Transport,
		"reach nodes through `NAME` only: ssh, control (a live ControlMaster), openssh (the ssh program), srun (a "+
			"step of the job) or local (this host)")
	f.StringVar(&cfg.Login, "login", "",
		"work from a laptop: ask SLURM on the login node `[USER@]HOST`, and reach the nodes through it")
	f.BoolVar(&cfg.Once, "once", false, "print the overview and all nodes as text and exit")
	f.BoolVar(&cfg.ForceColor, "force-color", false, "let --once print colors into a file or a pipe, too")
	f.String(intervalFlag, "", "POLL, as nvitop takes it")
	_ = f.MarkHidden(intervalFlag)
	f.BoolVar(&cfg.JSON, "json", false, "print everything as JSON and exit")
	f.DurationVar(&cfg.Timeout, "timeout", cfg.Timeout,
		"how long to wait for nodes and for SLURM before something is printed once, as with --once, --json and snapshot")
	f.BoolVar(&cfg.FirstSample, firstSample, false,
		"with --once, --json, snapshot, list and available: print the first sample of each node, a second earlier: "+
			"without rates and without problems that show in two")
	f.StringVar(&cfg.View, "view", cfg.View,
		"`PAGE` to start with: node, overview or auto (last choice, else the overview for a job of several nodes)")
	f.StringVar(&cfg.Monitor, "monitor", cfg.Monitor,
		"GPUs above the processes on their page: `MODE` is auto (where there is room), full or compact (never); also -m")
	f.StringVar(&cfg.Colors, "colors", "",
		"color `MODE`: job (amber = warning) or classic (green, yellow from 60%, red from 85%); default: last choice")
	f.String("gpu-util-thresh", "60,85",
		"`LOW,HIGH`: from which utilization the classic colors are yellow and red; also LOW HIGH, as nvitop takes it")
	f.String("mem-util-thresh", "", "`LOW,HIGH`: the same for GPU memory, which has no levels otherwise")
	f.StringVar(&cfg.Theme, "theme", cfg.Theme,
		"colors and background: `THEME` is auto, dark, light, high-contrast, colorblind or mono")
	f.BoolVar(&cfg.ASCII, "ascii", false,
		"draw with ASCII characters only; --ascii=false overrides what TERM and the locale suggest")
	f.BoolVar(&cfg.ReadOnly, "readonly", false, "send no signal to a process and cancel no job, whatever is pressed")
	f.StringVar(&cfg.Log, "log", "", "append a log to `FILE`: attempts, failures, SLURM's answers, never what the "+
		"other side said")
}

// valueWords describe the values of flags by type.
var valueWords = map[string]string{
	"duration": "a time with a unit, e.g. 15s or 2m", "bool": "true or false", "int": "a whole number",
	"float64":     "a number",
	"stringSlice": "a list with commas",
}

// flagError says what is wrong with a flag or its value, without the words of Go's parsers.
func flagError(err error) error {
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		flag := bad.GetFlag()
		if errors.Is(err, strconv.ErrRange) {
			return fmt.Errorf("--%s is out of range: %q", flag.Name, bad.GetValue())
		}
		if words := valueWords[flag.Value.Type()]; words != "" {
			return fmt.Errorf("--%s must be %s, not %q", flag.Name, words, bad.GetValue())
		}
	}
	return fmt.Errorf("%s (nvnodetop --help lists the flags)", strings.TrimSuffix(err.Error(), "."))
}
