package available

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/output/vacancy"
	"github.com/nvnodetop/nvnodetop/internal/source/access"
)

// Names of the command. Nvl is nvgpu's name.
const (
	ListName = "list"
	Nvl      = "nvl"
)

// ListOptions are the user's choices for the table.
type ListOptions struct {
	*cli.Program
	json     string
	interval string
	again    bool // print the table again and again
	here     bool // only this host is shown
}

// Forms of --json.
const (
	jsonNvgpu   = "nvgpu"
	jsonGpustat = "gpustat"
)

// listInterval is the value of --interval if none is given, in seconds, as in nvgpu and gpustat.
const listInterval = "1"

// ListCommand prints nvgpu's table.
func ListCommand(io cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:     ListName,
		Aliases: []string{Nvl},
		Short:   "print a table of free and used GPUs and their users; also nvl",
		Long: `list prints nvgpu's table of GPUs: [ ] free, [~] in use, [!] in use, owner
unknown, [x] not usable. It shows the GPUs of this host, and where it has none
those of the nodes of your running jobs.`,
		Example: `  nvnodetop list                        this host, or your jobs
  nvnodetop list --job 48211            the GPUs of a job
  nvnodetop list --nodes 'gpu[01-04]'   these hosts
  nvnodetop list --interval=5           again every 5 s
  nvnodetop list --json=gpustat         JSON as gpustat prints it`,
	}
	f := cmd.Flags()
	f.SortFlags = false
	l := &ListOptions{}
	f.StringVar(&l.json, "json", "", "print JSON in the `FORM` of nvgpu's agents, or of gpustat with --json=gpustat")
	f.Lookup("json").NoOptDefVal = jsonNvgpu
	f.StringVarP(&l.interval, cli.Interval, "l", "",
		"print again every `SECONDS`, or every second; also --watch, --loop and -i")
	f.Lookup(cli.Interval).NoOptDefVal = listInterval
	f.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "loop" || name == "watch" {
			name = cli.Interval
		}
		return pflag.NormalizedName(name)
	})
	l.Program = cli.New(io, f, cli.NodeFlags...)
	cli.JobFlag(f, l.Program)
	cmd.Args = l.Args(cli.NoArguments)
	cmd.PreRunE = func(*cobra.Command, []string) error { return l.loadOptions(f) }
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return l.runList(cmd.Context()) }
	return cmd
}

// loadOptions reads the command line and the settings.
func (l *ListOptions) loadOptions(f *pflag.FlagSet) (err error) {
	var poll []config.Word
	if l.again = f.Changed(cli.Interval); l.again {
		if poll, err = l.ByInterval(l.interval, config.MinPoll); err != nil {
			return err
		}
	}
	if err := l.TakeAgents(); err != nil {
		return err
	}
	if err := l.Accept(poll...); err != nil {
		return err
	}
	if f.Changed("json") {
		if err := cli.OneOf("json", l.json, jsonNvgpu, jsonGpustat); err != nil {
			return err
		}
	}
	for name, given := range map[string]bool{cli.FirstSample: l.FirstSample, cli.MaxAge: l.MaxAge != 0} {
		if l.again && given {
			return fmt.Errorf("--%s is for what is printed once: it cannot be combined with --%s", name, cli.Interval)
		}
	}
	return nil
}

// runList shows this host if it has GPUs and the user asked for nothing else.
func (l *ListOptions) runList(ctx context.Context) error {
	need, cfg, log := feed.Once(l.Program), &l.Config, slog.New(slog.DiscardHandler)
	show := feed.Printed(l.Program, need, l.printSnapshot, feed.Verdict)
	if l.again {
		need = feed.Need{Brief: true, Steady: true}
		show = feed.Followed(l.Program, cfg.Poll, l.redrawSnapshot)
	}
	if cfg.Nodes != "" || cfg.Job != "" || cfg.Demo != "" || cfg.Login != "" {
		return feed.Run(ctx, l.Program, need, log, show)
	}
	from, err := feed.OwnGPUs(ctx, cfg, need, log)
	switch {
	case errors.Is(err, access.ErrNoGPU):
		return feed.Run(ctx, l.Program, need, log, show)
	case err != nil:
		return cli.Failed(fmt.Errorf("no GPU to list on this host: %w", err))
	}
	l.here = true
	return show(ctx, from)
}

// printSnapshot prints a Snapshot.
func (l *ListOptions) printSnapshot(s *cluster.Snapshot) error {
	text, err := l.snapshotText(s)
	if err == nil {
		_, err = l.Out.Write(text)
	}
	return err
}

func (l *ListOptions) snapshotText(s *cluster.Snapshot) ([]byte, error) {
	if len(s.Jobs) == 0 {
		return nil, feed.NoJob(&l.Config, s)
	}
	nodes := vacancy.Nodes(s, l.Config.Job != "")
	var out bytes.Buffer
	var err error
	switch l.json {
	case jsonGpustat:
		err = vacancy.JSON(&out, nodes, l.here, func(n *vacancy.Node) any { return vacancy.Stat(n, s.At) })
	case jsonNvgpu:
		err = vacancy.JSON(&out, nodes, l.here, func(n *vacancy.Node) any { return vacancy.Agent(n, s.At) })
	default:
		err = vacancy.List(&out, nodes, s.At, cli.TextTheme(&l.Config, l.Out))
	}
	return out.Bytes(), err
}

// redrawSnapshot replaces the last printed Snapshot. On a terminal it starts at the top, and prints as much as fits.
func (l *ListOptions) redrawSnapshot(s *cluster.Snapshot) error {
	text, err := l.snapshotText(s)
	if err != nil {
		return err
	}
	if l.json == "" && cli.IsTerminal(l.Out) {
		if _, height, err := term.GetSize(l.Out.Fd()); err == nil {
			text = inPlace(text, height)
		}
	}
	_, err = l.Out.Write(text)
	return err
}

// inPlace returns a text that redraws the whole terminal.
func inPlace(text []byte, height int) []byte {
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	lines = lines[:min(len(lines), max(height-1, 1))]
	return []byte("\x1b[H" + strings.Join(lines, "\x1b[K\n") + "\x1b[K\n\x1b[J")
}
