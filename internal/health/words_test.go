package health

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
)

// One thing has one name: the flag of a problem is a word of its name, its sentence has that word, and the legend of
// its letter has the flag.
func TestOneNameForOneThing(t *testing.T) {
	for _, a := range alarms {
		if a.kind == cluster.KindRecovery { // its flag names what the driver asks for
			continue
		}
		words := sayOf(a.kind, a.yes)
		flag := firstWord(words.Flag)
		if words.Letter == 0 || flag == "" {
			continue
		}
		text := strings.ToLower(words.Long + " " + words.Sentence)
		if !sharesWord(flag, words.One) {
			t.Errorf("%s: the flag %q has no word of the name %q", a.kind, words.Flag, words.One)
		}
		if !strings.Contains(text, singular(flag)) {
			t.Errorf("%s: the flag %q is not in the sentence %q", a.kind, words.Flag, words.Sentence)
		}
		at := slices.IndexFunc(say.Letters, func(l say.Letter) bool { return l.Letter == rune(words.Letter) })
		if legend := say.Letters[at]; !sharesWord(flag, legend.Full) {
			t.Errorf("%s: the legend of %c lacks the flag %q: %q", a.kind, words.Letter, words.Flag, legend.Full)
		}
	}
}

// firstWord returns the first word of letters in lower case that is more than "no".
func firstWord(s string) string {
	for _, w := range wordsOf(s) {
		if w != "no" {
			return w
		}
	}
	return ""
}

func wordsOf(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) })
}

func singular(s string) string { return strings.TrimSuffix(s, "s") }

// sharesWord reports whether a word, or its beginning, is among those of a text.
func sharesWord(word, text string) bool {
	return slices.ContainsFunc(wordsOf(text), func(w string) bool {
		return strings.HasPrefix(singular(w), singular(word)) || strings.HasPrefix(singular(word), singular(w)) && len(w) > 2
	})
}
