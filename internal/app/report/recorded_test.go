package report

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// Recordings of a job are found by its ID in their names, the newest first, in all directories, and no others.
func TestRecordingsOf(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	at := time.Now().Add(-time.Hour)
	for i, path := range []string{a + "/nvnodetop-48211-20261120-140500.nvr", b + "/run-48211.nvr",
		a + "/nvnodetop-48211_3-20261120-140500.nvr", a + "/nvnodetop-148211-x.nvr", a + "/48211.txt", b + "/48211.nvr",
		a + "/nvnodetop-5-1-20261120-140500.nvr"} {
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at.Add(time.Duration(i)*time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(a+"/dir-48211.nvr", 0o700); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string][]string{
		"48211":   {"48211.nvr", "run-48211.nvr", "nvnodetop-48211-20261120-140500.nvr"},
		"48211_3": {"nvnodetop-48211_3-20261120-140500.nvr"}, "5+1": {"nvnodetop-5-1-20261120-140500.nvr"}, "821": nil,
	} {
		var got []string
		for _, path := range recordingsOf(id, a, b, a, "/nowhere") {
			got = append(got, filepath.Base(path))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q", id, got)
		}
	}
}
