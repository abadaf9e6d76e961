package notation

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
		if n := RequestedGPUs(tt.gres, 2); n != nil {
			got = *n
		}
		if got != tt.want {
			t.Errorf("requestedGPUs(%q, 2) = %d, want %d", tt.gres, got, tt.want)
		}
	}
	if n := RequestedGPUs("gres:gpu:1", 0); n != nil {
		t.Errorf("%d GPUs on no node", *n)
	}
}

// A share says nothing about the GPU that it is of.
func TestInUse(t *testing.T) {
	for list, want := range map[string]string{
		"gpu:a100:2(IDX:3,0),nic:1": "[0 3] true", "gpu:a:1(IDX:0),gpu:b:2(IDX:4-5)": "[0 4 5] true",
		"gpu:a100:0(IDX:N/A)": "[] true", "": "[] true", "gpu:a100:2": "[] false", "gpu:a100:3(IDX:0-1)": "[] false",
		"gpu:a100:0(IDX:N/A),shard:a100:3(3/8,0/8)": "[] false", "gpu:a100:x(IDX:0)": "[] false",
		"gpu:a100:2(IDX:0-1),shard:a100:0(-/4,-/4,0/4,0/4)": "[0 1] true",
		"gpu:a100:1(IDX:2),shard:a100:5(2/4,3/4,-/4,0/4)":   "[] false",
		"gpu:a100:1(IDX:2),shard:a100:5":                    "[] false",
		"gpu:a100:1(IDX:2),shard:0,mps:0":                   "[2] true",
	} {
		if indices, all := GPUsInUse(list); fmt.Sprint(indices, all) != want {
			t.Errorf("%q: %v %v, want %s", list, indices, all, want)
		}
	}
}

// A GPU has a share in use only if SLURM prints a number of them. A form that is not understood is an error.
func TestUsed(t *testing.T) {
	for list, want := range map[string]string{
		"gpu:a100:2(IDX:0-1),shard:a100:0(0/4,0/4,0/4,0/4)":             "map[a100:2]", // before SLURM 26.05
		"gpu:a100:2(IDX:0-1),shard:a100:0(IDX:N/A)":                     "map[a100:2]", // SLURM 22.05
		"gpu:a100:0(IDX:N/A),shard:a100:1(IDX:0)":                       "map[a100:1]",
		"gpu:a100:1(IDX:2),shard:a100:2(IDX:0-1)":                       "map[a100:3]",
		"gpu:a100:2(IDX:0-1),shard:a100:0(-/4,-/4,0/4,0/4)":             "map[a100:2]",
		"gpu:a100:1(IDX:2),shard:a100:5(2/4,3/4,-/4,0/4)":               "map[a100:3]",
		"gpu:a100:4(IDX:0-3),shard:a100:0(-/4,-/4,-/4,-/4)":             "map[a100:4]",
		"gpu:a100:0(IDX:N/A),shard:a100:16(4/4,4/4,4/4,4/4)":            "map[a100:4]",
		"gpu:1(IDX:0),mps:150(-/100,100/100,50/100)":                    "map[:3]",
		"gpu:(null):1(IDX:0),mps:(null):0(-/100,0/100)":                 "map[:1]",
		"gpu:a:1(IDX:0),gpu:b:0(IDX:N/A),shard:a:0(-/2),shard:b:1(1/2)": "map[a:1 b:1]",
		"gpu:a100:2,shard:a100:0":                                       "map[a100:2]", "gpu:2,shard:0(N/A)": "map[:2]", "gpu:0,nic:1(1/2)": "map[:0]",
		"gpu:a100:0(IDX:N/A),shard:a100:3": "", "gpu:0,shard:3(N/A)": "", "gpu:0,shard:3(1/4,?/4)": "",
		"gpu:0,shard:3(0/4,-/4)": "", "gpu:0,shard:0(1/4)": "", "gpu:0,shard:3(1/4,+1/4)": "", "gpu:0,shard": "",
		"gpu:0,mps:1(1/100,": "",
	} {
		got := ""
		if used, err := UsedGPUs(list); err == nil {
			got = fmt.Sprint(used)
		}
		if got != want {
			t.Errorf("%q: %s, want %s", list, got, want)
		}
	}
}

// The GPUs of a list of TRES are those of "gres/gpu", or of all types together.
func TestTRES(t *testing.T) {
	for list, want := range map[string]string{ // count, whether it is known and whether it is that of all GPUs, types
		"cpu=32,mem=250G,billing=32,gres/gpu=4":                "4 true true []",
		"cpu=16,mem=64G,node=1,gres/gpu:a100=4":                "4 true false [{a100 4 0 false}]",
		"gres/gpu:a100=4,gres/gpu:v100=1":                      "5 true false [{a100 4 0 false} {v100 1 0 false}]",
		"gres/gpu:a100=3,gres/gpu=4":                           "4 true true [{a100 3 0 false}]",
		"gres/gpu:a100_1g.10gb=2,gres/gpu:a100_3g.40gb=1":      "3 true false [{a100_1g.10gb 2 0 false} {a100_3g.40gb 1 0 false}]",
		"gres/gpu:a100:80gb=2":                                 "2 true false [{a100:80gb 2 0 false}]",
		"gres/gpu:a100=1,gres/gpu:a100=1":                      "2 true false [{a100 2 0 false}]",
		"cpu=1, gres/gpu=2 ":                                   "2 true true []", // as squeue pads it
		"gres/gpu=0":                                           "0 true true []",
		"gres/gpu:a100=0":                                      "0 true false [{a100 0 0 false}]",
		"":                                                     "0 false false []",
		"N/A":                                                  "0 false false []",
		"cpu=1,gres/gpumem=40G,gres/gpuutil=90":                "0 false false []",
		"gres/gpumem=40G,gres/gpuutil=90,gres/gpu=1":           "1 true true []",
		"gres/shard=4,gres/mps:a100=100,gres/nic=1":            "0 false false []",
		"gres/gpu=NONE,gres/gpu:a100=2":                        "0 false false [{a100 2 0 false}]",
		"gres/gpu=2,gres/gpu:a100=NONE":                        "2 true true []",
		"gres/gpu=18446744073709551614":                        "0 false false []",
		"gres/gpu=4294967294":                                  "0 false false []",
		"gres/gpu:a100=-1,gres/gpu:v100=1":                     "0 false false [{v100 1 0 false}]",
		"gres/gpu,gres/gpu:a100":                               "0 false false []",
		"license/gres/gpu=4,fs/lustre=1,ic/ofed=2,gres/gpus=9": "0 false false []",
	} {
		tres := ReadTRES(list)
		if got := fmt.Sprint(tres.Count, tres.Told, tres.Whole, tres.Types); got != want {
			t.Errorf("%q: %s, want %s", list, got, want)
		}
		if count, told := CountInTRES(list); count != tres.Count || told != tres.Told {
			t.Errorf("%q: %d %t", list, count, told)
		}
	}
}
