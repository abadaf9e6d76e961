package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	quoted    = regexp.MustCompile("`([^`]+)`")
	wayOfName = regexp.MustCompile(`\{name: "([^"]+)"`)
)

// docs/TRANSPORTS.md names the tests behind its claims: they exist, and each way to log in is there with each
// transport.
func TestTransportsAreTested(t *testing.T) {
	sources := testSources(t)
	page, err := os.ReadFile("../../docs/TRANSPORTS.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, m := range quoted.FindAllStringSubmatch(string(page), -1) {
		name := m[1]
		if !strings.HasPrefix(name, "Test") && !strings.Contains(name, "/") || name == "test/cluster" || name == "test/arch" ||
			strings.HasPrefix(name, "scripts/") || strings.HasPrefix(name, "internal/") {
			continue
		}
		if !strings.HasPrefix(name, "Test") {
			name = "TestLogins/" + name
		}
		named[name] = true
		parts := strings.Split(name, "/")
		if !strings.Contains(sources, "func "+parts[0]+"(t *testing.T)") {
			t.Errorf("there is no test %s", parts[0])
		}
		for _, part := range parts[1:] {
			if !strings.Contains(sources, `"`+part+`"`) {
				t.Errorf("no subtest of %s is called %q", parts[0], part)
			}
		}
	}
	ways := wayOfName.FindAllStringSubmatch(sources, -1)
	if len(ways) == 0 {
		t.Error("there are no ways of logging in")
	}
	for _, way := range ways {
		for _, transport := range []string{"ssh", "openssh", "control", "login"} {
			if name := "TestLogins/" + way[1] + "/" + transport; !named[name] {
				t.Errorf("docs/TRANSPORTS.md does not name %s", name)
			}
		}
	}
}

// testSources returns the text of all tests on the cluster.
func testSources(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob("../cluster/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}
