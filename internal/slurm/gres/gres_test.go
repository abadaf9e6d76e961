package gres

import "testing"

func TestRequestedGPUs(t *testing.T) {
	for _, tt := range []struct {
		gres string
		want int // -1: not told
	}{
		{"gres:gpu:a100:4", 8}, {"gres:gpu:1", 2}, {"gres:gpu", 2}, {"gpu:2", 4}, {"gres/gpu:a100=2", 4},
		{"gres/gpu=3", 6},
		{"gres:gpu:a100", 2}, {"gres:gpu:a100:1,gres:gpu:v100:2", 6}, {"gres:nic:1,gres:gpu:2", 4},
		{"N/A", -1}, {"", -1}, {"gres:nic:1", -1}, {"gres:shard:3", -1}, {"gres:gpu:a100:many", -1},
	} {
		got := -1
		if n := Requested(tt.gres, 2); n != nil {
			got = *n
		}
		if got != tt.want {
			t.Errorf("requestedGPUs(%q, 2) = %d, want %d", tt.gres, got, tt.want)
		}
	}
	if n := Requested("gres:gpu:1", 0); n != nil {
		t.Errorf("%d GPUs on no node", *n)
	}
}
