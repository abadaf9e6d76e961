package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// scripts/test runs each test that the race detector leaves out.
func TestLeftOutTestsAreRun(t *testing.T) {
	script, err := os.ReadFile("../../scripts/test")
	if err != nil {
		t.Fatal(err)
	}
	line := string(regexp.MustCompile(`(?m)^.*# which are left out above$`).Find(script))
	files, _ := filepath.Glob("../ui/*_test.go")
	found := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\) \{\n\tnotRaced\(t\)`).FindAllStringSubmatch(string(text), -1) {
			if found++; !regexp.MustCompile(`[(|]` + m[1] + `[|)]`).MatchString(line) {
				t.Errorf("scripts/test does not run %s: %s", m[1], line)
			}
		}
	}
	if listed := strings.Count(line, "Test"); found != listed {
		t.Errorf("%d tests are left out, and %d are listed", found, listed)
	}
}
