package notation_test

import (
	"fmt"

	"github.com/nvnodetop/nvnodetop/internal/slurm/notation"
)

func ExampleExpandHosts() {
	hosts, err := notation.ExpandHosts("gpu[08-10],login")
	fmt.Println(hosts, err)
	// Output: [gpu08 gpu09 gpu10 login] <nil>
}

// squeue writes the indices of an array job like hosts.
func ExampleExpandRanges() {
	tasks, err := notation.ExpandRanges("3,7-9")
	fmt.Println(tasks, err)
	// Output: [3 7 8 9] <nil>
}

func ExampleCountGPUs() {
	n, err := notation.CountGPUs("gpu:a100:4(S:0-1),nic:1")
	fmt.Println(n, err)
	// Output: 4 <nil>
}

func ExampleGPUsInUse() {
	indices, all := notation.GPUsInUse("gpu:a100:2(IDX:0,2)")
	fmt.Println(indices, all)
	// Output: [0 2] true
}

// Of a job, SLURM names the GPUs of all nodes together.
func ExampleReadTRES() {
	t := notation.ReadTRES("cpu=32,mem=250G,gres/gpu=8,gres/gpu:h100=8")
	fmt.Println(t.Count, t.Types[0].Name)
	// Output: 8 h100
}
