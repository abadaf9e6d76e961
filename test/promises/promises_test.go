package promises

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/nvnodetop/nvnodetop/internal/app" // what the program is made of: without it go test would keep old results
	_ "github.com/nvnodetop/nvnodetop/internal/probe/nvml"
	"github.com/nvnodetop/nvnodetop/test/golden"
)

// newest is the version whose files -update writes.
const newest = "0.9"

// program is the program as users have it.
var program string

func TestMain(m *testing.M) { os.Exit(withProgram(m)) }

// withProgram builds the program, and runs the tests.
func withProgram(m *testing.M) int {
	dir, err := os.MkdirTemp("", "nvnodetop-promises-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "nvnodetop")
	out, err := exec.CommandContext(context.Background(), "go", "build", "-o", program, "../../cmd/nvnodetop").
		CombinedOutput()
	if err != nil {
		panic(string(out))
	}
	return m.Run()
}

// each runs a test for every version whose promises are kept.
func each(t *testing.T, test func(t *testing.T, dir string)) {
	dirs, err := filepath.Glob("[0-9]*")
	if err != nil || len(dirs) == 0 {
		t.Fatal("no version is kept: ", err)
	}
	for _, dir := range dirs {
		t.Run(dir, func(t *testing.T) { test(t, dir) })
	}
}

// updated writes a file of the newest version with -update.
func updated(t *testing.T, dir, name, text string) {
	t.Helper()
	if !golden.Updating() || dir != newest {
		return
	}
	if exec.CommandContext(t.Context(), "git", "rev-parse", "-q", "--verify", "v"+newest+".0").Run() == nil {
		t.Fatalf("v%s.0 is released: its files stay as they are, and a new directory begins with the next version", newest)
	}
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	golden.Write(t, path, text)
}

// kept returns a file of a version.
func kept(t *testing.T, dir, name string) string {
	t.Helper()
	return read(t, filepath.Join(dir, name))
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// result is what a command has printed.
type result struct {
	stdout, stderr string
	code           int
}

// runs runs the program in a home of its own, without SLURM.
func runs(t *testing.T, home string, args ...string) result {
	t.Helper()
	return runsWith(t, home, "/nonexistent", args...)
}

// runsWith is runs with a PATH.
func runsWith(t *testing.T, home, path string, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = []string{"HOME=" + home, "PATH=" + path, "LANG=C.UTF-8", "TERM=dumb"}
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if errs.Len() > 0 {
		t.Logf("nvnodetop %q says %s", args, errs.String()) // seen if the test fails
	}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return result{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// TestExitCodes runs command lines whose exit codes are promised: a code, and the arguments.
func TestExitCodes(t *testing.T) {
	each(t, func(t *testing.T, dir string) {
		for line := range strings.Lines(kept(t, dir, "exits.txt")) {
			want, args, _ := strings.Cut(strings.TrimSpace(line), " ")
			r := runs(t, t.TempDir(), strings.Fields(args)...)
			if got := string(rune('0' + r.code)); got != want {
				t.Errorf("nvnodetop %s: exit code %s, and %s has promised %s; stderr: %s", args, got, dir, want, r.stderr)
			}
		}
	})
}

// TestSettings reads a file with every setting that a version had.
func TestSettings(t *testing.T) {
	each(t, func(t *testing.T, dir string) {
		home := t.TempDir()
		path := filepath.Join(home, ".config", "nvnodetop", "config.toml")
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		golden.Write(t, path, kept(t, dir, "config.toml"))
		r := runs(t, home, "config", "--check")
		if r.code != 0 || !strings.Contains(r.stdout, "no mistake") {
			t.Errorf("a file with the settings of %s is not understood:\n%s%s", dir, r.stdout, r.stderr)
		}
	})
}

// TestEverySettingIsKept says when the file of the newest version lacks a setting of today.
func TestEverySettingIsKept(t *testing.T) {
	values := func(text string) map[string]string {
		found, table := map[string]string{}, ""
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(strings.TrimPrefix(line, "# "))
			if name, ok := strings.CutPrefix(line, "["); ok {
				table = strings.TrimSuffix(name, "]") + "."
			}
			if key, value, ok := strings.Cut(strings.Replace(line, " is not set", " = ", 1), " = "); ok {
				value, _, _ = strings.Cut(value, " # ")
				found[table+key] = strings.TrimSpace(value)
			}
		}
		return found
	}
	have := values(kept(t, newest, "config.toml"))
	have["admins"] = "?" // only the system's file has it
	for key, usual := range values(runs(t, t.TempDir(), "config").stdout) {
		if is := have[key]; is == "" || is == usual {
			t.Errorf("%s/config.toml lacks the setting %s: add its line, with a value that is not the default", newest, key)
		}
	}
}
