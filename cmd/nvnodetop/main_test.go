package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The program starts on a host without a driver, also where the dynamic linker resolves all symbols at once.
func TestStartsWithAllSymbolsResolved(t *testing.T) {
	t.Parallel()
	for name, cgo := range map[string]string{"with cgo": "1", "without": "0"} {
		t.Run(name, func(t *testing.T) { startsResolved(t, "CGO_ENABLED="+cgo) })
	}
}

func startsResolved(t *testing.T, cgo string) {
	exe := t.TempDir() + "/nvnodetop"
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", exe, ".")
	build.Env = append(os.Environ(), cgo)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := func(args ...string) []byte {
		cmd := exec.Command(exe, args...)
		cmd.Env = append(os.Environ(), "LD_BIND_NOW=1")
		out, err := cmd.Output()
		if e, ok := errors.AsType[*exec.ExitError](err); ok && e.ExitCode() == 1 && len(e.Stderr) > 0 {
			t.Logf("%q says %s", args, e.Stderr) // the demo has a GPU that does not report
		} else if err != nil {
			t.Errorf("%q: %v", args, err)
		}
		return out
	}
	if out := run("--version"); !strings.HasPrefix(string(out), "nvnodetop ") {
		t.Errorf("--version says %q", out)
	}
	if out := run("--demo=2x2", "--json"); !json.Valid(out) {
		t.Errorf("--json says %q", out)
	}
	obeysLimits(t, exe)
	if cgo == "CGO_ENABLED=0" {
		out, err := exec.Command(exe, "probe").CombinedOutput()
		if e, ok := errors.AsType[*exec.ExitError](err); !ok || e.ExitCode() != 2 || bytes.Count(out, []byte("\n")) != 1 {
			t.Errorf("as a probe without NVML it says %q, and %v", out, err)
		}
	}
}

// obeysLimits checks that a limit of the session is named in one line, where the program begins at all, and that a file
// that may not grow is an error like others.
func obeysLimits(t *testing.T, exe string) {
	t.Helper()
	for limit, want := range map[string]string{
		"-v 1800000": "nvnodetop: this session may use only 1757 MiB of virtual memory (ulimit -v): nvnodetop needs 1.75 GiB\n",
		"-n 20":      "nvnodetop: this session may open only 20 files (ulimit -n): nvnodetop needs 32\n",
		"-f 0":       "file too large",
	} {
		cmd := exec.Command("sh", "-c", "ulimit "+limit+"; exec \"$0\" --demo=2x2 --json >out", exe)
		cmd.Dir = t.TempDir()
		said, err := cmd.CombinedOutput()
		e, ok := errors.AsType[*exec.ExitError](err)
		if !ok || e.ExitCode() != 1 || !strings.Contains(string(said), want) || bytes.Count(said, []byte("\n")) != 1 {
			t.Errorf("ulimit %s: %v, %q", limit, err, said)
		}
	}
}
