package cluster

import (
	"testing"
	"time"
)

// A job that is being signaled runs, also while one of its nodes does not respond: newer SLURMs give it a state of its
// own then.
func TestASignaledJobRuns(t *testing.T) {
	id := job(t, 2, "signaled", "-w", "node02,node03")
	runsNow(t, id)
	fault(t, "drop", "node03")
	do(t, "on", "-u", "alice", "login", "sh", "-c", "timeout 60 scancel -s CONT "+id+" >/dev/null 2>&1 &")
	for range 5 {
		state := do(t, "on", "login", "squeue", "-h", "-j", id, "-o", "%T")
		r := runs(t, "--json", "--timeout", "2s")
		if d := r.json(t); len(d.Jobs) != 1 || d.Jobs[0].ID != id || len(d.Jobs[0].Nodes) != 2 {
			t.Fatalf("in state %s the jobs are %+v; it said %q", state, d.Jobs, r.stderr)
		}
		time.Sleep(500 * time.Millisecond)
	}
}
