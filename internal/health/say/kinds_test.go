package say

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
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
		byClass := row.is == cluster.KindFailed || row.is == cluster.KindStale // named by the class of the failure
		if row.was == "" && !byClass {
			t.Errorf("%s lacks was, its name after it is cleared: as it is in One, if that fits", row.is)
		}
		for _, id := range slices.Concat(row.charts, row.cells) {
			if id.Row().Scope != metric.GPU {
				t.Errorf("%s has %s among its charts or cells, which are those of a GPU", row.is, id)
			}
		}
		if (row.news.Event != "") != (row.news.Least >= cluster.Note && row.news != News{}) {
			t.Errorf("%s: news %+v", row.is, row.news)
		}
	}
}

// alwaysTold are the kinds whose numbers a node or the finding always has.
var alwaysTold = []cluster.Kind{cluster.KindSilence, cluster.KindStale, cluster.KindSlow, cluster.KindOldDriver,
	cluster.KindHang, cluster.KindClockSkew, cluster.KindLag, cluster.KindLinkUnused, cluster.KindStepSlower,
	cluster.KindStalled, cluster.KindLowClock, cluster.KindJobIdle, cluster.KindJobHang, cluster.KindImbalance}

// A finding whose evidence the Snapshot lacks has no words, or words without the numbers.
func TestWordsWithoutEvidence(t *testing.T) {
	number := regexp.MustCompile(`NaN|[^\w-]-1\b|\b0s?\b`)
	for _, row := range kinds {
		for _, key := range []string{"", "GPU-3"} {
			f := cluster.Finding{Kind: row.is, Severity: cluster.Warning, Node: "a", Key: key}
			w := Finding(&cluster.Snapshot{}, &f)
			said := w.Flag + " " + w.Long + " " + w.Short + " " + w.Sentence
			if number.MatchString(said) && !slices.Contains(alwaysTold, row.is) {
				t.Errorf("%s says %q of nothing: its function must return, or leave that out, where a value is absent; or the "+
					"kind is in alwaysTold", row.is, said)
			}
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
