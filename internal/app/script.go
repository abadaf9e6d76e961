package app

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// scriptChange is a replacement in a script of cobra. Its scripts evaluate what the user has typed: a "$(…)" would run
// when TAB is pressed.
type scriptChange struct{ cobra, ours string }

// bashFiles are functions for a bash without the package bash-completion.
//
//go:embed bash.sh
var bashFiles string

var bashChanges = []scriptChange{
	{"__nvnodetop_init_completion()\n", bashFiles + "\n__nvnodetop_init_completion()\n"},
	{"_get_comp_words_by_ref \"$@\" cur prev words cword\n", "__nvnodetop_split\n"},
	{"    # Use eval to handle any environment variables and such\n    out=$(eval \"${requestComp}\" 2>/dev/null)\n",
		"    out=$(__nvnodetop_ask 2>/dev/null)\n"},
	{"filteringCmd=\"_filedir $fullFilter\"", "filteringCmd=\"__nvnodetop_files $fullFilter\""},
}

var zshChanges = []scriptChange{
	{"    # Use eval to handle any environment variables and such\n    out=$(eval ${requestComp} 2>/dev/null)\n",
		"    # Nothing that was typed is evaluated: only its quotes are taken off.\n" +
			"    out=$(\"${(Q)words[1]/#\\~\\//$HOME/}\" __complete \"${(@Q)words[2,-1]}\" 2>/dev/null)\n"},
	{`=~ '-.*=' ]]`, `=~ '^-[A-Za-z0-9-]*=' ]]`}, // part of it goes through an eval
}

var fishChanges = []scriptChange{
	{"    set -l results (eval $requestComp 2> /dev/null)\n",
		`    # Nothing that was typed is evaluated: only quotes and backslashes are taken off.
    set -l words (string replace -ra -- '["\'\\\\]' '' $args (commandline -ct))
    set -l program (string replace -r -- '^~/' "$HOME/" $words[1])
    set -l results (env NVNODETOP_ACTIVE_HELP=0 $program __complete $words[2..-1] 2> /dev/null)
`},
}

// writeScript writes the script of a shell.
func writeScript(root *cobra.Command, shell string, to io.Writer) error {
	var b bytes.Buffer
	generate := func() error { return root.GenBashCompletionV2(&b, true) }
	changes := bashChanges
	switch shell {
	case "zsh":
		generate, changes = func() error { return root.GenZshCompletion(&b) }, zshChanges
	case "fish":
		generate, changes = func() error { return root.GenFishCompletion(&b, true) }, fishChanges
	}
	if err := generate(); err != nil {
		return err
	}
	text := b.String()
	for _, c := range changes {
		if strings.Count(text, c.cobra) != 1 {
			return fmt.Errorf("the script of cobra for %s has not %q once", shell, c.cobra)
		}
		text = strings.Replace(text, c.cobra, c.ours, 1)
	}
	_, err := io.WriteString(to, text)
	return err
}
