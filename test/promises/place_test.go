package promises

import (
	"errors"
	"go/version"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The go line asks for no newer Go than the modules do that nvnodetop is made of. docs/COMPATIBILITY.md says what was
// tried with an older one.
func TestGoLine(t *testing.T) {
	const format = "{{with .Module}}{{if not .Main}}{{with .GoVersion}}go{{.}}{{end}}{{end}}{{end}}"
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", format, "../../cmd/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	newest := ""
	for line := range strings.Lines(string(out)) {
		if v := strings.TrimSpace(line); version.Compare(v, newest) > 0 {
			newest = v
		}
	}
	for line := range strings.Lines(read(t, "../../go.mod")) {
		if words := strings.Fields(line); len(words) == 2 && words[0] == "go" {
			if own := "go" + words[1]; version.Compare(own, newest) > 0 {
				t.Errorf("go.mod asks for %s, and its modules for %s at most", own, newest)
			}
			return
		}
	}
	t.Error("go.mod has no go line")
}

// asNobody lets a command run as a user who owns no file, since root may write everywhere.
func asNobody(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Getuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: 65534, Gid: 65534}
	}
}

// installed is the program in the bin of a tree that nobody can write, as a module or a package has it.
func installed(t *testing.T) string {
	t.Helper()
	prefix := t.TempDir()
	path := filepath.Join(prefix, "bin", "nvnodetop")
	if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(read(t, program)), 0o555); err != nil {
		t.Fatal(err)
	}
	allow := func(mode os.FileMode) {
		for _, dir := range []string{filepath.Dir(path), prefix, filepath.Dir(prefix)} {
			if err := os.Chmod(dir, mode); err != nil {
				t.Error(err)
			}
		}
	}
	allow(0o555)
	t.Cleanup(func() { allow(0o755) })
	return path
}

// From a path that is read-only, and with a home that is, all works, and no process is left.
func TestReadOnlyPath(t *testing.T) {
	path := installed(t)
	for _, args := range []string{"--version", "--demo=1x1 --json", "--demo=1x1 --once", "config --build",
		"snapshot --format csv --demo=1x1", "track --format json -- /bin/true", "doctor --json", "help"} {
		cmd := exec.CommandContext(t.Context(), path, strings.Fields(args)...)
		asNobody(cmd)
		cmd.Dir, cmd.Env = filepath.Dir(path), []string{"HOME=" + filepath.Dir(path), "PATH=/nonexistent"}
		out, err := cmd.CombinedOutput()
		if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || args != "doctor --json") {
			t.Errorf("nvnodetop %s: %v\n%s", args, err, out)
		}
		if cmd.Process != nil && syscall.Kill(-cmd.Process.Pid, 0) == nil {
			t.Errorf("nvnodetop %s has left a process behind", args)
		}
	}
}

// What nvnodetop leaves in a home is in the three directories that docs/INSTALL.md removes.
func TestRemoved(t *testing.T) {
	home := t.TempDir()
	settings := filepath.Join(home, ".config", "nvnodetop", "config.toml")
	if err := os.MkdirAll(filepath.Dir(settings), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(settings, []byte("timeout = \"20s\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{"--demo --once", "--demo --json", "track -- /bin/true", "doctor",
		"list --demo", "report --days 1", "snapshot --demo --format prometheus"} {
		runs(t, home, strings.Fields(args)...)
	}
	mark := exec.CommandContext(t.Context(), program, "mark", "begin", "epoch")
	mark.Env = []string{"HOME=" + home, "PATH=/nonexistent", "SLURM_JOB_ID=7"}
	if out, err := mark.CombinedOutput(); err != nil {
		t.Fatalf("mark: %v\n%s", err, out)
	}
	removed := []string{".cache/nvnodetop", ".config/nvnodetop", ".local/state/nvnodetop"}
	text := read(t, "../../docs/INSTALL.md")
	for _, dir := range removed {
		if !strings.Contains(text, "`~/"+dir+"`") {
			t.Errorf("docs/INSTALL.md does not say that ~/%s is removed", dir)
		}
		if err := os.RemoveAll(filepath.Join(home, dir)); err != nil {
			t.Fatal(err)
		}
	}
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			t.Errorf("%s is left", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
