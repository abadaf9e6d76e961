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

// Each line of the table of threats names the tests that prove it, and they exist.
func TestEveryThreatHasItsTests(t *testing.T) {
	everyRowHasItsTests(t, "docs/SECURITY.md", "| threat |", 20)
}

// Each promise names the tests that guard it, and they exist.
func TestEveryPromiseHasItsTests(t *testing.T) {
	everyRowHasItsTests(t, "docs/COMPATIBILITY.md", "| promise |", 15)
}

// everyRowHasItsTests reads the tables of a document, whose heads begin with a text.
func everyRowHasItsTests(t *testing.T, path, head string, least int) {
	t.Helper()
	text, err := os.ReadFile("../../" + path)
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(text)) {
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
