package cluster

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// Jobs that nobody watched have reports from real accounts, with their CPU time and memory; so do a user's jobs, and
// two jobs side by side.
func TestReportFromAccounts(t *testing.T) {
	fault(t, "ctldusage")
	const busy = `srun -n2 -c1 perl -e '$x = "a" x 200000000; $t = time; while (time - $t < 8) { $i++ }'`
	first := ended(t, "-J", "busy", "-n2", "-c1", "--gres=gpu:2", "--mem=1G", "-t", "9", "--wrap", busy)
	second := ended(t, "-J", "fails", "-n1", "-t", "9", "--wrap", "sleep 2; exit 3")
	array := ended(t, "-J", "array", "-n1", "-a", "1-2", "-t", "9", "--wrap", "sleep 1")

	r := reportOf(t, first)
	a := r.Accounting
	if r.Job.State != "COMPLETED" || r.Job.User != "alice" || a == nil || a.CPU == nil || a.Memory == nil ||
		a.GPUs == nil {
		t.Fatalf("%+v", r)
	}
	if a.CPU.Used < 2 || a.CPU.Percent > 100 || a.Memory.Peak < 380<<20 || a.Memory.Peak > 900<<20 || *a.GPUs != 2 ||
		a.Model != "a100" || *a.Memory.Limit != 1<<30 || len(a.Steps) != 3 {
		t.Errorf("%+v, CPU %+v, memory %+v", a, a.CPU, a.Memory)
	}
	if r = reportOf(t, second); r.Job.State != "FAILED" || r.Job.Code == nil || *r.Job.Code != 3 || r.Advice != nil {
		t.Errorf("%+v", r)
	}
	text := runs(t, "report", first, second)
	if text.code != 0 || !strings.HasPrefix(text.stdout, fmt.Sprintf("Job %s fails against Job %s busy\n", second,
		first)) {
		t.Errorf("exit code %d, %s, %s", text.code, text.stderr, text.stdout)
	}
	var l report.List
	readJSON(t, runs(t, "report", "--user", "--days", "1", "--format", "json"), &l)
	ours := map[string]string{} // the cluster has the jobs of other tests too
	for i := range l.Jobs {
		if j := &l.Jobs[i].Job; j.ID == first || j.ID == second || strings.HasPrefix(j.ID, array+"_") {
			ours[j.ID] = j.State
		}
	}
	want := map[string]string{first: "COMPLETED", second: "FAILED", array + "_1": "COMPLETED", array + "_2": "COMPLETED"}
	if !maps.Equal(ours, want) {
		t.Errorf("the states are %v, want %v", ours, want)
	}
	if l.Total.Failed < 1 || l.Total.Given <= 0 || l.Total.Unknown != l.Total.Given {
		t.Errorf("the total is %+v", l.Total)
	}
	readJSON(t, runs(t, "report", "--format", "json", array), &l)
	if len(l.Jobs) != 2 || l.Jobs[0].ID != array+"_1" {
		t.Errorf("an array: %+v", l)
	}
	do(t, "on", "ctl", "pkill", "-x", "slurmdbd")
	away := runs(t, "report", first)
	if away.code != 3 || !strings.Contains(away.stderr, "slurmdbd not responding") ||
		strings.Count(away.stderr, "\n") != 1 {
		t.Errorf("without slurmdbd: exit code %d, %q", away.code, away.stderr)
	}
}

// ended runs a batch job of alice to its end, and returns its ID.
func ended(t *testing.T, args ...string) string {
	t.Helper()
	id := do(t, append([]string{"on", "-u", "alice", "login", "sbatch", "--parsable", "-o", "/dev/null"}, args...)...)
	t.Cleanup(func() { cancelJob(t, id) })
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(200 * time.Millisecond) {
		if do(t, "on", "login", "squeue", "-h", "-j", id, "-o", "%t") == "" {
			return id
		}
		if time.Now().After(deadline) {
			t.Fatalf("job %s still runs", id)
		}
	}
}

func reportOf(t *testing.T, id string) *report.Report {
	t.Helper()
	r := &report.Report{}
	readJSON(t, runs(t, "report", "--format", "json", id), r)
	return r
}

func readJSON(t *testing.T, r result, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.stdout), into); err != nil || r.code != 0 {
		t.Fatalf("exit code %d, %v, stderr %q, stdout %q", r.code, err, r.stderr, r.stdout)
	}
}
