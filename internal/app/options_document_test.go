package app

import (
	"cmp"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/test/golden"
)

// Each page has what the help says: its words in DESCRIPTION, the flags in OPTIONS, and its examples.
func TestPagesHaveTheHelp(t *testing.T) {
	root := newCommand(cli.Streams{})
	for _, c := range append([]*cobra.Command{root}, root.Commands()...) {
		path := "../../docs/commands/" + c.Name() + ".md"
		if _, err := os.Stat(path); err == nil { // TestEachCommandHasAPage names those without
			golden.Between(t, path, "\n## DESCRIPTION\n\n", "\n### ", cmp.Or(c.Long, c.Short)+"\n")
			golden.Between(t, path, "\n## OPTIONS\n\n", "\n## EXIT STATUS\n", optionsTable(c))
			if c.Example != "" {
				golden.Between(t, path, "\n## EXAMPLES\n\n```\n", "```\n",
					strings.ReplaceAll("\n"+c.Example+"\n", "\n  ", "\n")[1:])
			}
		}
	}
}

// Each shared flag has its place in the help.
func TestFlagsHaveAHeading(t *testing.T) {
	for _, name := range cli.Shared() {
		if !slices.ContainsFunc(groups, func(g flagGroup) bool { return slices.Contains(g.flags, name) }) {
			t.Errorf("--%s has no heading in --help: add it to DrawFlags (cli/flags.go) if it changes what the "+
				"screens and --once draw, to LookFlags if only the screens, otherwise to groups (help.go)", name)
		}
	}
}

// A flag that has the name of a setting is the shared one, which sets it and says where it is from. Only these ask for
// something that the setting of their name allows.
func TestFlagsOfSettingsAreShared(t *testing.T) {
	allowed := []string{"record", "logs"}
	for _, c := range newCommand(cli.Streams{}).Commands() {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if config.IsSetting(f.Name) && !slices.Contains(slices.Concat(cli.Shared(), allowed), f.Name) {
				t.Errorf("%s --%s is a flag of its own, and %[2]s a setting: give it a row of flags (cli/flags.go), "+
					"or another name", c.Name(), f.Name)
			}
		})
	}
}

// optionsTable returns the flags of a command, in the order of the help.
func optionsTable(c *cobra.Command) string {
	var b strings.Builder
	for i := range groups {
		for _, f := range groups[i].flagsOf(c.LocalFlags()) {
			value, words := describeFlag(f)
			names := "`--" + f.Name + value + "`"
			if f.Shorthand != "" {
				names = "`-" + f.Shorthand + "`, " + names
			}
			b.WriteString("| " + names + " | " + strings.ReplaceAll(words, "|", `\|`) + " |\n")
		}
	}
	if b.Len() == 0 {
		return "None.\n"
	}
	return "| option | |\n|---|---|\n" + b.String()
}
