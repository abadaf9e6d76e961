package cli_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/test/apptest"
)

// A log on a full disk is said once, at the end, and the command goes on.
func TestTheLogOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=8k"); err != nil {
		t.Skip("no file system that is full: ", err)
	}
	defer func() { _ = syscall.Unmount(dir, 0) }()
	if err := os.WriteFile(filepath.Join(dir, "full"), make([]byte, 1<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	code, out, errs := apptest.Run(t, "--demo=1x1", "--json", "--log", filepath.Join(dir, "log"))
	if code != cli.ExitOK || out == "" || strings.Count(errs, "records are missing") != 1 ||
		!strings.Contains(errs, "no space left on device") {
		t.Errorf("exit code %d, stderr %q", code, errs)
	}
}
