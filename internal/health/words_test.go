package health

import (
	"iter"
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
	for r, words := range saidOfRules(t) {
		if r.kind != cluster.KindRecovery { // its flag names what the driver asks for
			wantOneName(t, r.kind, words)
		}
	}
}

// saidOfRules returns the words of each rule for its sample.
func saidOfRules(t *testing.T) iter.Seq2[*rule, say.Words] {
	samples := samplesOf(t)
	return func(yield func(*rule, say.Words) bool) {
		for i := range rules {
			if !yield(&rules[i], sayOf(rules[i].kind, samples[i].yes)) {
				return
			}
		}
		for i := range peerRules {
			if r := &peerRules[i].rule; !yield(r, sayOfPeers(r)) {
				return
			}
		}
	}
}

// unflagged are the kinds of problems that put no flag on the row of a GPU, and why.
var unflagged = map[cluster.Kind]string{
	cluster.KindFault:      "the number that is missing is n/a",
	cluster.KindMemoryFull: "the row has the memory",
	cluster.KindImbalance:  "the row has the memory",
	cluster.KindStepSlower: "it is about the job",
	cluster.KindStalled:    "it is about the job",
	cluster.KindTooLong:    "it is about the job",
	cluster.KindLogSilent:  "it is about the job",
	cluster.KindJobIdle:    "it is about the job; a GPU that it waits for has a flag",
	cluster.KindJobHang:    "it is about the job; a GPU that it waits for has a flag",
}

// agedOtherwise are the kinds whose flags have an age without "!", or none with it, and why.
var agedOtherwise = map[cluster.Kind]string{
	cluster.KindXid:      "an event: how long ago",
	cluster.KindRankGone: "a rank that has ended does not come back",
}

// unhinted are the kinds of problems that may not say what to do, and why.
var unhinted = map[cluster.Kind]string{
	cluster.KindConnecting: "it passes by itself",
	cluster.KindFailed:     "its failure has hints",
	cluster.KindOldDriver:  "nothing is wrong: newer metrics are empty",
	cluster.KindFault:      "what the system of a node does not tell, nobody can ask it for",
	cluster.KindOwner:      "all GPUs are shown; only some causes have a remedy",
}

// A problem of a GPU puts a flag on its row, with its age if it may pass. Each says what to do.
func TestProblemsHaveFlagsAndHints(t *testing.T) {
	for r, words := range saidOfRules(t) {
		if onGPU := r.scope == cluster.ScopeGPU || r.scope == cluster.ScopePeers; onGPU &&
			(words.Flag != "") != (unflagged[r.kind] == "") {
			t.Errorf("%s has the flag %q: its function in package say sets w.Flag if it is about a GPU, otherwise "+
				"unflagged has the reason why not", r.kind, words.Flag)
		}
		if (words.AgeFlag != strings.HasPrefix(words.Flag, "!")) != (agedOtherwise[r.kind] != "") {
			t.Errorf("%s has the flag %q, and AgeFlag %v in say/kinds.go: flags with ! have an age, others none, or "+
				"agedOtherwise has the reason", r.kind, words.Flag, words.AgeFlag)
		}
		if words.Hint == "" && unhinted[r.kind] == "" {
			t.Errorf("%s (%s) has no hint: its function in package say sets w.Hint to what the user can do, or "+
				"unhinted has the reason why not", r.kind, severityNames[r.severity])
		}
	}
}

// capitals are what is always the same in a flag: "XID" of "XID:79", "!LAG" of "!LAG clk .58".
var capitals = regexp.MustCompile(`^!?[A-Z]+( [A-Z]+)*`)

func wantOneName(t *testing.T, kind cluster.Kind, words say.Words) {
	flag, at := firstWord(words.Flag), say.LetterRank(words.Letter)
	switch {
	case flag == "":
		return
	case at < 0 && !onlyNoted(kind):
		t.Fatalf("%s has the flag %q: its row in say/kinds.go needs a Letter, one of say.Letters", kind, words.Flag)
	}
	if !sharesWord(flag, words.One) {
		t.Errorf("%s: the flag %q has no word of the name %q", kind, words.Flag, words.One)
	}
	if !strings.Contains(strings.ToLower(words.Long+" "+words.Sentence), singular(flag)) {
		t.Errorf("%s: the flag %q is not in the sentence %q", kind, words.Flag, words.Sentence)
	}
	if at < 0 {
		return
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
