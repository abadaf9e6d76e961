package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/nvnodetop/nvnodetop/internal/access"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/vacancy"
)

// Names of the command list. nvl is nvgpu's.
const (
	listName = "list"
	nvl      = "nvl"
)

// list is the command that prints nvgpu's table.
type list struct {
	cfg *config.Config
	io  streams

	json  string
	watch string
	every time.Duration // 0: once
	here  bool          // only this host is shown
}

// Forms of --json.
const (
	jsonNvgpu   = "nvgpu"
	jsonGpustat = "gpustat"
)

// defaultWatch is the interval of --watch without a value, in seconds, as in nvgpu and gpustat.
const defaultWatch = "1"

func listCommand(cfg *config.Config, flags *pflag.FlagSet, io streams) *cobra.Command {
	l := &list{cfg: cfg, io: io}
	cmd := &cobra.Command{
		Use:     listName,
		Aliases: []string{nvl},
		Short:   "print a table of GPUs, free and used, by whom; also nvl",
		Long: `list prints nvgpu's table of GPUs: [ ] free, [~] used, [!] used by nobody known, [x] not usable. It shows the GPUs of this host, and where it has
none those of the nodes of your running jobs.`,
		Example: `  nvnodetop list                        this host, or your jobs
  nvnodetop list --job 48211            the GPUs of a job
  nvnodetop list --nodes 'gpu[01-04]'   these hosts
  nvnodetop list --watch=5              again every 5 s
  nvnodetop list --json=gpustat         JSON as gpustat prints it`,
		Args: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("demo") {
				args = cfg.TakeDemoSize(args)
			}
			return noArguments(args)
		},
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := prepared(cfg, cmd.Flags(), io); err != nil {
				return err
			}
			return l.check(cmd.Flags())
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return l.run(cmd.Context()) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&l.json, "json", "", "print JSON in the `FORM` of nvgpu's agents, or of gpustat with --json=gpustat")
	f.Lookup("json").NoOptDefVal = jsonNvgpu
	f.StringVarP(&l.watch, "watch", "l", "",
		"print again every `SECONDS`, or every second; also --loop, -i and --interval")
	f.Lookup("watch").NoOptDefVal = defaultWatch
	f.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "loop" || name == "interval" { // with "="
			name = "watch"
		}
		return pflag.NormalizedName(name)
	})
	shareFlags(cmd, cfg, flags)
	return cmd
}

// check reports mistakes of the command line.
func (l *list) check(f *pflag.FlagSet) error {
	if f.Changed("json") && l.json != jsonNvgpu && l.json != jsonGpustat {
		return fmt.Errorf("--json must be nvgpu or gpustat, not %q", l.json)
	}
	if !f.Changed("watch") {
		return nil
	}
	if l.cfg.FirstSample {
		return fmt.Errorf("--%s is for what is printed once: it cannot be combined with --watch", firstSample)
	}
	every, err := secondsOf(l.cfg, "watch", l.watch, 0)
	l.every, l.cfg.Poll, l.cfg.Steady = every, every, true
	return err
}

// run shows this host if it has GPUs and nothing else is asked for.
func (l *list) run(ctx context.Context) error {
	if l.every == 0 {
		sampleTwice(l.cfg)
	}
	log := slog.New(slog.DiscardHandler)
	if l.cfg.Nodes != "" || l.cfg.Job != "" || l.cfg.Demo != "" || l.cfg.Login != "" {
		return fed(ctx, l.cfg, l.io, log, l.show)
	}
	from, err := access.OwnGPUs(ctx, polling(l.cfg, log))
	switch {
	case errors.Is(err, access.ErrNoGPU):
		return fed(ctx, l.cfg, l.io, log, l.show)
	case err != nil:
		return failed(fmt.Errorf("no GPU to list on this host: %w", err))
	}
	l.here = true
	return l.show(ctx, l.cfg, l.io, from)
}

func (l *list) show(ctx context.Context, cfg *config.Config, io streams, from feed) error {
	if l.every == 0 {
		return once(ctx, cfg, io, from, l.print)
	}
	return follow(ctx, cfg, from, l.every, l.redraw)
}

// print prints a Snapshot.
func (l *list) print(s *cluster.Snapshot) error {
	text, err := l.text(s)
	if err == nil {
		_, err = l.io.out.Write(text)
	}
	return err
}

func (l *list) text(s *cluster.Snapshot) ([]byte, error) {
	if len(s.Jobs) == 0 {
		return nil, noJob(l.cfg, s)
	}
	nodes := vacancy.Nodes(s, l.cfg.Job != "")
	var out bytes.Buffer
	var err error
	switch l.json {
	case jsonGpustat:
		err = vacancy.JSON(&out, nodes, l.here, func(n *vacancy.Node) any { return vacancy.Stat(n, s.At) })
	case jsonNvgpu:
		err = vacancy.JSON(&out, nodes, l.here, func(n *vacancy.Node) any { return vacancy.Agent(n, s.At) })
	default:
		err = vacancy.List(&out, nodes, s.At, textTheme(l.cfg, l.io.out))
	}
	return out.Bytes(), err
}

// redraw prints a Snapshot in the place of the last one: on a terminal from its top, as much as there is room for.
func (l *list) redraw(s *cluster.Snapshot) error {
	text, err := l.text(s)
	if err != nil {
		return err
	}
	if l.json == "" && isTerminal(l.io.out) {
		if _, height, err := term.GetSize(int(l.io.out.Fd())); err == nil {
			text = inPlace(text, height)
		}
	}
	_, err = l.io.out.Write(text)
	return err
}

// inPlace is a text for the whole of a terminal.
func inPlace(text []byte, height int) []byte {
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	lines = lines[:min(len(lines), max(height-1, 1))]
	return []byte("\x1b[H" + strings.Join(lines, "\x1b[K\n") + "\x1b[K\n\x1b[J")
}
