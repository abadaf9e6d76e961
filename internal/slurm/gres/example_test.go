package gres_test

import (
	"fmt"

	"github.com/nvnodetop/nvnodetop/internal/slurm/gres"
)

func ExampleCount() {
	n, err := gres.Count("gpu:a100:4(S:0-1),nic:1")
	fmt.Println(n, err)
	// Output: 4 <nil>
}

func ExampleInUse() {
	indices, all := gres.InUse("gpu:a100:2(IDX:0,2)")
	fmt.Println(indices, all)
	// Output: [0 2] true
}

// Of a job, SLURM names the GPUs of all nodes together.
func ExampleReadTRES() {
	t := gres.ReadTRES("cpu=32,mem=250G,gres/gpu=8,gres/gpu:h100=8")
	fmt.Println(t.Count, t.Types[0].Name)
	// Output: 8 h100
}
