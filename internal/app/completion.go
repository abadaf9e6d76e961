package app

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/config"
)

// completionName is the name of the command that prints the scripts. The help does not list it: packages install the
// scripts.
const completionName = "completion"

// flagsToComplete complete the values of flags that are not settings, by name of the flag.
var flagsToComplete = map[string]cobra.CompletionFunc{
	"job": completeJobs, "nodes": completeNodes,
}

// argumentsToComplete complete the arguments of commands, by name of the command.
var argumentsToComplete = map[string]cobra.CompletionFunc{
	"logs": completeFirst(completeJobs), "report": completeJobs, "watch": completeJobs,
	"stacks": completeFirst(completeRunning), "doctor": completeNodes,
	"replay": completeFirst(completeRecordings), "record": completeFirst(completeRecordings),
}

// addCompletion adds completion to the program and its commands.
func addCompletion(root *cobra.Command, io cli.Streams) {
	completeFlags(root)
	root.ValidArgsFunction = cobra.NoFileCompletions
	for _, command := range root.Commands() {
		completeFlags(command)
		if argument := argumentsToComplete[command.Name()]; argument != nil {
			command.ValidArgsFunction = argument
		}
	}
	root.AddCommand(scriptCommand(io))
}

// completeFlags completes the values of a command's flags.
func completeFlags(command *cobra.Command) {
	command.Flags().VisitAll(func(f *pflag.Flag) {
		completer := flagsToComplete[f.Name]
		if words := config.Words(strings.ReplaceAll(f.Name, "-", "_")); words != nil {
			completer = cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
		}
		if completer != nil {
			_ = command.RegisterFlagCompletionFunc(f.Name, completer) // fails only if there is no such flag
		}
	})
}

// completeFirst completes the first argument.
func completeFirst(first cobra.CompletionFunc) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return first(c, args, word)
	}
}

// completeRecordings completes files of recordings.
func completeRecordings(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return []cobra.Completion{"nvr"}, cobra.ShellCompDirectiveFilterFileExt
}

// scriptCommand is the command that prints the script of a shell.
func scriptCommand(io cli.Streams) *cobra.Command {
	shells := []string{"bash", "zsh", "fish"}
	return &cobra.Command{
		Use: completionName + " bash|zsh|fish", Short: "print the script with which a shell completes words", Hidden: true,
		ValidArgs: shells,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || !slices.Contains(shells, args[0]) {
				return cli.Usage("completion takes the name of a shell: bash, zsh or fish, not %q",
					strings.Join(args, " "))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			return cli.Failed(writeScript(c.Root(), args[0], io.Out))
		},
	}
}
