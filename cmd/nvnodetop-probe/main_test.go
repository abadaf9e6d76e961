package main

import (
	"bufio"
	"debug/elf"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/inputs"
)

// emulator lists how a program of a platform runs here; nil: it does not.
func emulator(arch string) []string {
	host, err := exec.Command("go", "env", "GOHOSTARCH").Output()
	if err == nil && strings.TrimSpace(string(host)) == arch {
		return []string{"/usr/bin/env"}
	}
	if path, err := exec.LookPath("qemu-aarch64-static"); err == nil && arch == "arm64" {
		return []string{path, "-L", "/usr/aarch64-linux-gnu"}
	}
	return nil
}

// TestRelease: the probes of scripts/build need no glibc newer than 2.17, and start, also where the dynamic linker
// resolves all symbols at once.
func TestRelease(t *testing.T) {
	inputs.Watch(t, "../../scripts/build")
	for arch, compiler := range map[string]string{"amd64": "x86_64-linux-gnu-gcc", "arm64": "aarch64-linux-gnu-gcc"} {
		t.Run(arch, func(t *testing.T) {
			if _, err := exec.LookPath(compiler); err != nil {
				t.Skip("needs the compiler of a release (scripts/test installs it on Debian): ", err)
			}
			exe := filepath.Join(t.TempDir(), "probe")
			if out, err := exec.Command("../../scripts/build", "--probe", "linux/"+arch,
				exe).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			oldGlibc(t, exe)
			if run := emulator(arch); run != nil {
				starts(t, append(run, exe, "probe"))
			} else {
				t.Logf("not run: this machine has no emulator for %s", arch)
			}
		})
	}
}

// oldGlibc fails if a symbol is of a newer glibc than 2.17.
func oldGlibc(t *testing.T, exe string) {
	f, err := elf.Open(exe)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.ImportedSymbols()
	if err != nil || len(symbols) < 40 {
		t.Fatalf("%d symbols, %v", len(symbols), err)
	}
	for _, s := range symbols {
		version, found := strings.CutPrefix(s.Version, "GLIBC_2.")
		minor, _, _ := strings.Cut(version, ".")
		n, err := strconv.Atoi(minor)
		weak := slices.Contains([]string{"__gmon_start__", "_ITM_deregisterTMCloneTable", "_ITM_registerTMCloneTable"},
			s.Name)
		if !weak && (!found || err != nil || n > 17) {
			t.Errorf("%s is of %q in %q", s.Name, s.Version, s.Library)
		}
	}
}

// starts runs a probe: it says what it is, and ends with its input.
func starts(t *testing.T, args []string) {
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "LD_BIND_NOW=1")
	cmd.Stderr = os.Stderr
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	magic, _ := lines.ReadString('\n')
	line, err := lines.ReadBytes('\n')
	var m struct{ Hello *struct{ Host string } }
	if err := errors.Join(err, json.Unmarshal(line, &m)); magic != wire.Magic+"\n" || err != nil || m.Hello == nil ||
		m.Hello.Host == "" {
		t.Errorf("it says %q, %q: %v", magic, line, err)
	}
	if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
		t.Error(err)
	}
}

// TestRenews: a probe that runs renews the age of its copy, and of no other program.
func TestRenews(t *testing.T) {
	dir := t.TempDir()
	old := time.Now().Add(-5 * 24 * time.Hour)
	for name, want := range map[string]bool{"nvnodetop-probe-0123456789abcdef": true, "nvnodetop": false} {
		exe := filepath.Join(dir, name)
		if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", exe, ".").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if err := os.Chtimes(exe, old, old); err != nil {
			t.Fatal(err)
		}
		renewed := false
		for i := 0; i < 5 && !renewed; i++ { // it may end before it has come to that
			starts(t, []string{exe, "probe"})
			info, err := os.Stat(exe)
			if err != nil {
				t.Fatal(err)
			}
			renewed = time.Since(info.ModTime()) < time.Hour
		}
		if renewed != want {
			t.Errorf("%s: renewed is %v, want %v", name, renewed, want)
		}
	}
}
