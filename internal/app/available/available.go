// Package available is the command available: the free GPUs of nodes, and the GPUs that SLURM can still allocate. The
// command list is here too: nvgpu's table of GPUs, also called nvl.
package available

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/output/vacancy"
	"github.com/nvnodetop/nvnodetop/internal/slurm/capacity"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/source/access"
)

// Names of the command. Under the name Nvisel it chooses as nvisel does.
const (
	Name   = "available"
	Nvisel = "nvisel"
)

// Options select the free GPUs and the form of the output.
type Options struct {
	*cli.Program
	flags *pflag.FlagSet

	limit, least, most, count                int
	maxMemory, util, memUtil, tolerance      float64
	freeMemory, totalMemory                  string
	inherit, format, sep                     string
	asFree                                   []string
	newline, null, sort, noSort, json, whole bool

	nvisel bool // it was called by that name
}

// Command prints free GPUs, as nvgpu and nvisel do.
func Command(io cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:     Name,
		Aliases: []string{Nvisel},
		Short:   "print the indices of free GPUs, for CUDA_VISIBLE_DEVICES",
		Long: `available prints the indices of the free GPUs of this host, for
CUDA_VISIBLE_DEVICES. A GPU is free if at most 20 % of its memory is used. If
there are too few, it prints nothing, and the exit code is 1. With --nodes or
--job it prints a line for each node that has enough of them.

With --cluster it prints how many GPUs SLURM can still give to jobs, by
partition and by node.

Under the name nvisel it chooses as nvisel does: among all GPUs, those with the
most free memory first, with 10 % of tolerance.`,
		Example: `  CUDA_VISIBLE_DEVICES=$(nvnodetop available) python train.py
  nvnodetop available -l 1                       at most one
  nvnodetop available -n 2 -f 40GiB              two with 40 GiB of free memory each
  nvnodetop available --nodes 'gpu[01-04]' -c 4  the nodes that have four
  nvnodetop available --cluster                  GPUs that a job can get now`,
	}
	f := cmd.Flags()
	f.SortFlags = false
	a := &Options{flags: f}
	a.addFlags(f)
	a.Program = cli.New(io, f, cli.NodeFlags...)
	cli.JobFlag(f, a.Program)
	cmd.Args = a.Args(cli.NoArguments)
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		a.nvisel = cmd.CalledAs() == Nvisel
		if err := a.checkFlags(); err != nil {
			return err
		}
		return a.Accept()
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return a.runAvailable(cmd.Context()) }
	return cmd
}

func (a *Options) addFlags(f *pflag.FlagSet) {
	f.IntVarP(&a.limit, "limit", "l", 0, "print at most `N` GPUs of a node")
	f.IntVarP(&a.least, "min-count", "c", 1, "print nothing if a node has fewer than `N`")
	f.IntVarP(&a.most, "max-count", "C", 0, "at most `N`, as --limit")
	f.IntVarP(&a.count, "count", "n", 0, "exactly `N`: -c N -C N")
	f.Float64Var(&a.maxMemory, "max-memory-percent", vacancy.DefaultMemory,
		"a free GPU has at most `PERCENT` of its memory in use; not with -f, unless this is given")
	f.StringVarP(&a.freeMemory, "free-memory", "f", "",
		"at least `SIZE` of free memory, such as 10GiB; also --min-free-memory")
	f.StringVarP(&a.totalMemory, "total-memory", "t", "",
		"at least `SIZE` of memory, such as 40GiB; also --min-total-memory")
	f.Float64VarP(&a.util, "max-gpu-utilization", "G", 100, "a utilization of at most `PERCENT`")
	f.Float64VarP(&a.memUtil, "max-memory-utilization", "M", 100,
		"the memory is busy for at most `PERCENT` of the time")
	f.Float64Var(&a.tolerance, "tolerance", 0,
		"take GPUs that miss the limits of -f, -t, -G and -M by at most `PERCENT`, after all others; also --tol")
	f.StringSliceVar(&a.asFree, "account-as-free", nil, "count the GPU memory of these `USERS` as free")
	f.Lookup("account-as-free").NoOptDefVal = yourself
	f.StringVarP(&a.inherit, "inherit", "i", "", "choose only from these `GPUS`, in this order")
	f.Lookup("inherit").NoOptDefVal = fromEnvironment
	f.StringVarP(&a.format, "format", "O", "index",
		"print each GPU in `FORMAT`: index or uuid; MIG instances are always UUIDs")
	f.StringVarP(&a.sep, "sep", "s", ",", "print `TEXT` between two GPUs; also --separator")
	f.BoolVar(&a.newline, "newline", false, "print a line for each GPU")
	f.BoolVarP(&a.null, "null", "0", false, "end each GPU with a NUL, for xargs -0")
	f.BoolVar(&a.sort, "sort", false, "the GPUs with the most free memory first; otherwise by index")
	f.BoolVarP(&a.noSort, "no-sort", "S", false, "by index, also with --sort")
	f.BoolVar(&a.whole, "cluster", false, "print how many GPUs SLURM can still give to jobs, by partition and by node")
	f.BoolVar(&a.json, "json", false, "with --cluster: print JSON")
	f.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if same := nviselNames[name]; same != "" {
			name = same
		}
		return pflag.NormalizedName(name)
	})
}

