package part

import (
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/joblog"
)

// A finding that the log may explain cites it; not with an old line, not another job's, and not what has causes of its
// own.
func TestCites(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	cite := func(when time.Time) joblog.Cite {
		return joblog.Cite{Line: joblog.Line{Text: "ValueError: bad", Mark: 1}, When: when}
	}
	for name, test := range map[string]struct {
		kind cluster.Kind
		job  string
		when time.Time
		want bool
	}{
		"just before":   {cluster.KindRankGone, "7", now.Add(-time.Minute), true},
		"just after":    {cluster.KindRankGone, "7", now.Add(time.Minute), true},
		"long before":   {cluster.KindRankGone, "7", now.Add(-time.Hour), false},
		"another job's": {cluster.KindRankGone, "8", now, false},
		"a hot GPU":     {cluster.KindGPUHot, "7", now, false},
		"unknown time":  {cluster.KindRankGone, "7", time.Time{}, false},
	} {
		s := &Scene{Snap: &cluster.Snapshot{At: now}, Cites: map[string]joblog.Cite{"7": cite(test.when)}}
		f := &cluster.Finding{Kind: test.kind, Job: test.job, Since: now, GPU: -1}
		if words := s.Say(f); strings.Contains(words.Hint, "log: ValueError: bad") != test.want {
			t.Errorf("%s: %q", name, words.Hint)
		}
	}
}
