package say

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/test/golden"
)

// What is news, from which severity on and after which time is decided for each kind, in its row: a change of it is one
// of this file too.
func TestProblems(t *testing.T) {
	severities := map[cluster.Severity]string{cluster.Note: "note", cluster.Warning: "warning",
		cluster.Critical: "critical"}
	var b strings.Builder
	kinds := Kinds()
	slices.Sort(kinds)
	for _, kind := range kinds {
		p, told := NewsOf(kind)
		if !told {
			continue
		}
		fmt.Fprintf(&b, "%-16s %-7s from %-8s after %v\n", kind, p.Event, severities[p.Least], p.Lasts)
	}
	golden.Equal(t, "testdata/news.txt", b.String())
}

// A finding is news under its event, or under its kind if that is asked for. What only waits never is.
func TestWhatIsNews(t *testing.T) {
	for name, tc := range map[string]struct {
		events   []string
		kind     cluster.Kind
		severity cluster.Severity
		want     Event // "": none
	}{
		"its event":                 {[]string{"slow"}, cluster.KindThermal, cluster.Warning, EventSlow},
		"too mild":                  {[]string{"slow"}, cluster.KindThermal, cluster.Note, ""},
		"its kind":                  {[]string{"thermal"}, cluster.KindThermal, cluster.Note, EventSlow},
		"its kind, that waits":      {[]string{"thermal"}, cluster.KindThermal, cluster.Waiting, ""},
		"its event, that waits":     {[]string{"idle"}, cluster.KindIdle, cluster.Waiting, ""},
		"a warning":                 {[]string{"warning"}, cluster.KindXid, cluster.Warning, EventWarning},
		"a warning that none wants": {[]string{"gpu"}, cluster.KindXid, cluster.Warning, ""},
		"critical":                  {[]string{"gpu"}, cluster.KindXid, cluster.Critical, EventGPU},
		"of no kind, critical":      {[]string{"gpu"}, "new_kind", cluster.Critical, EventGPU},
	} {
		s := NewsSettings{Events: tc.events}
		p, wanted := s.Of(&cluster.Finding{Kind: tc.kind, Severity: tc.severity})
		if wanted != (tc.want != "") || wanted && p.Event != tc.want {
			t.Errorf("%s: %s, wanted: %t, want %q", name, p.Event, wanted, tc.want)
		}
	}
}
