package gres

import (
	"fmt"
	"testing"
)

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

// A share says nothing about the GPU that it is of.
func TestInUse(t *testing.T) {
	for list, want := range map[string]string{
		"gpu:a100:2(IDX:3,0),nic:1": "[0 3] true", "gpu:a:1(IDX:0),gpu:b:2(IDX:4-5)": "[0 4 5] true",
		"gpu:a100:0(IDX:N/A)": "[] true", "": "[] true", "gpu:a100:2": "[] false", "gpu:a100:3(IDX:0-1)": "[] false",
		"gpu:a100:0(IDX:N/A),shard:a100:3(3/8,0/8)": "[] false", "gpu:a100:x(IDX:0)": "[] false",
	} {
		if indices, all := InUse(list); fmt.Sprint(indices, all) != want {
			t.Errorf("%q: %v %v, want %s", list, indices, all, want)
		}
	}
}
