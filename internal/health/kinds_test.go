package health

import (
	"slices"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/newsworthy"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
)

// Each kind of problem has its name and its place among the news: without a row in newsworthy a warning is told to nobody.
// Package web compares names and letters with those of the page.
func TestEveryKindIsSaidAndNews(t *testing.T) {
	news := newsworthy.Words()
	for _, r := range allRules() {
		l := say.LabelOf(&cluster.Finding{Kind: r.kind, Severity: r.severity, Key: "a GPU"})
		if l.One == "" || l.Many == "" {
			t.Errorf("%s has no words: give it a row in internal/health/say", r.kind)
		}
		if r.severity >= cluster.Warning && !slices.Contains(news, string(r.kind)) {
			t.Errorf("%s is no news: give it a row in internal/health/newsworthy", r.kind)
		}
	}
}
