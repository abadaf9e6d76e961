// Package track is the command track: it reports what a command or a job has used. The command mark is here too: it
// notes which part of its work a program is in.
package track

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/record"
	"github.com/nvnodetop/nvnodetop/internal/output/track"
	"github.com/nvnodetop/nvnodetop/internal/remote/local"
)

// Name is the name of the command.
const Name = "track"

// Options are the user's choices for the report.
type Options struct {
	*cli.Program
	flags *pflag.FlagSet

	every   float64 // seconds
	units   track.Units
	cores   int
	gpus    []string
	output  string
	format  string
	execute string
	quiet   bool
	job     string // "": the report is that of a command on this host
	record  string // of a job: also record to this file; "": nothing is recorded

	pid       int    // a running process instead of a command; 0: none
	points    string // a file for every sample; "": none
	overwrite bool   // the file may already exist
	config    string // a file with these options, in gpu_tracker's form; "": none
}

// Limits of --interval of a command, in seconds. The kernel counts CPU time in steps of 10 ms.
const leastInterval, mostInterval = 0.05, 600

// intervalRule says so.
var intervalRule = fmt.Sprintf("from %v to %v seconds, such as 5 or 0.2", leastInterval, mostInterval)

// trackersNames are the flags of gpu_tracker that have another name here.
var trackersNames = map[string]string{
	"st": cli.Interval, "sleep-time": cli.Interval, "ru": "ram-unit", "gru": "gpu-ram-unit", "tu": "time-unit",
	"nec": "n-expected-cores", "guuids": "gpu-uuids", "tf": "tracking-file",
}

// Command reports what a command or a job has used.
func Command(io cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   Name + " [flags] -- COMMAND [ARGUMENT…]",
		Short: "run a command and report its resource usage",
		Long: `track runs COMMAND on this host and then reports, as gpu_tracker does, the
memory, CPU time, threads, GPU memory and time that it and its descendants have
used, and the utilization of the GPUs. The report follows the output of the
command, also when that fails or is killed.

In a batch script, for "track -- srun …", the report is that of the script's job,
on all its nodes, as of nvnodetop report.

The exit code is that of COMMAND, 128 and the number of the signal if one has
ended it, 127 if it is not found, 126 if it cannot be run.`,
		Example: `  nvnodetop track -- python train.py --epochs 3
  nvnodetop track --ram-unit megabytes --interval 0.2 -- ./simulate
  nvnodetop track --format json --output usage.json -- python train.py
  nvnodetop track -- srun python train.py                in a batch script`,
	}
	f := cmd.Flags()
	t := &Options{units: track.DefaultUnits, flags: f}
	t.addFlags(f)
	t.Program = cli.New(io, f, jobFlags...)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		cli.OutliveReaders()
		if err := t.takeConfig(); err != nil {
			return err
		}
		if t.chooseJob(args); t.job != "" || t.Changed("job") {
			return t.ofJob(cmd.Context(), args)
		}
		command, err := t.commandLine(args)
		if err != nil {
			return err
		}
		if err := t.checkFlags(); err != nil {
			return cli.Usage("%w", err)
		}
		if command == nil {
			return t.followProcess(cmd.Context())
		}
		return t.runCommand(cmd.Context(), command)
	}
	return cmd
}

func (t *Options) addFlags(f *pflag.FlagSet) {
	f.SetInterspersed(false) // flags after COMMAND belong to it
	f.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if ours := trackersNames[name]; ours != "" {
			name = ours
		}
		return pflag.NormalizedName(name)
	})
	f.Float64Var(&t.every, cli.Interval, 1, "`SECONDS` between two samples; also --sleep-time and --st")
	cli.Rule(f, cli.Interval, intervalRule)
	f.StringVar(&t.units.RAM, "ram-unit", t.units.RAM,
		"host memory in `UNIT`: bytes, kilobytes, megabytes, gigabytes or terabytes; also --ru")
	f.StringVar(&t.units.GPURAM, "gpu-ram-unit", t.units.GPURAM, "memory of GPUs in `UNIT`, as --ram-unit; also --gru")
	f.StringVar(&t.units.Time, "time-unit", t.units.Time, "times in `UNIT`: seconds, minutes, hours or days; also --tu")
	f.IntVar(&t.cores, "n-expected-cores", 0,
		"how many `CORES` the command is expected to use (default all); also --nec")
	f.StringSliceVar(&t.gpus, "gpu-uuids", nil, "measure the utilization of these GPUs only, by `UUID`; also --guuids")
	f.StringVarP(&t.output, "output", "o", "", "write the report to `FILE`")
	f.StringVarP(&t.format, "format", "f", "text", "`FORMAT`: text or json; of a job also markdown")
	f.StringVarP(&t.execute, "execute", "e", "", "run this `LINE` of a shell in place of COMMAND")
	f.BoolVar(&t.quiet, "disable-logs", false, "do not say why GPUs are missing in the report")
	f.IntVar(&t.pid, "pid", 0, "report on the running process `PID` and its descendants, until it ends or Ctrl-C")
	f.StringVar(&t.points, "tracking-file", "", "write every sample to `FILE`.csv; also --tf")
	f.BoolVar(&t.overwrite, "overwrite", false, "replace the file of --tracking-file, if it exists")
	f.StringVar(&t.config, "tconfig", "", "take options from `FILE`, in gpu_tracker's JSON; those of the command line "+
		"come first")
	record.BesideFlag(f, &t.record)
	f.StringVar(&t.job, "job", "", "report on the job `ID`: until it ends, or while COMMAND runs")
	_ = f.MarkHidden("job") // nvnodetop report replaces it
}