// nviselNames are the flags of nvisel that have another name here, or a second name in nvisel.
var nviselNames = map[string]string{"min-free-memory": "free-memory", "min-total-memory": "total-memory",
	"tol": "tolerance", "separator": "sep"}

// What flags without a value mean, in the form that the help shows.
const (
	yourself        = "$USER"
	fromEnvironment = "$CUDA_VISIBLE_DEVICES"
)

// withCluster are the flags that --cluster can be combined with.
var withCluster = []string{"cluster", "json", "login", "ascii", "timeout", cli.MaxAge}

// checkFlags reports mistakes on the command line.
func (a *Options) checkFlags() error {
	given := a.flags.Changed
	if err := cli.OneOf("format", a.format, "index", "uuid"); err != nil {
		return err
	}
	switch {
	case a.json && !a.whole:
		return errors.New("--json prints the counts of --cluster: add --cluster")
	case given("sep") && (a.newline || a.null), a.newline && a.null:
		return errors.New("--sep, --newline and --null cannot be combined")
	case given("limit") && (given("max-count") || given("count")):
		return errors.New("--limit cannot be combined with --max-count or --count")
	}
	for _, name := range []string{"limit", "max-count", "count"} {
		if n, _ := a.flags.GetInt(name); given(name) && (n < 0 || n == 0 && !a.nvisel) {
			return fmt.Errorf("--%s must be at least 1, not %d", name, n)
		}
	}
	for _, name := range []string{"max-memory-percent", "max-gpu-utilization", "max-memory-utilization", "tolerance"} {
		if v, _ := a.flags.GetFloat64(name); !(v >= 0 && v <= 100) {
			return fmt.Errorf("--%s must be from 0 to 100, not %v", name, v)
		}
	}
	if a.whole {
		return a.checkCluster()
	}
	_, err := a.makeWish()
	return err
}

// checkCluster refuses flags that have no meaning for --cluster.
func (a *Options) checkCluster() (err error) {
	a.flags.Visit(func(f *pflag.Flag) {
		if !slices.Contains(withCluster, f.Name) {
			err = fmt.Errorf("--%s cannot be combined with --cluster", f.Name)
		}
	})
	return err
}

func (a *Options) runAvailable(ctx context.Context) error {
	if a.whole {
		return a.countCluster(ctx)
	}
	need, log := feed.Once(a.Program), slog.New(slog.DiscardHandler)
	here := a.Config.Nodes == "" && a.Config.Job == "" && a.Config.Demo == "" && a.Config.Login == ""
	out := feed.Printed(a.Program, need, func(s *cluster.Snapshot) error { return a.printGPUs(s, here) },
		func(*cluster.Snapshot) error { return nil })
	if !here {
		return feed.Run(ctx, a.Program, need, log, out)
	}
	from, err := feed.OwnGPUs(ctx, &a.Config, need, log)
	if err != nil {
		return cli.Failed(fmt.Errorf("no free GPU on this host: %w", err))
	}
	return out(ctx, from)
}

