package ui

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
)

var (
	inBackticks = regexp.MustCompile("`([^` ]+)`")
	keyByName   = regexp.MustCompile(`^((Ctrl|Alt|Shift)-.+|F[0-9]+)$`)
	word        = regexp.MustCompile(`^[A-Z][A-Za-z]+$`)
	keyColumn   = regexp.MustCompile(`^\| keys? \|[ |a-z]*$`)
)

// Every key has a name that people know, not the terminal library's.
func TestKeysHaveNames(t *testing.T) {
	for _, row := range slices.Concat(keyRows, keys.ReplayRows) {
		if row.Keys != "" {
			continue // found by name, or the digits
		}
		for _, b := range row.Bindings {
			for _, k := range b.Keys() {
				if shown := shownAs(k); shown == k && len([]rune(k)) > 1 {
					t.Errorf("%s of %q is written as %q", k, b.Help().Desc, shown)
				}
			}
		}
	}
}

// The page of the command has the keys of a recording as the list has them.
func TestPageOfReplay(t *testing.T) {
	page := document(t, "docs/commands/replay.md")
	_, rest, _ := strings.Cut(page, "| key | |\n|---|---|\n")
	table, _, _ := strings.Cut(rest, "\n\n")
	if want := strings.TrimSuffix(replayTable(), "\n"); table != want {
		t.Errorf("docs/commands/replay.md has\n%s\nand the list of keys\n%s", table, want)
	}
}

// A key that a document names does something.
func TestDocumentsNameKeysThatExist(t *testing.T) {
	pages := []string{"README.md"}
	for _, pattern := range []string{"docs/*.md", "docs/commands/*.md"} {
		found, err := filepath.Glob("../../" + pattern)
		if err != nil || len(found) < 10 {
			t.Fatalf("%d pages in %s, %v", len(found), pattern, err)
		}
		for _, path := range found {
			pages = append(pages, strings.TrimPrefix(path, "../../"))
		}
	}
	seen := 0
	for _, path := range pages {
		for _, named := range keysNamed(document(t, path)) {
			seen++
			if k, is := keys.Shown(named); !is || !bound(k) {
				t.Errorf("%s names the key %s, which does nothing", path, named)
			}
		}
	}
	if seen < 100 {
		t.Errorf("%d keys in all documents", seen)
	}
}

func document(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile("../../" + path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// keysNamed returns what a document in Markdown has in backticks and is a key: by its name, or because it stands in a
// table of keys. Elsewhere a single character may be anything.
func keysNamed(text string) (named []string) {
	ofKeys := false
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "|") {
			ofKeys = false
		} else if keyColumn.MatchString(strings.TrimSpace(line)) {
			ofKeys = true
		}
		for _, m := range inBackticks.FindAllStringSubmatch(line, -1) {
			single := len([]rune(m[1])) == 1
			_, is := keys.Shown(m[1])
			if keyByName.MatchString(m[1]) || is && word.MatchString(m[1]) || single && ofKeys {
				named = append(named, m[1])
			}
		}
	}
	return named
}

// bound reports whether a row of the list has a key.
func bound(k tea.KeyPressMsg) bool {
	return slices.ContainsFunc(slices.Concat(keyRows, keys.ReplayRows), func(r keys.Row) bool {
		return key.Matches(k, r.Bindings...)
	})
}
