package cli

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/remote/agent"
	"github.com/nvnodetop/nvnodetop/internal/remote/ssh"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/source/access"
)

// Program is a run of one command, with its own streams and settings.
type Program struct {
	Streams
	Config      config.Config
	FirstSample bool          // print the first report of each node
	MaxAge      time.Duration // how old an answer of SLURM may be that replaces a new one; 0: SLURM is always asked
	Apart       bool          // it reaches neither SLURM nor nodes, or Join is called later

	flags   *pflag.FlagSet
	origins *config.Origins
}

// New returns the Program of a command, with the named shared flags.
func New(io Streams, f *pflag.FlagSet, names ...string) *Program {
	p := &Program{Streams: io, Config: config.Default(), flags: f}
	p.Share(names...)
	return p
}

// Share adds shared flags.
func (p *Program) Share(names ...string) {
	for _, name := range names {
		flags[name](p.flags, name, p)
	}
}

// SystemFile is the system's file of settings. Only tests change it.
var SystemFile = config.SystemFile

// Shared lists the shared flags.
func Shared() []string { return slices.Sorted(maps.Keys(flags)) }

// Settings lists the shared flags that are also settings, which files and the environment can set too.
func Settings() []string {
	return slices.DeleteFunc(Shared(), func(name string) bool { return !config.IsSetting(keyOf(name)) })
}

// keyOf returns the key of a setting with that flag.
func keyOf(flag string) string { return strings.ReplaceAll(flag, "-", "_") }

// Args returns the check of a command's arguments. It leaves out the size of a demo.
func (p *Program) Args(check func(args []string) error) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if p.flags.Changed("demo") {
			args = p.Config.TakeDemoSize(args)
		}
		return check(args)
	}
}

// Changed reports whether a flag was given.
func (p *Program) Changed(name string) bool { return p.flags.Changed(name) }

// Accept checks values that only the command line has, and loads the settings from all sources. intervals are POLL and
// emptyHints say what to write in place of an empty value.
var emptyHints = map[string]string{
	"nodes": ": name hosts, such as gpu01 or 'gpu[01-04]'", "job": ": name a job, such as 48211",
}

// DISPLAY, as many as were given.
func (p *Program) Accept(intervals ...config.Word) error {
	for _, name := range []string{"nodes", "job"} { // "$UNSET" in a script must not mean: all
		if p.Changed(name) && p.flags.Lookup(name).Value.String() == "" {
			return fmt.Errorf("--%s is empty%s", name, emptyHints[name])
		}
	}
	if p.MaxAge < 0 || p.MaxAge > command.LongestKept {
		return fmt.Errorf("--%s must be a time from 0s to %v, not %v", MaxAge, command.LongestKept, p.MaxAge)
	}
	if err := p.Config.Validate(); err != nil {
		return err
	}
	if err := checkNodes(p.Config.Nodes); err != nil { // before the terminal is checked
		return err
	}
	origins, err := p.Load(intervals...)
	if err != nil {
		return err
	}
	if agent.IsList(p.Config.Nodes) && (p.Config.Login != "" || p.Changed("transport")) {
		return errors.New("--nodes with URLs of agents cannot be combined with --login or --transport")
	}
	for _, remark := range origins.Remarks() {
		p.Say("%s", remark)
	}
	if p.Apart {
		return nil
	}
	return p.Join()
}

// Answers are SLURM's answers that the user's programs keep for each other; nil: the user wants new ones.
func (p *Program) Answers() *command.KeptAnswers {
	if p.MaxAge == 0 {
		return nil
	}
	return access.Answers(p.Config.Login)
}

// Join counts the program among those of the user on this host, and returns an error if there are too many.
func (p *Program) Join() error {
	err := access.Join(&p.Config)
	if err != nil && !errors.Is(err, access.ErrCrowded) {
		p.Say("%v", err)
		return nil
	}
	return err
}

// Load loads the settings from all of their sources.
func (p *Program) Load(words ...config.Word) (*config.Origins, error) {
	line := map[string]config.Word{}
	for i, word := range words {
		line[intervals[i].key] = word
	}
	p.flags.Visit(func(f *pflag.Flag) {
		if config.IsSetting(keyOf(f.Name)) && flags[f.Name] != nil {
			line[keyOf(f.Name)] = config.Word{Name: "--" + f.Name, Text: f.Value.String()}
		}
	})
	origins, err := p.Config.Load(config.Inputs{Beside: config.BesideProgram(), System: SystemFile,
		User: config.UserFile(), Environ: os.Environ(), Line: line})
	p.origins = origins
	if err == nil && (p.Config.Login != "" || p.Changed("login")) {
		err = access.CheckLogin(&p.Config, origins.NameOf("login"))
	}
	return origins, err
}

// TakeAgents uses the agents in the file of nvgpu's master, if the environment names one and the command line says
// nothing about nodes.
func (p *Program) TakeAgents() error {
	path := os.Getenv(agent.ClusterFile)
	if path == "" || p.Config.Nodes != "" || p.Config.Job != "" || p.Config.Demo != "" || p.Config.Login != "" {
		return nil
	}
	list, err := agent.Listed(path)
	if err == nil {
		_, err = agent.New(list)
	}
	if err != nil {
		return Usage("%s: %w", agent.ClusterFile, err)
	}
	p.Config.Nodes = list
	return nil
}

// checkNodes checks the value of --nodes.
func checkNodes(list string) error {
	if !agent.IsList(list) {
		_, err := Hosts("--nodes", list)
		return err
	}
	if _, err := agent.New(list); err != nil {
		return Usage("--nodes: %w", err)
	}
	return nil
}

// Hosts expands a host list from the command line.
func Hosts(from, list string) ([]string, error) {
	names, err := access.ExpandHosts(from, list)
	if err != nil {
		return nil, Usage("%w", err)
	}
	return names, nil
}

// Me is the name of the user on the nodes.
func (p *Program) Me() string {
	if name := ssh.UserOf(p.Config.Login); name != "" {
		return name
	}
	name, _ := access.Here()
	return name
}

// Logged runs a command with its log. If log records are missing, the user is told at the end, when no screen is open.
func (p *Program) Logged(run func(*slog.Logger) error) error {
	log, finish, err := openLog(p.Config.Log)
	if err != nil {
		return err
	}
	defer func() {
		if missing := finish(); missing != nil {
			p.Say("--log: records are missing in %q: %v", p.Config.Log, missing)
		}
	}()
	logStart(log, &p.Config, p.origins)
	err = run(log)
	log.Info("end", "failed", err != nil)
	return err
}
