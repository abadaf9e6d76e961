package app

import (
	"context"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/access"
	"github.com/nvnodetop/nvnodetop/internal/build"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/doctor"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/remote/auto"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
	"github.com/nvnodetop/nvnodetop/internal/source"
)

// Exit codes of the doctor.
const (
	exitWarnings = 1
	exitSick     = 2 // something failed
)

// doctorCommand examines the ways to nodes. It takes some of the program's flags.
func doctorCommand(cfg *config.Config, flags *pflag.FlagSet, io streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor [NODE…]",
		Short: "examine the connections to nodes, step by step",
		Long: `doctor tries every transport to the NODEs, or to the first nodes of your running jobs, and prints each step with its verdict: ok, warning,
failed or skipped. It says which transport nvnodetop would use, and what to do about the others. NODE may be a list, such as gpu[01-04].

Exit codes: 0 all is well, 1 warnings, 2 something failed.`,
		Args: cobra.ArbitraryArgs,
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			_, err := accept(cfg, cmd.Flags(), nil, io)
			return err
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			names, err := hosts("NODE", strings.Join(args, ","))
			if err != nil {
				return err
			}
			return examine(cmd.Context(), cfg, names, io)
		},
	}
	for _, name := range []string{"transport", "login", "json", "ascii"} {
		cmd.Flags().AddFlag(flags.Lookup(name))
	}
	return cmd
}

// examine examines the ways to nodes, and prints the report. If it is interrupted, it prints what is known so far.
func examine(ctx context.Context, cfg *config.Config, names []string, io streams) error {
	began := time.Now()
	a, err := access.New(ctx, cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		return &exitError{exitSick, err}
	}
	defer a.Close()
	var heard *source.Heard
	if slices.ContainsFunc(a.Doors, func(d auto.Door) bool { return d.Name == config.SSH }) {
		heard, _ = prepare(ctx, a.Native, io, names, a.Client) // the report says what is wrong
	}
	_, here := access.Here()
	o := &doctor.Options{
		Facts: doctor.Facts{
			At: began, Program: build.Version(), User: a.User, Host: here, Login: cfg.Login,
			ClockLimit: time.Duration(cfg.Thresholds[health.ClockSkewSeconds] * float64(time.Second)),
		},
		Names: names, Run: a.Commands, Client: a.Client,
		Doors: a.Doors, Favorite: a.Favorite, Know: a.Know,
	}
	if heard != nil {
		o.Heard = &doctor.Heard{Answer: heard.Answer, Err: heard.Err, Took: heard.Took}
	}
	if cfg.Login == "" {
		o.Slurm.Cluster = slurm.ClusterName("")
	}
	line := newStatus(io.err)
	o.Progress = line.set
	report := doctor.Judge(doctor.Collect(ctx, o))
	line.erase()
	if err := printReport(cfg, io, report); err != nil {
		return &exitError{exitSick, err}
	}
	switch {
	case ctx.Err() != nil:
		return &exitError{exitSick, errInterrupted}
	case report.Verdict == doctor.Failed:
		return &exitError{exitSick, nil}
	case report.Verdict == doctor.Warning:
		return &exitError{exitWarnings, nil}
	}
	return nil
}

func printReport(cfg *config.Config, io streams, r *doctor.Report) error {
	if cfg.JSON {
		return doctor.JSON(io.out, r)
	}
	return doctor.Text(io.out, r, colorprofile.Detect(io.out, os.Environ()), ascii(cfg))
}

// status is a line on a terminal that says what is being done. It may be used by several goroutines.
type status struct {
	mu   sync.Mutex
	line *progress
}

func newStatus(errs io.Writer) *status { return &status{line: newProgress(errs, time.Now())} }

func (s *status) set(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.line.out != nil {
		s.line.show(printable(text))
	}
}

func (s *status) erase() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.line.erase()
}
