package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/pkg/schema"
)

func TestPrintIdle(t *testing.T) {
	var s schema.Snapshot
	if err := json.Unmarshal([]byte(`{"discovery": {"command": "squeue"}, "nodes": [
		{"name": "n1", "state": "reporting", "gpus": [
			{"index": 0, "jobs": ["7"], "util_percent": 0, "memory_used_bytes": 1610612736},
			{"index": 1, "jobs": ["7"], "util_percent": 3},
			{"index": 2, "jobs": ["7"]},
			{"index": 3, "util_percent": 0},
			{"index": 4, "jobs": ["8"], "util_percent": 0}]},
		{"name": "n2", "state": "failed", "failure": {"class": "refused", "summary": "connection refused"}}]}`), &s); err != nil {
		t.Fatal(err)
	}
	const first, last, failed = "n1 GPU0 of job 7: idle, 1.5 GiB in use\n", "n1 GPU4 of job 8: idle\n",
		"n2: connection refused\n"
	if got := idle(&s); got != first+last+failed {
		t.Errorf("of the jobs:\n%s", got)
	}
	s.Discovery = nil
	if got := idle(&s); got != first+"n1 GPU3: idle\n"+last+failed {
		t.Errorf("without SLURM:\n%s", got)
	}
}

func idle(s *schema.Snapshot) string {
	var out strings.Builder
	printIdle(&out, s)
	return out.String()
}
