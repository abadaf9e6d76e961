package app

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/test/apptest"
	"github.com/nvnodetop/nvnodetop/test/stubs"
)

// tab is what a shell has split a line into, and what is expected of a TAB at its end.
type tab struct {
	line  string   // bash splits it again
	words []string // as the shell has them
	asked string   // the arguments of the program
	shown string   // by bash
}

// The stub of the program answers every question with these.
const answers = "48211\ttrain\n48213\tit's $(touch PWNED)\n:4\n"

var tabs = []tab{
	{"nvnodetop logs ", []string{"nvnodetop", "logs", ""}, "__complete|logs||",
		"48211  (train)|48213  (it's $(touch PWNED))|"},
	{"nvnodetop logs $(touch PWNED) 48213", []string{"nvnodetop", "logs", "$(touch PWNED)", "48213"},
		"__complete|logs|$(touch PWNED)|48213|", "48213|"},
	{"nvnodetop logs `touch PWNED` ", []string{"nvnodetop", "logs", "`touch PWNED`", ""},
		"__complete|logs|`touch PWNED`||", "48211  (train)|48213  (it's $(touch PWNED))|"},
	{"nvnodetop logs;touch${IFS}PWNED ", []string{"nvnodetop", "logs;touch${IFS}PWNED", ""},
		"__complete|logs;touch${IFS}PWNED||", "48211  (train)|48213  (it's $(touch PWNED))|"},
	{"nvnodetop 'logs' \"482", []string{"nvnodetop", "'logs'", "\"482"}, "__complete|logs|482|", ""},
	{"nvnodetop --job=48211", []string{"nvnodetop", "--job", "=", "48211"}, "__complete|--job=48211|", "48211|"},
	{"nvnodetop --job=$(touch PWNED)=4821", []string{"nvnodetop", "--job", "=", "$(touch PWNED)", "=", "4821"},
		"__complete|--job=$(touch PWNED)=4821|", ""},
	{"nvnodetop --nodes a:b  4821", []string{"nvnodetop", "--nodes", "a", ":", "b", "4821"},
		"__complete|--nodes|a:b|4821|", "48211  (train)|48213  (it's $(touch PWNED))|"},
}

// complete runs a script in a shell, beside a stub of the program, and returns its output and the stub's arguments.
func complete(t *testing.T, shell, script string, args ...string) (out, asked string) {
	t.Helper()
	path, err := exec.LookPath(shell)
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	code, text, _ := apptest.Run(t, "completion", shell)
	if err := os.WriteFile(filepath.Join(dir, "script"), []byte(text), 0o600); err != nil || code != 0 {
		t.Fatal(err, code)
	}
	stubs.Write(t, dir, "nvnodetop", "printf '%s|' \"$@\" > "+dir+"/asked\ncat <<'END'\n"+answers+"END")
	cmd := exec.CommandContext(t.Context(), path, append(args, "-c", script)...)
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + dir + ":/usr/bin:/bin", "HOME=" + dir, "COLUMNS=80"}
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v: %s", err, said)
	}
	if _, err := os.Stat(filepath.Join(dir, "PWNED")); err == nil {
		t.Errorf("what was typed has run: %s", script)
	}
	words, _ := os.ReadFile(filepath.Join(dir, "asked"))
	return string(said), string(words)
}

// quoted are words for a shell.
func quoted(words []string) string {
	list := make([]string, len(words))
	for i, word := range words {
		list[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return strings.Join(list, " ")
}

// TAB evaluates nothing that was typed, needs no package bash-completion, and completes as ever.
func TestTabInBash(t *testing.T) {
	t.Parallel()
	for _, tc := range tabs {
		out, asked := complete(t, "bash", ". ./script; COMP_WORDS=("+quoted(tc.words)+"); COMP_LINE="+
			quoted([]string{tc.line})+"; COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_POINT=${#COMP_LINE} COMP_TYPE=9; "+
			"compopt() { :; }; __start_nvnodetop; ((${#COMPREPLY[@]} == 0)) || printf '%s|' \"${COMPREPLY[@]}\"",
			"--norc")
		if asked != tc.asked || out != tc.shown {
			t.Errorf("%s: %q is asked, want %q; %q is shown, want %q", tc.line, asked, tc.asked, out, tc.shown)
		}
	}
}

// Recordings are completed without the package bash-completion, too.
func TestTabForFiles(t *testing.T) {
	t.Parallel()
	out, _ := complete(t, "bash", `. ./script; mkdir dir; : > "a b.nvr"; : > c.txt; compopt() { :; }; cur=
COMPREPLY=(); __nvnodetop_files "nvr|"; cur='$(touch PWNED)'; __nvnodetop_files "nvr|"; printf '%s|' "${COMPREPLY[@]}"`,
		"--norc")
	if out != "dir|a b.nvr|" {
		t.Errorf("%q", out)
	}
}

func TestTabInZsh(t *testing.T) {
	t.Parallel()
	for _, tc := range tabs {
		words := joined(tc)
		out, asked := complete(t, "zsh", "compdef() { : }; _describe() { print -r -- $completions }; . ./script; words=("+
			quoted(words)+"); CURRENT=${#words}; _nvnodetop", "-f")
		asked = strings.ReplaceAll(asked, `"`, "") // zsh keeps a quote that is open
		if want := spaced(tc.asked); spaced(asked) != want || !strings.Contains(out, "48211:train") {
			t.Errorf("%s: %q is asked, want %q; %q", tc.line, asked, want, out)
		}
	}
}

// joined are the words of a line as zsh and fish have them: not split at "=" and ":".
func joined(tc tab) (words []string) {
	line := tc.line
	for i, word := range tc.words {
		rest := strings.TrimLeft(line, " ")
		if i > 0 && rest == line && line != "" {
			words[len(words)-1] += word
		} else {
			words = append(words, word)
		}
		line = strings.TrimPrefix(rest, word)
	}
	return words
}

// spaced are arguments that zsh has split at spaces.
func spaced(asked string) string { return strings.ReplaceAll(asked, " ", "|") }

func TestTabInFish(t *testing.T) {
	t.Parallel()
	for _, tc := range tabs {
		words := joined(tc)
		last := len(words) - 1
		script := "function commandline; switch $argv[1]; case -opc; printf '%s\\n' " + fish(words[:last]) +
			"; case '*'; printf '%s\\n' " + fish(words[last:]) + "; end; end; source script; __nvnodetop_perform_completion"
		out, asked := complete(t, "fish", script, "--no-config")
		if asked != tc.asked || !strings.Contains(out, "48211\ttrain") {
			t.Errorf("%s: %q is asked, want %q; %q", tc.line, asked, tc.asked, out)
		}
	}
}

// fish are words for fish.
func fish(words []string) string {
	list := make([]string, len(words))
	for i, word := range words {
		list[i] = "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(word) + "'"
	}
	return strings.Join(list, " ")
}
