package header

import (
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

func TestWindow(t *testing.T) {
	wrong := []cluster.Finding{
		{Severity: cluster.Critical}, {Severity: cluster.Warning}, {Severity: cluster.Warning},
		{Severity: cluster.Waiting}, {Severity: cluster.Note},
		{Severity: cluster.Critical, Over: time.Now()},
	}
	for _, test := range []struct {
		id       string
		findings []cluster.Finding
		want     string
	}{
		{"48211", nil, "nvnodetop 48211"},
		{"48211_3", wrong, "nvnodetop 48211_3 X1 !2"},
		{"48211", wrong[1:2], "nvnodetop 48211 !1"},
		{"", wrong[:1], "nvnodetop X1"},
		{"4\x1b\\\x1b]0;8\a\u009c\n2\u202e1\xff", nil, `nvnodetop 4\]0;8 21`},
		{"模", nil, "nvnodetop ?"},
		{strings.Repeat("4", 1000), nil, "nvnodetop " + strings.Repeat("4", 70)},
	} {
		job := cluster.JobView{Job: cluster.Job{ID: test.id}, Findings: test.findings}
		if got := Window(&cluster.Snapshot{}, &job); got != test.want {
			t.Errorf("%q: %q, want %q", test.id, got, test.want)
		}
	}
	if got := Window(&cluster.Snapshot{}, nil); got != "nvnodetop" {
		t.Errorf("without a job: %q", got)
	}
}
