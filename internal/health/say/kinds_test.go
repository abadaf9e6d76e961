package say

import (
	"os"
	"strings"
	"testing"
)

// docs/health.md, which is made of the rules, has every kind that there are words for.
func TestNoWordsInVain(t *testing.T) {
	page, err := os.ReadFile("../../../docs/health.md")
	if err != nil {
		t.Fatal(err)
	}
	for kind, how := range wordings {
		if !strings.Contains(string(page), "\n| `"+string(kind)+"` |") {
			t.Errorf("there are words for %s, which no rule finds", kind)
		}
		if how.say == nil {
			t.Errorf("%s has no words", kind)
		}
	}
}
