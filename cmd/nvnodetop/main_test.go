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
	build := exec.Command("go", "build", "-o", exe, ".")
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
	if cgo == "CGO_ENABLED=0" {
		out, err := exec.Command(exe, "probe").CombinedOutput()
		if e, ok := errors.AsType[*exec.ExitError](err); !ok || e.ExitCode() != 2 || bytes.Count(out, []byte("\n")) != 1 {
			t.Errorf("as a probe without NVML it says %q, and %v", out, err)
		}
	}
}
