// Package tools has the test of what scripts/release refuses; the programs that it runs are in the directories below.
package tools

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A release is made of a clean commit whose changes are written down, and says in one line why it is not.
func TestRefused(t *testing.T) {
	script, err := os.ReadFile("../../scripts/release")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	from := t.TempDir() // where the directory of the release is looked for
	if err := os.MkdirAll(filepath.Join(from, "full", "of"), 0o755); err != nil {
		t.Fatal(err)
	}
	refused := func(code int, want string, args ...string) {
		t.Helper()
		cmd := exec.Command(filepath.Join(dir, "scripts/release"), args...)
		cmd.Dir = from
		out, _ := cmd.CombinedOutput()
		text := string(out)
		if cmd.ProcessState.ExitCode() != code || !strings.HasPrefix(text, "scripts/release: "+want) ||
			strings.Count(text, "\n") != 1 {
			t.Errorf("%v: exit code %d, %q, want %d and one line, %q", args, cmd.ProcessState.ExitCode(), text, code, want)
		}
	}
	out := filepath.Join(t.TempDir(), "out")
	write("scripts/release", string(script))
	write("CHANGELOG.md", "# Changelog\n\n## 1.2.30\n\n## 1.2.x\n")
	git("init", "-q")
	git("add", "-A")
	git("commit", "-qm", "First")

	refused(2, "it needs a version and a directory", "1.2.3")
	for _, version := range []string{"v1.2.3", "1.2", "1.2.3 4", "", "1.2.3-"} {
		refused(2, version+" is not a version", version, out)
	}
	refused(2, "full is not empty", "1.2.3", "full")
	refused(2, dir+" is not empty", "1.2.3", dir)
	refused(1, `CHANGELOG.md has no section "## 1.2.3"`, "1.2.3", out)
	write("CHANGELOG.md", "# Changelog\n\n## 1.2.3\n")
	refused(1, "the checkout is not clean ( M CHANGELOG.md)", "1.2.3", out)
	git("tag", "v1.2.3")
	git("commit", "-qam", "Second")
	write("new", "")
	refused(1, "the checkout is not clean (?? new)", "1.2.3", out)
	git("add", "-A")
	git("commit", "-qm", "Third")
	refused(1, "the tag v1.2.3 is on another commit", "1.2.3", out)
	if _, err := os.Stat(out); err == nil {
		t.Error("a refused release made its directory")
	}
}
