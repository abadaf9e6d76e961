package check

import (
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/joblog/runs"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// A node that failed in an earlier job, and has not been started since, is left out. Everything else is a note.
func TestFaultsOfEarlierJobs(t *testing.T) {
	const day = 24 * time.Hour
	faulty := func(job string, ago time.Duration, f ...runs.Fault) runs.Run {
		return runs.Run{Job: job, Seen: now.Add(-ago), Faults: f}
	}
	failure := runs.Fault{Node: "n1", Kind: cluster.KindRemapFailed, Failure: true}
	for name, test := range map[string]struct {
		earlier []runs.Run
		up      float64 // seconds
		said    string
		exclude int
	}{
		"a failure": {[]runs.Run{faulty("48102", 3*day, failure)}, 30 * 86400,
			"It had a row remap failure in your job 48102 (27 Feb).", 1},
		"started since": {[]runs.Run{faulty("48102", 3*day, failure)}, 86400,
			"It had a row remap failure in your job 48102 (27 Feb).", 0},
		"long ago": {[]runs.Run{faulty("48102", 40*day, failure)}, 90 * 86400,
			"It had a row remap failure in your job 48102 (21 Jan).", 0},
		"no failure": {[]runs.Run{faulty("48102", day, runs.Fault{Node: "n1", Kind: cluster.KindLag})}, 30 * 86400,
			"It had a GPU that was slower than the others in your job 48102 (1 Mar).", 0},
		"twice": {[]runs.Run{faulty("48001", 9*day, failure), faulty("48102", 3*day, failure)}, 30 * 86400,
			"It had a row remap failure in your job 48102 (27 Feb).", 1},
		"another node": {[]runs.Run{faulty("48102", day, runs.Fault{Node: "n9", Kind: cluster.KindLost, Failure: true})},
			30 * 86400, "", 0},
		"this job":      {[]runs.Run{faulty("7", 0, failure)}, 30 * 86400, "", 0},
		"a later kind":  {[]runs.Run{faulty("48102", day, runs.Fault{Node: "n1", Kind: "melted", Failure: true})}, 86400, "", 0},
		"nothing known": {nil, 86400, "", 0},
	} {
		s := site(2)
		s.Nodes["n1"].Host.Set(metric.Uptime, test.up)
		r := Judge(s, health.Rules(health.Defaults()), time.Second, test.earlier)
		said := ""
		for _, f := range r.Findings {
			if f.Kind != KindEarlier || f.Node != "n1" || (f.Severity == "warning") != (test.exclude > 0) {
				t.Errorf("%s: %+v", name, f)
			}
			said += f.Text
		}
		if said != test.said || len(r.Exclude) != test.exclude || r.Found() != (test.exclude > 0) {
			t.Errorf("%s: %q, without %v", name, said, r.Exclude)
		}
	}
	s := site(2)
	s.Jobs[0].Findings = []cluster.Finding{{Kind: cluster.KindRemapFailed, Severity: cluster.Critical, Node: "n1",
		Key: "GPU-0-0"}}
	r := Judge(s, health.Rules(health.Defaults()), time.Second, []runs.Run{faulty("48102", day, failure)})
	for _, f := range r.Findings {
		if f.Kind == KindEarlier {
			t.Errorf("said beside what is true now: %+v", f)
		}
	}
}
