package app

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/test/apptest"
)

// example is a command line of a document that runs this program.
type example struct {
	where string // page:line
	args  []string
}

func (e example) String() string { return e.where + ": nvnodetop " + strings.Join(e.args, " ") }

// Every command line in the documents is one that the program accepts.
func TestExamplesAreAccepted(t *testing.T) {
	found := allExamples(t)
	none := withoutSettings(t)
	for _, e := range found {
		root := newCommand(cli.Streams{In: os.Stdin, Out: os.Stdout, Err: none})
		doNothing(root)
		root.SetOut(none)
		root.SetErr(none)
		root.SetArgs(rewriteArgs(ofVersion(root, e.args)))
		if err := root.ExecuteContext(t.Context()); err != nil {
			t.Errorf("%v\n%v", e, err)
		}
	}
	if len(found) < 150 {
		t.Errorf("only %d command lines in all documents", len(found))
	}
}

// Those that print once run, on the cluster of the demo if they would ask SLURM.
func TestExamplesRun(t *testing.T) {
	ran, found := map[string]bool{}, allExamples(t)
	withoutSettings(t)
	for _, e := range found {
		args, can := runnable(e.args)
		if key := strings.Join(args, " "); !can || ran[key] {
			continue
		} else {
			ran[key] = true
		}
		t.Run(e.where, func(t *testing.T) {
			t.Parallel()
			code, _, errs := apptest.Process(t, []string{"XDG_CONFIG_HOME=" + t.TempDir()}, args...)
			if code > cli.ExitFailed || code == cli.ExitFailed && errs == "" {
				t.Errorf("%v: exit code %d, stderr %q", e, code, errs)
			}
		})
	}
	if len(ran) < 20 {
		t.Errorf("only %d command lines run", len(ran))
	}
}

// withoutSettings goes to a directory with the files that examples read and without settings of the user who runs the
// tests, and returns a file for what nobody reads.
func withoutSettings(t *testing.T) *os.File {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	for _, name := range []string{".nvnodetop-token", "token"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("0123456789abcdef\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	none, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = none.Close() })
	return none
}

// doNothing lets commands check their arguments and then end.
func doNothing(c *cobra.Command) {
	if c.RunE != nil {
		c.RunE = func(*cobra.Command, []string) error { return nil }
	}
	for _, child := range c.Commands() {
		doNothing(child)
	}
}

// once are the flags with which a command prints once, by command; "": without a command.
var once = map[string][]string{"": {"--once", "--json"}, "snapshot": nil, "list": nil, "available": nil, "config": nil,
	"schema": nil, "help": nil}

// runnable returns the arguments of a command line that prints once and needs neither SLURM nor another host.
func runnable(args []string) ([]string, bool) {
	command := ""
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		command = args[0]
	}
	needed, known := once[command]
	for _, a := range args {
		flag, _, _ := strings.Cut(a, "=")
		if slices.Contains([]string{"--nodes", "--login", "--job", "--transport", "--interval", "--watch", "-ov", "-u", "-p",
			"--cluster", "--log", "--demo", "--inherit", "-i"}, flag) {
			return nil, false
		}
	}
	if !known || needed != nil && !slices.ContainsFunc(args, func(a string) bool { return slices.Contains(needed, a) }) {
		return nil, false
	}
	if command == "" || command == "snapshot" || command == "list" || command == "available" {
		args = append(slices.Clone(args), "--demo=2x4")
	}
	return args, true
}

// allExamples are the command lines in the fenced and indented blocks and in the words of all documents.
func allExamples(t *testing.T) (found []example) {
	t.Helper()
	pages := []string{"README.md", "CONTRIBUTING.md", "packaging/README.md"}
	for _, pattern := range []string{"docs/*.md", "docs/commands/*.md"} {
		more, err := filepath.Glob("../../" + pattern)
		if err != nil || len(more) == 0 {
			t.Fatalf("no page in %s, %v", pattern, err)
		}
		for _, path := range more {
			pages = append(pages, strings.TrimPrefix(path, "../../"))
		}
	}
	for _, page := range pages {
		found = append(found, examplesOf(page, document(t, page))...)
	}
	return found
}

var (
	codeSpan = regexp.MustCompile("`+([^`]+)`+")
	// standIns are words of examples that the reader replaces.
	standIns = strings.NewReplacer("$SLURM_JOB_ID", "48211", "$HOME", "/home/alice", "JOB", "48211", "NODE", "gpu01",
		"$name", "json", "<TAB>", "⇥", "~/", "", `\|`, "|")
)

// examplesOf returns the command lines of a page. The usage in SYNOPSIS is none, and neither is one with "…".
func examplesOf(page, text string) (found []example) {
	section, fenced, language := "", false, ""
	text = strings.ReplaceAll(text, "\\\n", "  \n") // the next line goes on, and its words are options
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "```"):
			fenced, language = !fenced, strings.TrimPrefix(line, "```")
		case !fenced && strings.HasPrefix(line, "## "):
			section = line
		case section == "## SYNOPSIS":
		case fenced && (language == "" || language == "sh" || language == "console"), strings.HasPrefix(line, "    "):
			found = append(found, commandsIn(page, n, line)...)
		case !fenced:
			for _, m := range codeSpan.FindAllStringSubmatch(line, -1) {
				if strings.HasPrefix(m[1], "nv") {
					found = append(found, mentioned(commandsIn(page, n, m[1]))...)
				}
			}
		}
	}
	return found
}

