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
	packages, _ := filepath.Glob("../*/raced_test.go")
	if len(packages) < 2 {
		t.Errorf("tests are left out in %q only", packages)
	}
	for _, file := range packages {
		name := filepath.Base(filepath.Dir(file))
		line := string(regexp.MustCompile(`(?m)^.* \./internal/` + name + ` # which are left out above$`).Find(script))
		left := leftOut(t, filepath.Dir(file))
		for _, test := range left {
			if !regexp.MustCompile(`[(|]` + test + `[|)]`).MatchString(line) {
				t.Errorf("scripts/test does not run %s of %s: %q", test, name, line)
			}
		}
		if listed := strings.Count(line, "Test"); len(left) != listed {
			t.Errorf("%d tests of %s are left out, and %d are listed", len(left), name, listed)
		}
	}
}

// leftOut returns the tests of a directory that the race detector leaves out.
func leftOut(t *testing.T, dir string) (tests []string) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, "*_test.go"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\) \{\n\tnotRaced\(t\)`).FindAllStringSubmatch(string(text), -1) {
			tests = append(tests, m[1])
		}
	}
	return tests
}
