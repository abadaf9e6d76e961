package apptest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/valid"
)

// ofSLURM are the programs that nvnodetop starts where SLURM is installed.
var ofSLURM = []string{"squeue", "scontrol", "sinfo", "sacct", "sstat", "srun", "scancel"}

// WithoutSLURM runs the tests with a PATH that lacks the SLURM of this machine, so that they are the same everywhere:
// one without a controller takes seconds to say so.
func WithoutSLURM(run func() int) int {
	dirs := filepath.SplitList(os.Getenv("PATH"))
	for i, dir := range dirs {
		if !slices.ContainsFunc(ofSLURM, func(name string) bool {
			_, err := os.Stat(filepath.Join(dir, name))
			return err == nil
		}) {
			continue
		}
		links, err := linkOthers(dir)
		defer func() { _ = os.RemoveAll(links) }()
		if err != nil {
			fmt.Fprintln(os.Stderr, "the SLURM of this machine cannot be hidden:", err)
			return 1
		}
		dirs[i] = links
	}
	_ = os.Setenv("PATH", strings.Join(dirs, string(filepath.ListSeparator)))
	return run()
}

// linkOthers makes a directory of links to all programs of another one that are not SLURM's.
func linkOthers(dir string) (links string, err error) {
	if links, err = os.MkdirTemp("", "without-slurm-"); err != nil {
		return "", err
	}
	programs, err := os.ReadDir(dir)
	err = errors.Join(err, os.Chmod(links, 0o755)) // a test may start programs of another user
	for _, program := range programs {
		if name := program.Name(); err == nil && !slices.Contains(ofSLURM, name) {
			err = os.Symlink(filepath.Join(dir, name), filepath.Join(links, name))
		}
	}
	return links, err
}

// Variables of the environment that choose the GPUs of this host. Without them it has none.
const (
	DriverFault = "NVNODETOP_APP_TEST_FAULT"    // the words of a driver that is broken
	LostGPU     = "NVNODETOP_APP_TEST_LOST"     // one GPU that has fallen off the bus: why
	NoProbe     = "NVNODETOP_APP_TEST_NO_PROBE" // a probe fails, as on a host with an old glibc
)

// noNVML is the library of the driver of this host.
type noNVML struct{ driver.Library }

func (noNVML) Init() error {
	if os.Getenv(LostGPU) != "" {
		return nil
	}
	if fault := os.Getenv(DriverFault); fault != "" {
		return &driver.InitError{ID: wire.FaultMismatch, Words: fault}
	}
	return &driver.InitError{ID: wire.FaultNoLibrary, Words: "libnvidia-ml.so.1 not found"}
}
func (noNVML) Shutdown()                  {}
func (noNVML) Missing() []string          { return nil }
func (noNVML) Versions() (string, string) { return "", "" }
func (noNVML) Devices() (slots []driver.Slot, err error) {
	if why := os.Getenv(LostGPU); why != "" {
		slots = []driver.Slot{{Lost: why}}
	}
	return slots, nil
}

// OneJob makes squeue print a running job on a host that does not exist.
const OneJob = `for a in "$@"; do case $a in --format=*) f=${a#--format=};; esac; done
echo "$f" | sed 's/%i/7/; s/%A/7/; s/%t/R/; s/%j/train/; s/%N/host.invalid/; s/%D/1/; s/%S/2026-11-20T18:22:36/'`

// Unconfigured has what SLURM's commands say without a configuration, by the way they were built.
var Unconfigured = map[string]string{
	"configless": `error: resolve_ctls_from_dns_srv: res_nsearch error: Unknown host
fatal: Could not establish a configuration source`,
	"old": `error: s_p_parse_file: unable to status file /etc/slurm/slurm.conf: No such file or directory
fatal: Unable to process configuration file`,
}

// WithoutConfiguration puts SLURM's commands without a configuration into PATH, and a GPU into this host.
func WithoutConfiguration(t *testing.T, says string) {
	t.Helper()
	dir := t.TempDir()
	for _, command := range []string{"squeue", "scontrol", "sinfo", "sacct"} {
		script := "#!/bin/sh\ncat >&2 <<'END'\n" + says + "\nEND\nexit 1\n"
		if err := os.WriteFile(filepath.Join(dir, command), []byte(script), 0o755); err != nil { //nolint:gosec // a program
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv(LostGPU, "GPU is lost")
	t.Setenv("XDG_STATE_HOME", t.TempDir())
}

// WithSettings makes the files of settings of the system and of the user, and returns their paths.
func WithSettings(t *testing.T, system, user string) (systems, users string) {
	t.Helper()
	dir := t.TempDir()
	before := cli.SystemFile
	t.Cleanup(func() { cli.SystemFile = before })
	t.Setenv("XDG_CONFIG_HOME", dir)
	cli.SystemFile = filepath.Join(dir, "system.toml")
	users = filepath.Join(dir, "nvnodetop", "config.toml")
	if err := os.MkdirAll(filepath.Dir(users), 0o700); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{cli.SystemFile: system, users: user} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cli.SystemFile, users
}

// Document returns the document that a command prints, and validates it with the schema that the program prints.
func Document(t *testing.T, schema string, args ...string) (document string) {
	t.Helper()
	code, rules, errs := Run(t, "schema", schema)
	if code != cli.ExitOK || errs != "" {
		t.Fatalf("schema %s: exit code %d, stderr %q", schema, code, errs)
	}
	_, document, errs = Run(t, args...)
	if document == "" {
		t.Fatalf("%q: stderr %q", args, errs)
	}
	valid.Document(t, []byte(rules), []byte(document))
	if !strings.Contains(document, `"version": 1,`) {
		t.Errorf("%q: no version in %.200s", args, document)
	}
	return document
}
