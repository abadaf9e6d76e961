// Package golden compares the texts that tests make with files, and writes the files instead when a test runs with
// -update.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the files that the tests make")

// Updating reports whether the test runs with -update.
func Updating() bool { return *update }

// Write writes a file.
func Write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Equal compares a file with the text that it should have. The diff of -update shows what has changed.
func Equal(t testing.TB, path, text string) {
	t.Helper()
	After(t, path, "", text)
}

// After is Equal for the part of a file after a mark. People write the part before it.
func After(t testing.TB, path, mark, text string) {
	t.Helper()
	Between(t, path, mark, "", text)
}

// Between is Equal for the part of a file between two marks; "": the end of the file. People write the other parts.
func Between(t testing.TB, path, from, to, text string) {
	t.Helper()
	have, err := os.ReadFile(path)
	if err != nil && (from != "" || !*update) {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(have), from)
	if !found {
		t.Fatalf("%s has no %q", path, from)
	}
	end := len(rest)
	if to != "" {
		if end = strings.Index(rest, to); end < 0 {
			t.Fatalf("%s has no %q after %q", path, to, from)
		}
	}
	switch {
	case *update:
		Write(t, path, before+from+text+rest[end:])
	case rest[:end] != text:
		t.Errorf("%s differs (-file +test); look at it and run the test with -update:\n%s", path, cmp.Diff(rest[:end], text))
	}
}

// Only says which files of a pattern no test makes any more. With -update it deletes them instead.
func Only(t testing.TB, pattern string, made []string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		switch {
		case slices.Contains(made, path):
		case !*update:
			t.Errorf("no shot or case of this test is named like %s: delete it (-update does), or name one so", path)
		default:
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
	}
}
