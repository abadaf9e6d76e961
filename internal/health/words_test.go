package health

import (
	"regexp"
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
		if a.kind != cluster.KindRecovery { // its flag names what the driver asks for
			wantOneName(t, a.kind, sayOf(a.kind, a.yes))
		}
	}
	for _, r := range peerRules {
		wantOneName(t, r.kind, sayOfPeers(&r.rule))
	}
}

// capitals are what is always the same in a flag: "XID" of "XID:79", "!LAG" of "!LAG clk .58".
var capitals = regexp.MustCompile(`^!?[A-Z]+( [A-Z]+)*`)

func wantOneName(t *testing.T, kind cluster.Kind, words say.Words) {
	flag, at := firstWord(words.Flag), say.LetterRank(words.Letter)
	switch {
	case flag == "":
		return
	case at < 0:
		t.Fatalf("%s has the flag %q, and no letter in say.Letters", kind, words.Flag)
	}
	if !sharesWord(flag, words.One) {
		t.Errorf("%s: the flag %q has no word of the name %q", kind, words.Flag, words.One)
	}
	if !strings.Contains(strings.ToLower(words.Long+" "+words.Sentence), singular(flag)) {
		t.Errorf("%s: the flag %q is not in the sentence %q", kind, words.Flag, words.Sentence)
	}
	legend, is := say.Letters[at].Full, capitals.FindString(words.Flag)
	if !regexp.MustCompile(`(^| )` + is + `([ :,]|$)`).MatchString(legend) {
		t.Errorf("%s: the legend of %c in say.Letters lacks the flag %s: %q", kind, words.Letter, is, legend)
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
