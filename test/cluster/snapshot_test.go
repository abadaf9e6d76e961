package cluster

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"
)

// The formats of snapshot have the same GPUs, with the same memory.
func TestSnapshot(t *testing.T) {
	id := job(t, 2)
	d := runs(t, "snapshot", "--format", "json").json(t)
	r := runs(t, "snapshot", "--format", "csv")
	lines, err := csv.NewReader(strings.NewReader(r.stdout)).ReadAll()
	if err != nil || r.code != 0 || r.stderr != "" || len(lines) != 1+8 {
		t.Fatalf("exit code %d, stderr %q, %v, %d lines", r.code, r.stderr, err, len(lines))
	}
	at := map[string]int{}
	for i, name := range lines[0] {
		at[name] = i
	}
	own := runs(t, "snapshot", "--format", "prometheus").stdout
	dcgm := runs(t, "snapshot", "--format", "prometheus", "--metrics-names", "dcgm").stdout
	for i, line := range lines[1:] {
		node, gpu := line[at["node"]], line[at["gpu"]]
		g := d.Nodes[i/4].GPUs[i%4]
		total := fmt.Sprintf("%.0f", g["memory_total_bytes"])
		if line[at["uuid"]] != g["uuid"] || line[at["memory_total_bytes"]] != total || line[at["jobs"]] != id ||
			line[at["users"]] != "alice" {
			t.Errorf("the line %q, the document has %v", line, g)
		}
		for _, want := range []string{
			fmt.Sprintf("\nnvnodetop_gpu_memory_total_bytes{node=%q,gpu=%q} %s\n", node, gpu, total),
			fmt.Sprintf("\nnvnodetop_gpu_job_info{node=%q,gpu=%q,job_id=%q,", node, gpu, id),
		} {
			if !strings.Contains(own, want) {
				t.Errorf("no %q in\n%s", want, own)
			}
		}
		if n := strings.Count(dcgm, fmt.Sprintf("UUID=%q", g["uuid"])); n < 20 {
			t.Errorf("%d samples of %v with DCGM's names", n, g["uuid"])
		}
	}
	if r := runs(t, "snapshot", "--format", "yaml"); r.code != 2 || strings.Count(r.stderr, "\n") != 1 {
		t.Errorf("exit code %d, stderr %q", r.code, r.stderr)
	}
}
