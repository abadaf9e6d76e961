//go:build linux

package config

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// fullHome makes this test binary a program that can write no byte to a file: that is as near to a full disk as a user
// without rights gets.
const fullHome = "NVNODETOP_TEST_FULL"

func TestMain(m *testing.M) {
	if os.Getenv(fullHome) == "" {
		os.Exit(m.Run())
	}
	signal.Ignore(unix.SIGXFSZ)
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{}); err != nil {
		fmt.Println(err)
	}
	c := Default()
	c.Theme = "light"
	fmt.Println(Remember(View, "overview"))
	fmt.Println(c.Save(filepath.Join(os.Getenv(fullHome), "config.toml"), "theme"))
	os.Exit(0)
}

// On a full disk nothing is saved, and the saved file stays.
func TestAFullDiskKeepsWhatWasSaved(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_STATE_HOME", dir)
	if err := Remember(View, "node"); err != nil {
		t.Fatal(err)
	}
	settings := filepath.Join(dir, "config.toml")
	if err := os.WriteFile(settings, []byte("theme = 'dark'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), fullHome+"="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Count(string(out), "file too large") != 2 {
		t.Fatalf("%v, said: %s", err, out)
	}
	text, err := os.ReadFile(settings)
	if was := Remembered(View); err != nil || was != "node" || string(text) != "theme = 'dark'\n" {
		t.Errorf("remembered %q, settings %q, %v", was, text, err)
	}
	for _, pattern := range []string{".config-*", "*/.config-*"} {
		if left, _ := filepath.Glob(filepath.Join(dir, pattern)); len(left) > 0 {
			t.Errorf("left: %q", left)
		}
	}
}
