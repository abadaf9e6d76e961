package app

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
)

// Widths of the help, and of the flags in it: terminals have 80 columns.
const (
	helpWidth = 80
	flagWidth = 28
)

// flagGroup is a heading of the help with its flags. Flags in no group come first, under the heading Flags.
type flagGroup struct {
	heading string
	flags   []string
}

// groups are the groups of flags, in order. An empty heading is for flags that are in no other group.
var groups = []flagGroup{
	{heading: "Flags"},
	{"What is shown", []string{"nodes", "job", "demo", "user", "pid", "compute", "only-compute", "graphics",
		"only-graphics", "only", "only-visible"}},
	{"How nodes are reached", []string{"login", "transport", "timeout"}},
	{"Print once", []string{"once", "plain", "json", "first-sample", "max-age", "force-color"}},
	{"Look", cli.LookFlags},
	{"Other", []string{"readonly", "log", "help", "version"}},
}

// more is the end of the program's help.
const more = `
Keys:           ? on the screen lists those of the page
Settings:       nvnodetop config prints them, with the files they come from:
                ~/.config/nvnodetop/config.toml, /etc/nvnodetop/config.toml
Exit codes:     of --once, --plain and --json: 0 every node and GPU reports,
                1 a node or a GPU of a job does not or a problem is critical,
                2 invalid arguments, 3 no running job or no answer from SLURM
Documentation:  https://github.com/nvnodetop/nvnodetop/tree/main/docs
`

// last is the last line of the program's help.
const last = "\nnvnodetop COMMAND --help tells more about a command.\n"

// atSite returns the line about the help that the admins name; "": they name none, or a file of settings has a mistake.
func atSite() string {
	p := cli.New(cli.Streams{}, pflag.NewFlagSet("", pflag.ContinueOnError))
	if _, err := p.Load(); err != nil || p.Config.HelpURL == "" {
		return ""
	}
	return "Your site:      " + p.Config.HelpURL + "\n"
}

// printUsage prints cobra's usage, with flags in groups and fitted to the width. It uses no template: with
// text/template, the linker would keep every method. That adds 3 MB, also to each probe.
func printUsage(c *cobra.Command) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage:\n  %s\n", c.UseLine())
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "  %s COMMAND [flags]\n", c.CommandPath())
	}
	if len(c.Aliases) > 0 {
		fmt.Fprintf(&b, "\nAliases:\n  %s\n", c.NameAndAliases())
	}
	if c.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", c.Example)
	}
	for _, group := range c.Groups() {
		fmt.Fprintf(&b, "\n%s:\n", group.Title)
		for _, command := range c.Commands() {
			if command.GroupID == group.ID && !command.Hidden {
				fmt.Fprintf(&b, "  %-*s %s\n", command.NamePadding(), command.Name(), command.Short)
			}
		}
	}
	for _, g := range groups {
		g.printFlags(&b, c.LocalFlags())
	}
	if c.HasAvailableSubCommands() {
		b.WriteString(more + atSite() + last)
	}
	_, err := io.WriteString(c.OutOrStderr(), b.String())
	return err
}

// printFlags prints those flags of the group that a command has.
func (g *flagGroup) printFlags(b *strings.Builder, of *pflag.FlagSet) {
	flags := g.flagsOf(of)
	if len(flags) > 0 {
		fmt.Fprintf(b, "\n%s:\n", g.heading)
	}
	for _, f := range flags {
		printFlag(b, f)
	}
}

// flagsOf returns those flags of the group that a command has, in their order.
func (g *flagGroup) flagsOf(all *pflag.FlagSet) (flags []*pflag.Flag) {
	all.VisitAll(func(f *pflag.Flag) {
		home := slices.IndexFunc(groups, func(g flagGroup) bool { return slices.Contains(g.flags, f.Name) })
		if !f.Hidden && groups[max(home, 0)].heading == g.heading {
			flags = append(flags, f)
		}
	})
	slices.SortStableFunc(flags, func(a, b *pflag.Flag) int {
		return cmp.Compare(slices.Index(g.flags, a.Name), slices.Index(g.flags, b.Name))
	})
	return flags
}

// printFlag prints a flag, with its text next to it or below it.
func printFlag(b *strings.Builder, f *pflag.Flag) {
	value, words := describeFlag(f)
	left := "      --" + f.Name + value
	if f.Shorthand != "" {
		left = "  -" + f.Shorthand + ", --" + f.Name + value
	}
	for _, line := range draw.Wrap(words, helpWidth-flagWidth-2, "") {
		if len(left) > flagWidth {
			b.WriteString(left + "\n")
			left = ""
		}
		fmt.Fprintf(b, "%-*s  %s\n", flagWidth, left, line)
		left = ""
	}
}

// describeFlag returns the value of a flag as it stands behind the name, and the flag's text with its default.
func describeFlag(f *pflag.Flag) (value, words string) {
	value, words = pflag.UnquoteUsage(f)
	switch {
	case f.Value.Type() == "bool":
		value = ""
	case f.NoOptDefVal != "":
		value = "[=" + value + "]"
	default:
		value = " " + value
	}
	switch f.DefValue {
	case "", "false", "0", "0s", "[]":
	case ",":
		words += ` (default ",")`
	default:
		words += " (default " + f.DefValue + ")"
	}
	return value, words
}

// printHelp prints the text of --help for a command, given by its names. all includes the rare commands.
func printHelp(root *cobra.Command, names []string, all bool) error {
	for _, command := range root.Commands() {
		command.Hidden = command.Hidden && !all
	}
	cmd, rest, err := root.Find(names)
	if err != nil || len(rest) > 0 {
		return noCommand(root, strings.Join(names, " "))
	}
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	return cmd.Help()
}
