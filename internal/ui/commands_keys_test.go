package ui

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"

	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
)

// keyInSentence is a key that a page of a command names outside the table of keys, in backticks.
var keyInSentence = regexp.MustCompile("`([A-Za-z?:]|F[0-9]+|(?:Ctrl|Alt|Shift)-[^` ]+)`")

// The pages of commands explain keys in one table only, which is made from the list. A sentence may name a key for the
// one thing that the page is about, and the list must say the same about it.
func TestCommandPagesCopyNoKeys(t *testing.T) {
	means := map[string]string{
		"mark.md Ctrl-K": "record", "record.md Ctrl-K": "record",
		"replay.md :": "find anything", "stacks.md b": "stacks",
	}
	const unit = "available.md G" // of memory, and no key
	paths, err := filepath.Glob("../../docs/commands/*.md")
	if err != nil || len(paths) < 10 {
		t.Fatalf("%d pages, %v", len(paths), err)
	}
	table := replayTable()
	for _, path := range paths {
		name := filepath.Base(path)
		rest := document(t, "docs/commands/"+name)
		if name == "replay.md" {
			before, after, found := strings.Cut(rest, table)
			if !found {
				t.Errorf("%s lacks the table of keys", name)
			}
			rest = strings.Replace(before, "| key | |\n", "", 1) + after
		}
		for line := range strings.Lines(rest) {
			if keyColumn.MatchString(strings.TrimSpace(line)) {
				t.Errorf("%s has a table of keys written by hand", name)
			}
			for _, m := range keyInSentence.FindAllStringSubmatch(line, -1) {
				here := name + " " + m[1]
				if want := means[here]; here != unit && (want == "" || !listSays(m[1], want)) {
					t.Errorf("%s names the key %s, for which the list of keys does not say %q", name, m[1], want)
				}
			}
		}
	}
}

// listSays reports whether the list of keys says what a key means.
func listSays(name, means string) bool {
	k, is := keys.Shown(name)
	return is && slices.ContainsFunc(slices.Concat(keyRows, keys.ReplayRows), func(r keys.Row) bool {
		return key.Matches(k, r.Bindings...) && strings.Contains(r.Text+r.Long, means)
	})
}
