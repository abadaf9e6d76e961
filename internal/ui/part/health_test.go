package part

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// Where there is no room for its line, what is over is no error that is left out.
func TestLeft(t *testing.T) {
	findings := []cluster.Finding{
		{Severity: cluster.Critical, Over: time.Unix(1, 0)}, {Severity: cluster.Critical}, {Severity: cluster.Warning}, {Severity: cluster.Warning}, {},
	}
	for n, want := range map[int]string{2: "+2 more: 1 error, 1 over  (!)", 5: "+5 more: 1 error, 2 warnings, 1 note, 1 over  (!)"} {
		if got := left(findings[:n]); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Row 1 counts what holds and is a fault, by what it is called.
func TestGroups(t *testing.T) {
	findings := []cluster.Finding{
		{Kind: cluster.KindLost, Severity: cluster.Critical}, {Kind: cluster.KindThermal, Severity: cluster.Warning}, {Severity: cluster.Note},
		{Kind: cluster.KindSlowdown, Severity: cluster.Warning}, {Kind: cluster.KindLost, Severity: cluster.Critical, Over: time.Unix(1, 0)},
	}
	var got []string
	for _, g := range groups(findings) {
		got = append(got, groupText(g))
	}
	if diff := cmp.Diff([]string{"1 lost", "1 thermal", "1 hw slowdown"}, got); diff != "" {
		t.Error(diff)
	}
	counts := map[cluster.Severity]int{cluster.Critical: 1, cluster.Warning: 2, cluster.Note: 1, Over: 1}
	if diff := cmp.Diff(counts, BySeverity(findings)); diff != "" {
		t.Error(diff)
	}
}