// commandLine returns the command to run.
func (t *Options) commandLine(args []string) ([]string, error) {
	switch {
	case t.Changed("pid") && (t.execute != "" || len(args) > 0):
		return nil, cli.Usage("--pid cannot be combined with a command")
	case t.Changed("pid"):
		return nil, nil
	case t.execute != "" && len(args) > 0:
		return nil, cli.Usage("--execute cannot be combined with COMMAND")
	case t.execute != "":
		return track.ShellCommand(t.execute), nil
	case len(args) == 0 || args[0] == "":
		return nil, cli.Usage("track needs a command: nvnodetop track -- COMMAND")
	}
	return args, nil
}

func (t *Options) checkFlags() error {
	for _, name := range append([]string{"record"}, jobFlags...) {
		if t.Changed(name) {
			return fmt.Errorf("--%s is for the report of a job: it needs --job, or srun in a batch script", name)
		}
	}
	slices.Sort(t.gpus)
	t.gpus = slices.Compact(t.gpus) // each is expected once
	for _, unit := range []struct {
		flag, name string
		check      func(string) error
	}{{"ram-unit", t.units.RAM, track.CheckSize}, {"gpu-ram-unit", t.units.GPURAM, track.CheckSize},
		{"time-unit", t.units.Time, track.CheckTime}} {
		if err := unit.check(unit.name); err != nil {
			return fmt.Errorf("--%s %w", unit.flag, err)
		}
	}
	if err := cli.OneOf("format", t.format, "text", "json"); err != nil {
		return err
	}
	switch {
	case !(t.every >= leastInterval && t.every <= mostInterval): // also true for NaN
		return fmt.Errorf("--interval must be %s, not %v", intervalRule, t.every)
	case t.Changed("n-expected-cores") && t.cores < 1:
		return fmt.Errorf("--n-expected-cores must be at least 1, not %d", t.cores)
	case t.Changed("gpu-uuids") && strings.Join(t.gpus, "") == "":
		return errors.New("--gpu-uuids names no GPU")
	case t.Changed("output") && t.output == "":
		return errors.New("--output is empty")
	case t.Changed("pid") && t.pid < 1:
		return fmt.Errorf("--pid must be the number of a process, not %d", t.pid)
	}
	return t.checkPoints()
}

// runCommand runs the command. Signals are meant for the command: they end this program only before the command starts.
func (t *Options) runCommand(ctx context.Context, command []string) error {
	file, err := cli.OpenReport(t.output)
	if err != nil {
		return cli.Usage("--output: %w", err)
	}
	defer func() { _ = file.Close() }() // closed already, unless the command did not run
	points, err := t.openPoints()
	if err != nil {
		return err
	}
	defer points.closeFile()
	every := time.Duration(t.every * float64(time.Second))
	var running *track.Child
	tracker, err := track.New(track.Options{
		Proc: "/proc", Self: os.Getpid(), Interval: every, Cores: t.cores, GPUs: t.gpus,
		Own: func(pid int) bool { return running.Own(pid) || local.Started(pid) },
	})
	if err != nil {
		return cli.Exit(cli.ExitFailed, err)
	}
	defer tracker.Close()
	gpus := watchGPUs(context.WithoutCancel(ctx), every, tracker)
	defer gpus.closeProbe()
	if err := gpus.checkGPUs(ctx, t.gpus, points != nil); err != nil {
		return err
	}
	if err := track.AdoptDescendants(); err != nil {
		return cli.Exit(cli.ExitFailed, err)
	}
	endMarks := followMarks(tracker, every)
	began := time.Now() // before the command: on a busy machine it may already run before Start returns
	if running, err = track.StartChild(command, track.ChildStreams{In: t.In, Out: t.Out, Err: t.Err}); err != nil {
		return cannotRun(command[0], err)
	}
	tracker.Begin(began, running.PID(), ownPeak())
	sampleCommand(tracker, running.Ended(), every, points.writeSample)
	tracker.End(time.Now())
	points.writeSample(tracker)
	endMarks()
	result := running.Reap()
	tracker.Peak(result.Peak)
	why := gpus.closeProbe()
	if why == "" && !tracker.HasGPUs() {
		why = tooShort
	}
	fmt.Fprintf(t.Err, "Resource tracking complete. Process completed with status code: %d\n", result.Status)
	if why != "" && !t.quiet {
		t.Say("the report has no GPUs: %s", why)
	}
	return t.finishReport(file, tracker.Report(t.units), result.Status)
}

// sampleCommand measures the command until it has ended.
func sampleCommand(tracker *track.Tracker, ended <-chan struct{}, every time.Duration, see func(*track.Tracker)) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			tracker.Sample(time.Now())
			see(tracker)
		case <-ended:
			return
		}
	}
}

// finishReport writes the report, and returns the exit code.
func (t *Options) finishReport(file *os.File, r *track.Report, status int) error {
	write := track.Text
	if t.format == "json" {
		write = track.JSON
	}
	var text bytes.Buffer
	err := write(&text, r)
	if err == nil {
		err = t.Deliver(file, text.Bytes())
	}
	switch {
	case status != 0:
		return cli.Exit(status, err)
	case err != nil:
		return cli.Exit(cli.ExitFailed, err)
	}
	return nil
}

// cannotRun returns the error for a command that does not start.
func cannotRun(name string, err error) error {
	why := err
	if inner, ok := errors.AsType[*fs.PathError](err); ok {
		why = inner.Err
	}
	if status := track.StartStatus(err); status == track.ExitNotFound {
		return cli.Exit(status, fmt.Errorf("command %q not found", name))
	}
	return cli.Exit(track.ExitCannotRun, fmt.Errorf("cannot run %q: %w", name, why))
}

// ownPeak returns the peak memory of this process.
func ownPeak() uint64 {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return track.PeakOf(&used)
}
