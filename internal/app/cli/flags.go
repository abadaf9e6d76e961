package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/config"
)

// flag adds the flag of a setting to a command.
type flag func(f *pflag.FlagSet, name string, p *Program)

// flags are the flags of several commands, by name.
var flags = map[string]flag{
	"demo": func(f *pflag.FlagSet, name string, p *Program) {
		f.StringVar(&p.Config.Demo, name, "",
			"simulate a cluster: `NODESxGPUS` sets the number of nodes and of GPUs per node")
		f.Lookup(name).NoOptDefVal = config.DefaultDemo
	},
	"nodes": text("watch these `HOSTS`, such as a,b[1-3], without asking SLURM; also URLs of nvgpu's agents",
		func(c *config.Config) *string { return &c.Nodes }),
	"transport": text("reach nodes through `NAME` only: ssh, control (a live ControlMaster), openssh (the ssh program), "+
		"srun (a step of the job) or local (this host)", func(c *config.Config) *string { return &c.Transport }),
	"login": text("work from a laptop: ask SLURM on the login node `[USER@]HOST`, and reach the nodes through it",
		func(c *config.Config) *string { return &c.Login }),
	"timeout": func(f *pflag.FlagSet, name string, p *Program) {
		f.DurationVar(&p.Config.Timeout, name, p.Config.Timeout, "how long to wait for nodes and for SLURM before "+
			"something is printed once, as with --once, --json and snapshot")
	},
	FirstSample: func(f *pflag.FlagSet, name string, p *Program) {
		f.BoolVar(&p.FirstSample, name, false, "with --once, --json, snapshot, list and available: print the "+
			"first sample of each node, a second earlier: without rates and without problems that show in two")
	},
	"view": text("`PAGE` to start with: node, overview or auto (last choice, else the overview for a job of several "+
		"nodes)", func(c *config.Config) *string { return &c.View }),
	"monitor": text("GPUs above the processes on their page: `MODE` is auto (where there is room), full or compact "+
		"(never); also -m", func(c *config.Config) *string { return &c.Monitor }),
	"colors": text("color `MODE`: job (amber = warning) or classic (green, yellow from 60%, red from 85%); default: "+
		"last choice", func(c *config.Config) *string { return &c.Colors }),
	"gpu-util-thresh": func(f *pflag.FlagSet, name string, _ *Program) {
		f.String(name, "60,85", "`LOW,HIGH`: from which utilization the classic colors are yellow and "+
			"red; also LOW HIGH, as nvitop takes it")
	},
	"mem-util-thresh": func(f *pflag.FlagSet, name string, _ *Program) {
		f.String(name, "", "`LOW,HIGH`: the same for GPU memory, which has no levels otherwise")
	},
	"theme": text("colors and background: `THEME` is auto, dark, light, high-contrast, colorblind or mono",
		func(c *config.Config) *string { return &c.Theme }),
	"ascii": truth("draw with ASCII characters only; --ascii=false overrides what TERM and the locale suggest",
		func(c *config.Config) *bool { return &c.ASCII }),
	"readonly": truth("send no signal to a process and cancel no job, whatever is pressed",
		func(c *config.Config) *bool { return &c.ReadOnly }),
	"log": text("append a log to `FILE`: attempts, failures, SLURM's answers, never what the other side said",
		func(c *config.Config) *string { return &c.Log }),
}

// FirstSample is the flag for output a second earlier.
const FirstSample = "first-sample"

// NodeFlags are the flags of commands about the GPUs of nodes.
var NodeFlags = []string{"nodes", "login", "transport", "timeout", FirstSample, "ascii", "demo"}

// JobFlag adds the flag that chooses the nodes of a job.
func JobFlag(f *pflag.FlagSet, p *Program) {
	f.StringVar(&p.Config.Job, "job", "", "the nodes of the job `ID`, and its GPUs only")
}

func text(usage string, at func(*config.Config) *string) flag {
	return func(f *pflag.FlagSet, name string, p *Program) {
		f.StringVar(at(&p.Config), name, *at(&p.Config), usage)
	}
}

func truth(usage string, at func(*config.Config) *bool) flag {
	return func(f *pflag.FlagSet, name string, p *Program) { f.BoolVar(at(&p.Config), name, false, usage) }
}

// valueWords describe the values of flags by type.
var valueWords = map[string]string{
	"duration": "a time with a unit, e.g. 15s or 2m", "bool": "true or false", "int": "a whole number",
	"float64": "a number", "stringSlice": "a list with commas",
}

// FlagError explains a wrong flag or a wrong value, without the words of Go's parsers.
func FlagError(err error) error {
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		flag := bad.GetFlag()
		_, whole := strconv.ParseInt(bad.GetValue(), 0, 0)
		_, number := strconv.ParseFloat(bad.GetValue(), 64)
		if errors.Is(whole, strconv.ErrRange) || errors.Is(number, strconv.ErrRange) { // pflag hides the range
			return fmt.Errorf("--%s is out of range: %q", flag.Name, bad.GetValue())
		}
		if words := valueWords[flag.Value.Type()]; words != "" {
			return fmt.Errorf("--%s must be %s, not %q", flag.Name, words, bad.GetValue())
		}
	}
	return fmt.Errorf("%s (nvnodetop --help lists the flags)", strings.TrimSuffix(err.Error(), "."))
}
