package cluster

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestTrack tracks a command with a descendant that works on a GPU, on the first node.
func TestTrack(t *testing.T) {
	id := job(t, 1)
	runsNow(t, id)
	node := do(t, "on", "login", "scontrol", "show", "hostnames", do(t, "on", "login", "squeue", "-h", "-j", id, "-o",
		"%N"))
	line := fmt.Sprintf("%s track -f json --ru bytes --gru bytes --tu seconds --st 0.5 -- sh -c 'sleep 3 & wait; "+
		"exit 5'; echo status $?", program)
	out := do(t, "on", "-u", "alice", node, "sh", "-c", line)
	document, status, found := strings.Cut(out, "\nstatus ")
	if !found || status != "5" {
		t.Errorf("status %q in %s", status, out)
	}
	var r struct {
		RAM struct {
			Capacity          float64 `json:"system_capacity"`
			Main, Descendants struct {
				Total float64 `json:"total_rss"`
			}
		} `json:"max_ram"`
		GPURAM struct {
			Capacity float64 `json:"system_capacity"`
			System   float64 `json:"system"`
		} `json:"max_gpu_ram"`
		GPU struct {
			System int `json:"system_gpu_count"`
		} `json:"gpu_utilization"`
		Time struct{ Time float64 } `json:"compute_time"`
	}
	if err := json.Unmarshal([]byte(document), &r); err != nil {
		t.Fatalf("%v: %s", err, document)
	}
	if r.RAM.Capacity < 1<<28 || r.RAM.Main.Total < 1<<16 || r.RAM.Descendants.Total < 1<<16 {
		t.Errorf("memory: %+v", r.RAM)
	}
	if r.GPU.System != 4 || r.GPURAM.Capacity < 4<<30 || r.GPURAM.System <= 0 || r.GPURAM.System > r.GPURAM.Capacity {
		t.Errorf("GPUs: %+v, %+v", r.GPU, r.GPURAM)
	}
	if r.Time.Time < 3 || r.Time.Time > 10 {
		t.Errorf("%v s", r.Time.Time)
	}
}
