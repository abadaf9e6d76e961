package ui

import (
	_ "embed"
	"regexp"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/ui/settings"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// wordList has words that a user types, and a pattern of the row that each must lead to. They were collected by asking
// what somebody would type who knows none of the rows.
//
//go:embed testdata/words.tsv
var wordList string

// enoughWords is the least number of words of the list that must lead to the right row.
const enoughWords = 90

// Plain words lead to the right row, whether the palette or the help is searched, and Enter there does something that
// can be seen.
func TestPlainWords(t *testing.T) {
	for _, key := range []string{":", "?"} {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			checkWords(t, key)
		})
	}
}

func checkWords(t *testing.T, key string) {
	right, all := 0, 0
	for line := range strings.Lines(wordList) {
		word, want, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		all++
		r := newRig(t, uitest.JobsFixture())
		r.send(Alert{Ways: []settings.News{{Way: "terminal", On: true}}})
		r.press("2", key)
		r.types(word)
		first := r.firstFound()
		if regexp.MustCompile(want).MatchString(first) {
			right++
		} else {
			t.Logf("%q leads to %q, not to %s", word, first, want)
		}
		before := r.text()
		if r.press("enter"); r.text() == before {
			t.Errorf("%q: Enter does nothing:\n%s", word, before)
		}
	}
	t.Logf("%d of %d words lead to the right row", right, all)
	if right < enoughWords {
		t.Errorf("%d of %d words lead to the right row, want %d", right, all, enoughWords)
	}
}

// firstFound returns the line of the palette that Enter runs; "": none.
func (r *rig) firstFound() string {
	for line := range strings.Lines(r.text()) {
		if _, item, is := strings.Cut(line, "▸ "); is && r.view.palette.IsOpen() {
			return item
		}
	}
	return ""
}