// printGPUs prints the GPUs that fit: only those of this host, or those of each node after its name.
func (a *Options) printGPUs(s *cluster.Snapshot, here bool) error {
	wish, err := a.makeWish()
	if err != nil {
		return err
	}
	if len(s.Jobs) == 0 {
		return feed.NoJob(&a.Config, s)
	}
	if err := feed.NotReporting(s); err != nil {
		fmt.Fprintf(a.Err, "nvnodetop: %s\n", cli.Printable(err.Error()))
	}
	var text strings.Builder
	enough, unmeasured, most := wish.Least == 0, "", 0
	for _, n := range vacancy.Nodes(s, a.Config.Job != "") {
		if here && a.nvisel {
			return a.printAsNvisel(*wish, &n)
		}
		chosen := wish.Choose(&n)
		if chosen == nil {
			most = max(most, fitting(*wish, &n))
			unmeasured += ofUnknownMemory(wish, &n, here)
			continue
		}
		enough = true
		if names := vacancy.Names(chosen, a.format == "uuid"); here {
			text.WriteString(a.joinGPUs(names))
		} else {
			text.WriteString(n.Name + " " + a.joinGPUs(names))
		}
	}
	if !enough {
		return fmt.Errorf("too few free GPUs: %d wanted%s, %d found%s", wish.Least, onOneNode(here), most,
			cli.Printable(unmeasured))
	}
	_, err = io.WriteString(a.Out, text.String())
	return err
}

// fitting returns how many GPUs of a node fit, even if they are too few.
func fitting(wish vacancy.Wish, n *vacancy.Node) int {
	wish.Least = 0
	return len(wish.Choose(n))
}

// ofUnknownMemory names the free GPUs of a node that would fit if their memory were known to be enough.
func ofUnknownMemory(wish *vacancy.Wish, n *vacancy.Node, here bool) string {
	gpus := wish.Unmeasured(n)
	if len(gpus) == 0 {
		return ""
	}
	names := "GPU " + strings.Join(vacancy.Names(gpus, false), ",")
	if !here {
		names += " of " + n.Name
	}
	return "; the memory of " + names + " is not known"
}

func onOneNode(here bool) string {
	if here {
		return ""
	}
	return " on one node"
}

// joinGPUs returns a list of GPUs in its printed form, with the end of the line.
func (a *Options) joinGPUs(names []string) string {
	switch {
	case a.null:
		return strings.Join(names, "\x00") + "\x00"
	case a.newline:
		return strings.Join(names, "\n") + "\n"
	}
	return strings.Join(names, a.sep) + "\n"
}

// countCluster prints the GPUs of the whole cluster.
func (a *Options) countCluster(ctx context.Context) error {
	ways, err := access.New(ctx, &a.Config, slog.New(slog.DiscardHandler))
	if err != nil {
		return cli.Exit(cli.ExitFailed, err)
	}
	defer ways.Close()
	if at := feed.NewTerminal(a.Streams); at != nil && a.Config.Login != "" {
		if err := ways.Native.Prepare(ctx, at, nil); err != nil {
			return cli.Exit(cli.ExitFailed, err)
		}
	}
	inTime, cancel := context.WithTimeout(ctx, a.Config.Timeout)
	defer cancel()
	found, at, err := command.AskKept(a.Answers(), "GPUs of the cluster", a.MaxAge,
		func(s *capacity.Supply) bool { return s.NoJobs == nil },
		func() (*capacity.Supply, error) { return capacity.AskSupply(inTime, ways.Commands) })
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return cli.Exit(cli.ExitFailed, cli.ErrInterrupted)
	case inTime.Err() != nil:
		return cli.Exit(cli.ExitNoJobs, fmt.Errorf("SLURM did not answer within %v", a.Config.Timeout))
	case errors.Is(err, command.ErrNoSlurm):
		return cli.Exit(cli.ExitNoJobs, feed.AskElsewhere(&a.Config))
	default:
		return cli.Exit(cli.ExitNoJobs, err)
	}
	counts := capacity.Of(found, at)
	if a.json {
		err = counts.WriteJSON(a.Out)
	} else {
		err = vacancy.Cluster(a.Out, counts, cli.TextTheme(&a.Config, a.Out))
	}
	if err != nil {
		return cli.Exit(cli.ExitFailed, err)
	}
	return nil
}
