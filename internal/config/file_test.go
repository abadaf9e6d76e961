package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/health"
)

// write makes a file of settings the user's, and returns its path.
func write(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	path := filepath.Join(dir, "nvnodetop", "config.toml")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRead(t *testing.T) {
	write(t, "# mine\n[thresholds]\ngpu_memory_full_percent = 90\nclock_skew_seconds = 2.5 # s\n")
	c := Default()
	if err := c.Read(); err != nil {
		t.Fatal(err)
	}
	want := health.Defaults()
	want[health.MemoryFullPercent], want[health.ClockSkewSeconds] = 90, 2.5
	if c.Thresholds != want {
		t.Errorf("%v, want %v", c.Thresholds, want)
	}
}

// A mistake in the file is one line that names the file, the line in it and the key.
func TestMistakesInTheFile(t *testing.T) {
	for text, want := range map[string]string{
		"":               "",
		"[thresholds]\n": "",
		"[thresholds]\n\ngpu_memory_full_percent = 101\n":        ":3: gpu_memory_full_percent = 101 is out of range (1 to 100)",
		"[thresholds]\nclock_skew_seconds = nan\n":               ":2: clock_skew_seconds = NaN is out of range (0.1 to 86400)",
		"[thresholds]\ngpu_memory_full_percent = \"98\"\n":       `:2: gpu_memory_full_percent must be a number, not "98"`,
		"thresholds.gpu_memory_full_percent = true\n":            `:1: gpu_memory_full_percent must be a number, not "true"`,
		"[thresholds]\ngpu_memory = 1\n":                         `:2: unknown threshold "gpu_memory" (known: gpu_memory_full_percent)`,
		"[thresholds]\nx = 1\n":                                  `:2: unknown threshold "x"`,
		"\n[rules]\nx = 1\n":                                     `:2: unknown key "rules" (thresholds is known)`,
		"thresholds = 3\n":                                       ":1: thresholds must be a table: [thresholds]",
		"[[thresholds]]\nx = 1\n":                                ":1: thresholds must be a table: [thresholds]",
		"[thresholds.clock_skew_seconds]\nx = 1\n":               ":1: clock_skew_seconds must be a number",
		"[thresholds]\nclock_skew_seconds = 1\nclock skew = 3\n": ":3: ",
		"\x00":                        ":1: ",
		strings.Repeat("#", 2<<20):    `is not a file of at most 1048576 bytes`,
		"[thresholds]\n\xff = \"\"\n": ":2: ",
	} {
		path, c := write(t, text), Default()
		err := c.Read()
		switch {
		case want == "" && err != nil:
			t.Errorf("%.60q: %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n")):
			t.Errorf("%.60q: error %v, want %s%s", text, err, path, want)
		}
	}
}

func TestNoFile(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	if c := Default(); c.Read() != nil || c != Default() {
		t.Errorf("%+v", c)
	}
	path := write(t, "")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if c := Default(); c.Read() == nil {
		t.Error("a directory is taken for a file of settings")
	}
}
