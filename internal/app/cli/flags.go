package cli

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/config"
)

// flag adds the flag of a setting to a command.
type flag func(f *pflag.FlagSet, name string, p *Program)

// flags are the flags of several commands, by name. The program without a command has all of them.
var flags = map[string]flag{
	"demo": func(f *pflag.FlagSet, name string, p *Program) {
		f.StringVar(&p.Config.Demo, name, "",
			"simulate a cluster of `NODESxGPUS` GPUs, such as 64x8")
		f.Lookup(name).NoOptDefVal = config.DefaultDemo
	},
	"nodes": stringFlag("these `HOSTS`, such as a,b[1-3], without asking SLURM; http://a:1080 runs the nvgpu agent",
		func(c *config.Config) *string { return &c.Nodes }),
	"transport": stringFlag("reach nodes through `NAME` only: ssh, control (your ControlMaster), openssh (your ssh "+
		"program), srun (a step of the job) or local (this host); auto finds a way",
		func(c *config.Config) *string { return &c.Transport }),
	"login": stringFlag("work from your own computer: ask SLURM on the login node `[USER@]HOST`, and reach the nodes "+
		"through it",
		func(c *config.Config) *string { return &c.Login }),
	"timeout": func(f *pflag.FlagSet, name string, p *Program) {
		f.DurationVar(&p.Config.Timeout, name, p.Config.Timeout, "the longest `TIME` to wait for nodes and SLURM")
	},
	FirstSample: func(f *pflag.FlagSet, name string, p *Program) {
		f.BoolVar(&p.FirstSample, name, false, "print the first sample of each node, a second earlier: without "+
			"rates and without problems that show in two samples")
	},
	MaxAge: func(f *pflag.FlagSet, name string, p *Program) {
		f.DurationVar(&p.MaxAge, name, 0, "take SLURM's last answer if it is younger than `TIME`, such as 30s, and "+
			"otherwise ask SLURM, and keep the answer")
	},
	"view": stringFlag("`PAGE` to start with: node, overview or auto (your last choice, else the overview if the job has "+
		"several nodes)", func(c *config.Config) *string { return &c.View }),
	"keys": stringFlag("`KEYS` is usual (each key has one meaning), or nvitop (its keys on the page of processes)",
		func(c *config.Config) *string { return &c.Keys }),
	"monitor": stringFlag("show GPUs above the processes on their page: `MODE` is auto (if there is room), full or "+
		"compact (never)", func(c *config.Config) *string { return &c.Monitor }),
	"colors": stringFlag("color `MODE`: job (amber = warning) or classic (green, yellow, red by utilization); default: "+
		"your last choice", func(c *config.Config) *string { return &c.Colors }),
	"gpu-util-thresh": func(f *pflag.FlagSet, name string, _ *Program) {
		f.String(name, "60,85", "`LOW,HIGH` or LOW HIGH: percent of utilization from which classic "+
			"colors are yellow and red")
	},
	"mem-util-thresh": func(f *pflag.FlagSet, name string, _ *Program) {
		f.String(name, "", "the same `LOW,HIGH` for GPU memory (default 60,85)")
	},
	"theme": stringFlag("colors and background: `THEME` is auto, dark, light, high-contrast, colorblind or mono",
		func(c *config.Config) *string { return &c.Theme }),
	"ascii": boolFlag("draw with ASCII characters only; --ascii=false overrides TERM and the locale",
		func(c *config.Config) *bool { return &c.ASCII }),
	"readonly": boolFlag("disable signals, renice and scancel",
		func(c *config.Config) *bool { return &c.ReadOnly }),
	"log": stringFlag("append a log of attempts, failures and SLURM's answers to `FILE`, but never remote output",
		func(c *config.Config) *string { return &c.Log }),
}

// FirstSample is the flag that makes output appear a second earlier.
const FirstSample = "first-sample"

// MaxAge is the flag for output that is printed often: then SLURM is not asked every time.
const MaxAge = "max-age"

// DrawFlags are the flags about what is drawn, on the screens and by --once.
var DrawFlags = []string{"theme", "colors", "gpu-util-thresh", "mem-util-thresh", "ascii"}

// LookFlags are the flags about the look of the screens.
var LookFlags = append([]string{"view", "keys", "monitor"}, DrawFlags...)

// NodeFlags are the flags of commands about the GPUs of nodes.
var NodeFlags = []string{"nodes", "login", "transport", "timeout", FirstSample, MaxAge, "ascii", "demo"}

// JobFlag adds the flag that chooses the nodes of a job.
func JobFlag(f *pflag.FlagSet, p *Program) {
	f.StringVar(&p.Config.Job, "job", "", "the nodes of the job `ID`, and its GPUs only")
}

func stringFlag(usage string, at func(*config.Config) *string) flag {
	return func(f *pflag.FlagSet, name string, p *Program) {
		f.StringVar(at(&p.Config), name, *at(&p.Config), usage)
	}
}

func boolFlag(usage string, at func(*config.Config) *bool) flag {
	return func(f *pflag.FlagSet, name string, p *Program) { f.BoolVar(at(&p.Config), name, false, usage) }
}

// valueWords describe the values of flags by type.
var valueWords = map[string]string{
	"duration": "a time with a unit, e.g. 15s or 2m", "bool": "true or false", "int": "a whole number",
	"float64": "a number", "stringSlice": "a list with commas",
}

// rule is the annotation of a flag with its valid values, in words.
const rule = "rule"

// Rule says which values of a flag are valid, with an example, for errors: "a whole number from 1 to 366, such as 30".
func Rule(f *pflag.FlagSet, name, words string) {
	flag := f.Lookup(name)
	if flag.Annotations == nil {
		flag.Annotations = map[string][]string{}
	}
	flag.Annotations[rule] = []string{words}
}

// BrokenRule is the error of a number that breaks the Rule of its flag.
func (p *Program) BrokenRule(name string, value int) error {
	return fmt.Errorf("--%s must be %s, not %d", name, p.flags.Lookup(name).Annotations[rule][0], value)
}

// wrongValue explains a wrong value of a flag; nil: there is nothing to add.
func wrongValue(c *cobra.Command, bad *pflag.InvalidValueError) error {
	flag := bad.GetFlag()
	if words := flag.Annotations[rule]; len(words) > 0 {
		return fmt.Errorf("--%s must be %s, not %q", flag.Name, words[0], bad.GetValue())
	}
	_, whole := strconv.ParseInt(bad.GetValue(), 0, 0)
	_, number := strconv.ParseFloat(bad.GetValue(), 64)
	if errors.Is(whole, strconv.ErrRange) || errors.Is(number, strconv.ErrRange) { // pflag hides the range
		return fmt.Errorf("--%s is out of range: %q", flag.Name, bad.GetValue())
	}
	if words := valueWords[flag.Value.Type()]; words != "" {
		hint := ""
		if c.Name() == c.Root().Name() && flag.Name == "json" {
			hint = ": nvnodetop list --json=gpustat prints the JSON of gpustat"
		}
		return fmt.Errorf("--%s must be %s, not %q%s", flag.Name, words, bad.GetValue(), hint)
	}
	return nil
}
