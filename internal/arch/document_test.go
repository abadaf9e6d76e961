package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// named matches a test in a document: `internal/wire.TestSkipToMagicHasABudget`.
var named = regexp.MustCompile("`((?:internal|cmd|test)/[a-z0-9/-]+)\\.(Test\\w+)`")

// Each line of the table of threats names the tests that prove it, and they exist.
func TestEveryThreatHasItsTests(t *testing.T) {
	text, err := os.ReadFile("../../docs/SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(text)) {
		tests := named.FindAllStringSubmatch(line, -1)
		if strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| threat |") {
			rows++
			if len(tests) == 0 {
				t.Errorf("no test proves: %s", line)
			}
		}
		for _, m := range tests {
			if !hasTest(t, m[1], m[2]) {
				t.Errorf("docs/SECURITY.md names %s.%s, which does not exist", m[1], m[2])
			}
		}
	}
	if rows < 20 {
		t.Errorf("%d threats in docs/SECURITY.md", rows)
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
