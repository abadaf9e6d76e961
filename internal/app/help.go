package app

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
)

// helpWidth is the width of the help: terminals have 80 columns.
const helpWidth = 80

// usage prints cobra's usage, with flags that fit the width. It uses no template: with text/template the linker keeps
// every method, 3 MB that a probe pays for too.
func usage(c *cobra.Command) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage:\n  %s\n", c.UseLine())
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "  %s [command]\n", c.CommandPath())
	}
	if len(c.Aliases) > 0 {
		fmt.Fprintf(&b, "\nAliases:\n  %s\n", c.NameAndAliases())
	}
	if c.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", c.Example)
	}
	if c.HasAvailableSubCommands() {
		b.WriteString("\nAvailable Commands:\n")
		for _, command := range c.Commands() {
			fmt.Fprintf(&b, "  %-*s %s\n", command.NamePadding(), command.Name(), command.Short)
		}
	}
	fmt.Fprintf(&b, "\nFlags:\n%s", c.LocalFlags().FlagUsagesWrapped(helpWidth))
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\nUse \"%s [command] --help\" for more information about a command.\n", c.CommandPath())
	}
	_, err := io.WriteString(c.OutOrStderr(), b.String())
	return err
}

// help prints the text of --help after the names of a command.
func help(root *cobra.Command, names []string) error {
	cmd, rest, err := root.Find(names)
	if err != nil || len(rest) > 0 {
		return cli.Usage("no command %q (nvnodetop --help lists them)", strings.Join(names, " "))
	}
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	return cmd.Help()
}
