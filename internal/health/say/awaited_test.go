package say

import (
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
)

// The finding that a job stands still has words of its own about the place for which the job waits.
func TestAwaitedPlace(t *testing.T) {
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.Local)
	f := cluster.Finding{Kind: cluster.KindJobHang, Severity: cluster.Warning, Job: "7", Node: "n02", GPU: 3,
		Key: "GPU-3", Since: at, Compared: &cluster.Comparison{Count: 63, Of: 64}}
	f.Compared.First.Since = at
	s := &cluster.Snapshot{At: at.Add(3 * time.Minute), Stacks: map[string]*rankstacks.Verdict{"7": {
		State: rankstacks.Stuck, Headline: "rank 11 in read_shard, 63 in all_reduce", Time: at.Add(time.Minute)}}}
	w := Finding(s, &f)
	want := Words{Label: awaited, Flag: "!AWAITED", Short: "awaited by the job",
		Long: "awaited by the job, idle since 12:00:00",
		Sentence: "Awaited by the job, idle since 12:00:00; 63 of 64 GPUs wait in a collective. " +
			"At 12:01:00: rank 11 in read_shard, 63 in all_reduce.", Hint: w.Hint}
	if w != want || w.Hint == "" {
		t.Errorf("got  %+v\nwant %+v", w, want)
	}
	if l := LabelOf(&f); l.Letter != 'I' {
		t.Errorf("the letter is %q", l.Letter)
	}
	f.Severity = cluster.Note
	if l := LabelOf(&f); l.Letter != 0 {
		t.Errorf("a note has the letter %q", l.Letter)
	}
	f.Key, f.GPU = "", -1
	if w := Finding(s, &f); w.Short == want.Short {
		t.Errorf("the job has the words of a place: %+v", w)
	}
}
