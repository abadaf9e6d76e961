package health

import (
	"slices"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
)

// Every kind that a rule finds has a row in package say with all that outputs tell of it, and every row has a rule.
func TestEveryKindIsTold(t *testing.T) {
	rows := say.Kinds()
	for _, kind := range rows {
		if l := say.LabelOf(&cluster.Finding{Kind: kind, Severity: cluster.Critical}); l.Letter != 0 && onlyNoted(kind) {
			t.Errorf("%s is only ever a note, and no cell has the letter of a note: remove %c from its row in "+
				"internal/health/say/kinds.go (its flag needs none)", kind, l.Letter)
		}
	}
	for _, r := range allRules() {
		if !slices.Contains(rows, r.kind) {
			t.Errorf("%s has no row in internal/health/say/kinds.go", r.kind)
			continue
		}
		l := say.LabelOf(&cluster.Finding{Kind: r.kind, Severity: r.severity, Key: "a GPU"})
		if l.One == "" || l.Many == "" {
			t.Errorf("%s has no name", r.kind)
		}
		if all := say.LabelOf(&cluster.Finding{Kind: r.kind, Every: true}); r.every && (all.One == "" || all.Many == "") {
			t.Errorf("%s has no names for all GPUs of a node", r.kind)
		}
		if _, told := say.NewsOf(r.kind); !told && r.severity >= cluster.Warning {
			t.Errorf("a warning of kind %s is no news", r.kind)
		}
		if !strings.HasSuffix(r.when, ".") {
			t.Errorf("%s: when %q", r.kind, r.when)
		}
	}
	for _, kind := range rows {
		if !slices.ContainsFunc(allRules(), func(r rule) bool { return r.kind == kind }) {
			t.Errorf("no rule finds %s", kind)
		}
	}
}

// Every rule says where it comes from: who doubts a finding reads that first.
func TestEveryRuleHasASource(t *testing.T) {
	for _, r := range allRules() {
		if r.source == "" {
			t.Errorf("%s (%s: %q) has no source: its row in internal/health/table.go or peers.go says which document "+
				"or command its facts come from, such as nvml, dcgm or \"statfs(2)\", or \"own\" if nothing but a "+
				"limit of ours decides", r.kind, severityNames[r.severity], r.when)
		}
	}
}

// onlyNoted reports whether no rule finds more than a note of a kind.
func onlyNoted(kind cluster.Kind) bool {
	return !slices.ContainsFunc(allRules(), func(r rule) bool { return r.kind == kind && r.severity > cluster.Note })
}
