package hostlist_test

import (
	"fmt"

	"github.com/nvnodetop/nvnodetop/internal/slurm/hostlist"
)

func ExampleExpand() {
	hosts, err := hostlist.Expand("gpu[08-10],login")
	fmt.Println(hosts, err)
	// Output: [gpu08 gpu09 gpu10 login] <nil>
}

// squeue writes the indices of an array job like hosts.
func ExampleExpandRanges() {
	tasks, err := hostlist.ExpandRanges("3,7-9")
	fmt.Println(tasks, err)
	// Output: [3 7 8 9] <nil>
}
