package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// named matches a test in a document: `internal/wire.TestSkipToMagicHasABudget`.
var named = regexp.MustCompile("`((?:internal|cmd|pkg|test)/[a-z0-9/-]+)\\.(Test\\w+)`")

// testCommand runs all tests.
const testCommand = "./scripts/test"

// Each line of the table of threats names the tests that prove it, and they exist.
func TestEveryThreatHasItsTests(t *testing.T) {
	everyRowHasItsTests(t, "docs/SECURITY.md", "| threat |", 20)
}

// Each promise names the tests that guard it, and they exist.
func TestEveryPromiseHasItsTests(t *testing.T) {
	everyRowHasItsTests(t, "docs/COMPATIBILITY.md", "| promise |", 15)
}

// README names what to run in a checkout, and what it takes. CI runs the same tests.
func TestReadmeNamesTheCommands(t *testing.T) {
	readme, run := text(t, "README.md"), text(t, ".ci/run")
	for _, line := range []string{"go run ./cmd/nvnodetop --demo  *# the first run compiles for about a minute",
		testCommand + "  *# all tests: about .* minutes"} {
		if !regexp.MustCompile(`(?m)^` + line).MatchString(readme) {
			t.Errorf("README.md has no line %q", line)
		}
	}
	if !strings.HasSuffix(run, "\nexec "+testCommand+"\n") {
		t.Errorf(".ci/run does not end with the command of README.md, %s:\n%s", testCommand, run)
	}
	if info, err := os.Stat("../../" + testCommand); err != nil || info.Mode()&0o111 == 0 {
		t.Errorf("%s is no program: %v", testCommand, err)
	}
}

// text returns the text of a file.
func text(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile("../../" + path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// everyRowHasItsTests reads the tables of a document, whose heads begin with a text.
func everyRowHasItsTests(t *testing.T, path, head string, least int) {
	t.Helper()
	rows := 0
	for line := range strings.Lines(text(t, path)) {
		tests := named.FindAllStringSubmatch(line, -1)
		if strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, head) {
			rows++
			if len(tests) == 0 {
				t.Errorf("%s names no test for: %s", path, line)
			}
		}
		for _, m := range tests {
			if !hasTest(t, m[1], m[2]) {
				t.Errorf("%s names %s.%s, which does not exist", path, m[1], m[2])
			}
		}
	}
	if rows < least {
		t.Errorf("%s has only %d rows", path, rows)
	}
}

func hasTest(t *testing.T, dir, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\nfunc "+name+"(t *testing.T)") {
			return true
		}
	}
	return false
}
