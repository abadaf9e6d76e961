package part

import (
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// Where there is no room for its line, what is over is no error that is left out.
func TestLeft(t *testing.T) {
	findings := []*cluster.Finding{
		{Severity: cluster.Critical, Over: time.Unix(1, 0)}, {Severity: cluster.Critical}, {Severity: cluster.Warning}, {Severity: cluster.Warning}, {},
	}
	for n, want := range map[int]string{2: "+2 more: 1 error, 1 over", 5: "+5 more: 1 error, 2 warnings, 1 note, 1 over"} {
		if got := left(findings[:n]); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
