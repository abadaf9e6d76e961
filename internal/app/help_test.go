package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/test/apptest"
	"github.com/nvnodetop/nvnodetop/test/golden"
)

// commandNames are the names of the commands.
func commandNames() (names []string) {
	for _, row := range commands {
		names = append(names, row.make(cli.Streams{}).Name())
	}
	return names
}

// The help of each command fits a terminal.
func TestHelpFits(t *testing.T) {
	t.Parallel()
	for _, command := range append([]string{""}, commandNames()...) {
		_, out, _ := apptest.Run(t, append(strings.Fields(command), "--help")...)
		for line := range strings.Lines(out) {
			if w := draw.Width(strings.TrimSuffix(line, "\n")); w > 100 {
				t.Errorf("%s --help: %d columns: %s", command, w, line)
			}
		}
		if strings.Count(out, "\n") < 10 {
			t.Errorf("%s --help: %s", command, out)
		}
	}
}

// The help has few commands, each in one of few groups.
func TestCommandsAreInGroups(t *testing.T) {
	t.Parallel()
	var usual []string
	for _, row := range commands {
		if !row.rare {
			usual = append(usual, row.make(cli.Streams{}).Name())
		}
	}
	listed(t, []string{"--help"}, usual)
	listed(t, []string{"help", "--all"}, commandNames())
	if len(usual)+1 > 15 {
		t.Errorf("%d commands and help: want at most 15", len(usual))
	}
}

// listed checks the commands that a help lists.
func listed(t *testing.T, args, want []string) {
	t.Helper()
	_, out, _ := apptest.Run(t, args...)
	groups, names, group := 0, []string{}, ""
	for line := range strings.Lines(out) {
		switch {
		case strings.HasPrefix(line, "Commands "):
			group = line
			groups++
		case !strings.HasPrefix(line, "  "):
			group = ""
		case group != "":
			names = append(names, strings.Fields(line)[0])
		}
	}
	want = append(want, "help")
	slices.Sort(want)
	found := slices.Sorted(slices.Values(names))
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("commands of --help (-want +got):\n%s\n%s", diff, out)
	}
	if groups != 5 {
		t.Errorf("%d groups: want 5:\n%s", groups, out)
	}
}

// Each command has a page, and all pages have the same sections. The first section matches the help.
func TestEachCommandHasAPage(t *testing.T) {
	t.Parallel()
	sections := []string{"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "EXAMPLES"}
	shorts := map[string]string{"nvnodetop": ""}
	for _, row := range commands {
		c := row.make(cli.Streams{})
		shorts[c.Name()] = c.Short
	}
	pages, err := filepath.Glob("../../docs/commands/*.md")
	if err != nil || len(pages) != len(shorts) {
		t.Errorf("%d pages for %d commands, %v", len(pages), len(shorts), err)
	}
	for name, short := range shorts {
		text, err := os.ReadFile("../../docs/commands/" + name + ".md")
		if err != nil {
			t.Error(err)
			continue
		}
		var found []string
		for line := range strings.Lines(string(text)) {
			if heading, is := strings.CutPrefix(line, "## "); is {
				found = append(found, strings.TrimSpace(heading))
			}
		}
		if diff := cmp.Diff(sections, found); diff != "" {
			t.Errorf("%s.md has other sections (-want +got):\n%s", name, diff)
		}
		if short != "" && !strings.Contains(string(text), "\nnvnodetop "+name+" - "+short+"\n") {
			t.Errorf("%s.md: NAME is not %q", name, short)
		}
	}
}

// The page of the program has the commands in the order of the help. Two other pages lead to each command.
func TestPagesListTheCommands(t *testing.T) {
	var table strings.Builder
	for _, row := range commands {
		c := row.make(cli.Streams{})
		table.WriteString("| [`" + c.Name() + "`](" + c.Name() + ".md) | " + c.Short + " |\n")
		for path, dir := range map[string]string{"README.md": "docs/commands/", "docs/README.md": "commands/"} {
			if !strings.Contains(document(t, path), "]("+dir+c.Name()+".md)") {
				t.Errorf("%s does not lead to the page of %s", path, c.Name())
			}
		}
	}
	golden.Between(t, "../../docs/commands/nvnodetop.md", "\n| command | |\n|---|---|\n", "| `help` |", table.String())
}

func document(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile("../../" + path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The help names the address that the admins chose, whatever the user's file says, and comes in spite of a mistake in a
// file.
func TestTheHelpOfTheSite(t *testing.T) {
	for _, test := range []struct{ system, user, line string }{
		{"", "", ""},
		{"help_url = 'https://docs.example.org/gpu'", "", "Your site:      https://docs.example.org/gpu\n"},
		{"help_url = 'mailto:gpu@example.org'", "help_url = 'https://x.org'", "Your site:      mailto:gpu@example.org\n"},
		{"help_url = 'https://docs.example.org/gpu'\ntheme = 7", "", ""},
	} {
		apptest.WithSettings(t, test.system, test.user)
		code, out, errs := apptest.Run(t, "--help")
		if code != cli.ExitOK || errs != "" || strings.Count(out, "Your site:") != strings.Count(test.line, ":  ") ||
			!strings.Contains(out, test.line) {
			t.Errorf("%+v: exit code %d, stderr %q\n%s", test, code, errs, out)
		}
	}
	for _, wrong := range []string{"docs.example.org", "javascript:alert(1)", "https://", "https://a b"} {
		system, _ := apptest.WithSettings(t, "help_url = '"+wrong+"'", "")
		want := "nvnodetop: " + system + ":1: help_url must be an address that begins with https://, http:// or mailto:"
		if code, _, errs := apptest.Run(t, "--demo=1x1", "--json"); code != cli.ExitUsage || !strings.HasPrefix(errs, want) {
			t.Errorf("%s: exit code %d, stderr %q", wrong, code, errs)
		}
	}
}

// The older forms work, and the help shows the new one only.
func TestReportHasTakenThePlace(t *testing.T) {
	for command, gone := range map[string][]string{"track": {"--job "}, "replay": {"--report", "--job "}} {
		_, out, _ := apptest.Run(t, command, "--help")
		for _, flag := range gone {
			if strings.Contains(out, "  "+flag) {
				t.Errorf("%s --help has %s:\n%s", command, flag, out)
			}
		}
	}
	if !slices.Contains(commandNames(), "report") {
		t.Error("there is no report")
	}
}
