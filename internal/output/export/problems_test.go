package export

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/pkg/schema"
)

// lines are the samples of a metric.
func lines(text []byte, name string) (list []string) {
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, name+"{") {
			list = append(list, strings.TrimSpace(line))
		}
	}
	return list
}

// A problem has a sample while it holds, with the labels that the samples of its GPU have. A cleared one has none, and
// no two have the same labels, which Prometheus would refuse.
func TestProblemsForPrometheus(t *testing.T) {
	s := full()
	s.Jobs[0].Findings = []cluster.Finding{
		{Kind: cluster.KindLost, Severity: cluster.Critical, Job: "2_1", Node: "n1", GPU: 6, Key: "GPU-a"},
		{Kind: cluster.KindLost, Severity: cluster.Critical, Job: "2_1", Node: "n1", GPU: 6, Key: "GPU-a"},
		{Kind: cluster.KindIdle, Severity: cluster.Warning, Job: "2_1", Node: "n1", GPU: 4, Key: "GPU-b", Over: now},
		{Kind: cluster.KindHang, Severity: cluster.Critical, Job: "2_1", GPU: cluster.NoNumber},
		{Kind: cluster.KindFailed, Severity: cluster.Warning, Job: "2_1", Node: "n2", GPU: cluster.NoNumber},
	}
	for i := range s.Jobs[1:] {
		s.Jobs[i+1].Findings = nil
	}
	text, _ := scrape(t, s, OwnNames)
	want := []string{
		`nvnodetop_problem{node="n1",gpu="6",job_id="2_1",kind="` + string(cluster.KindLost) + `",severity="critical"} 1`,
		`nvnodetop_problem{job_id="2_1",kind="` + string(cluster.KindHang) + `",severity="critical"} 1`,
		`nvnodetop_problem{node="n2",job_id="2_1",kind="` + string(cluster.KindFailed) + `",severity="warning"} 1`,
	}
	if got := lines(text, "nvnodetop_problem"); !slices.Equal(got, want) {
		t.Errorf("%s\nwant %s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestJobsForPrometheus(t *testing.T) {
	s := full()
	text, _ := scrape(t, s, OwnNames)
	want := []string{`nvnodetop_jobs{state="failed"} 1`, `nvnodetop_jobs{state="pending"} 1`,
		`nvnodetop_jobs{state="running"} 2`, `nvnodetop_jobs{state="suspended"} 1`}
	if got := lines(text, "nvnodetop_jobs"); !slices.Equal(got, want) {
		t.Errorf("%s\nwant %s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	s.Discovery = cluster.Discovery{}
	if text, _ := scrape(t, s, OwnNames); len(lines(text, "nvnodetop_jobs")) > 0 {
		t.Error("jobs before SLURM has answered")
	}
}

// Core has at most 25 samples for each GPU, where all have three times as many, and nothing that all lack.
func TestCoreIsSmall(t *testing.T) {
	s := full()
	var all, core strings.Builder
	if err := Prometheus(&all, s, OwnNames, AllMetrics); err != nil {
		t.Fatal(err)
	}
	if err := Prometheus(&core, s, OwnNames, CoreMetrics); err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for line := range strings.Lines(core.String()) {
		if !strings.Contains(all.String(), line) {
			t.Errorf("only core has %s", line)
		}
		if strings.HasPrefix(line, "nvnodetop_gpu_") {
			_, rest, _ := strings.Cut(line, `node="`)
			node, rest, _ := strings.Cut(rest, `",gpu="`)
			gpu, _, _ := strings.Cut(rest, `"`)
			count[node+" "+gpu]++
		}
	}
	most := 0
	for gpu, n := range count {
		most = max(most, n)
		if n > 25+2 { // it is of three jobs, of which it names each
			t.Errorf("GPU %s: %d samples", gpu, n)
		}
	}
	if most < 20 || len(all.String()) < 2*len(core.String()) {
		t.Errorf("%d samples at most; %d bytes of %d", most, core.Len(), all.Len())
	}
}

// A job that stands still names the GPUs for which it waits; other problems name none.
func TestAwaitedGPUs(t *testing.T) {
	s := full()
	hang := cluster.Finding{Kind: cluster.KindJobHang, Severity: cluster.Warning, Job: s.Jobs[0].ID, Since: now, GPU: -1,
		Compared: &cluster.Comparison{Count: 31, Of: 32, Places: []cluster.Differing{{Node: "n1", Number: 3, Key: "GPU-d"},
			{Node: "n2", Number: cluster.NoNumber, Key: "GPU-x"}}}}
	s.Jobs[0].Findings = append([]cluster.Finding{hang}, s.Jobs[0].Findings...)
	text, _ := export(t, s)
	var doc schema.Snapshot
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	for i, f := range doc.Jobs[0].Findings {
		var want []schema.Place
		if i == 0 {
			want = []schema.Place{{Node: "n1", GPU: new(3)}, {Node: "n2", GPUKey: "GPU-x"}}
		}
		if diff := cmp.Diff(want, f.Awaited); diff != "" {
			t.Errorf("%s (-want +got):\n%s", f.Kind, diff)
		}
	}
	hang.Compared.Places, hang.Compared.First.Whole = []cluster.Differing{{Node: "n2", Number: cluster.NoNumber}}, true
	s.Jobs[0].Findings = []cluster.Finding{hang}
	if got := Document(s).Jobs[0].Findings[0].Awaited; len(got) != 1 || got[0] != (schema.Place{Node: "n2", AllGPUs: true}) {
		t.Errorf("%+v", got)
	}
}