// mentioned lets the names of commands stand for their help: a sentence leaves out what they need.
func mentioned(found []example) []example {
	for i, e := range found {
		if len(e.args) == 1 && !strings.HasPrefix(e.args[0], "-") {
			found[i].args = append(e.args, "--help")
		}
	}
	return found
}

// commandsIn returns the commands of a line of a shell that are this program.
func commandsIn(page string, n int, line string) (found []example) {
	for _, words := range shellCommands(standIns.Replace(line)) {
		i := slices.IndexFunc(words, func(w string) bool { return slices.Contains(programNames, filepath.Base(w)) })
		if i < 0 || slices.Contains(others, words[0]) || strings.ContainsAny(strings.Join(words, " "), "…⇥") {
			continue
		}
		found = append(found, example{fmt.Sprintf("%s:%d", page, n), Called(words[i:])})
	}
	return found
}

var (
	programNames = []string{"nvnodetop", "nvl", "nvisel"}
	// others are commands with the name of this program among their arguments.
	others = []string{"ln", "pip", "pgrep", "module", "man"}
)

// shellCommands splits a line of a shell into commands, and these into words. Two spaces begin an explanation.
func shellCommands(line string) (commands [][]string) {
	var words []string
	word, quote, inWord, skip := "", rune(0), false, false
	endWord := func() {
		if inWord && !skip {
			words = append(words, word)
		}
		skip = skip && !inWord
		word, inWord = "", false
	}
	endCommand := func() {
		if endWord(); len(words) > 0 {
			commands = append(commands, words)
		}
		words, skip = nil, false
	}
	runes := []rune(strings.TrimLeft(line, " "))
	for i, r := range runes {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word += string(r)
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case r == '#' && !inWord, r == ' ' && i+1 < len(runes) && runes[i+1] == ' ':
			endCommand()
			return commands
		case r == ' ':
			endWord()
		case strings.ContainsRune("|&;()", r) && (i == 0 || runes[i-1] != '>'):
			endCommand()
		case r == '>' || r == '<': // the next word is a file
			if strings.Trim(word, "0123456789") == "" {
				word, inWord = "", false
			}
			endWord()
			skip = true
		default:
			word, inWord = word+string(r), true
		}
	}
	endCommand()
	return commands
}

// The reader of examples finds what a shell would run.
func TestShellCommands(t *testing.T) {
	for line, want := range map[string]string{
		`nvnodetop --nodes 'gpu[01-04],b'  these hosts`:                  `[[nvnodetop --nodes gpu[01-04],b]]`,
		`gpus=$(nvnodetop available -n 2) || exit 1     two, or the end`: `[[gpus=$] [nvnodetop available -n 2] [exit 1]]`,
		`nohup nvnodetop watch > news.txt 2>&1 &`:                        `[[nohup nvnodetop watch]]`,
		`nvnodetop --json | jq -r '.a | .b'   # later`:                   `[[nvnodetop --json] [jq -r .a | .b]]`,
	} {
		if got := fmt.Sprint(shellCommands(line)); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}
