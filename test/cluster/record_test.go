package cluster

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// A job is recorded, and the recording shows the same job, nodes and GPUs, as JSON and on the screen.
func TestRecordAndReplay(t *testing.T) {
	id := job(t, 2)
	runsNow(t, id)
	path := fmt.Sprintf("/tmp/record-%d.nvr", os.Getpid())
	t.Cleanup(func() { _, _ = script("on", "login", "rm", "-f", path) })
	r := runs(t, "record", "--max-time", "8s", path, "1")
	if r.code != 0 || !strings.HasPrefix(r.stdout, "recorded ") || strings.Count(r.stdout, "\n") != 1 {
		t.Fatalf("exit code %d, stdout %q, stderr %q", r.code, r.stdout, r.stderr)
	}
	replayed := runs(t, "replay", "--json", path)
	validate(t, replayed.stdout)
	now, then := runs(t, "--json").json(t), replayed.json(t)
	if len(then.Jobs) != 1 || then.Jobs[0].ID != id || then.Jobs[0].Seen != 8 || len(then.Nodes) != 2 {
		t.Fatalf("replay --json (exit code %d) printed\n%s", replayed.code, replayed.stdout)
	}
	for i, n := range then.Nodes {
		if n.State != "reporting" || n.Name != now.Nodes[i].Name || n.Driver != now.Nodes[i].Driver ||
			len(n.GPUs) != 4 || n.GPUs[0]["uuid"] != now.Nodes[i].GPUs[0]["uuid"] {
			t.Errorf("recorded %+v, now %+v", n, now.Nodes[i])
		}
		if len(n.Processes) != 4 || n.Processes[0]["user"] != "alice" {
			t.Errorf("%s: processes %v", n.Name, n.Processes)
		}
	}
	report := runs(t, "replay", "--report", path)
	if !strings.HasPrefix(report.stdout, "Job "+id) || !strings.Contains(report.stdout, "8 of 8 seen, 2 nodes") {
		t.Errorf("replay --report (exit code %d) printed\n%s%s", report.code, report.stdout, report.stderr)
	}
	w := watchProgram(t, 120, 40, program, "replay", "--at", "-1s", "--view", "node", path)
	w.sees("Job "+id, "8 of 8 GPUs, 2 of 2 nodes reporting")
	time.Sleep(time.Second) // the end of the recording: the last state stays
	w.sees("8 of 8 GPUs, 2 of 2 nodes reporting")
	w.sees("replay 0:0", " end ")
	w.types("z\x1b[1;5H") // Ctrl-Home
	w.sees("replay 0:00 of ", "paused")
	w.quits()
}
