package say

import (
	"slices"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// A row tells a kind in full: it is the only one of its kind, it has words, and a letter that the legends explain. What
// is news is so from a severity on. Package health asks for a row of every kind that its rules find.
func TestRowsOfKinds(t *testing.T) {
	for i := range kinds {
		row := &kinds[i]
		if byKind[row.is] != row {
			t.Errorf("%s has two rows", row.is)
		}
		if row.say == nil || row.One == "" || row.Many == "" {
			t.Errorf("%s lacks words", row.is)
		}
		if row.Letter != 0 && LetterRank(row.Letter) < 0 {
			t.Errorf("%s: nothing explains the letter %c", row.is, row.Letter)
		}
		if row.AgeFlag && row.Letter == 0 {
			t.Errorf("%s has no letter, and an age beside its flag", row.is)
		}
		if (row.news.Event != "") != (row.news.Least >= cluster.Note && row.news != News{}) {
			t.Errorf("%s: news %+v", row.is, row.news)
		}
	}
}

// The legend has the flag of each request of the driver.
func TestTheLegendHasRecoveries(t *testing.T) {
	legend := Letters[LetterRank(rowOf(cluster.KindRecovery).Letter)].Full
	for _, action := range recoveries {
		if !slices.Contains(strings.Fields(legend), action.flag) {
			t.Errorf("the legend lacks the flag %s of a GPU that the driver asks to %s: %q", action.flag, action.asks, legend)
		}
	}
}
