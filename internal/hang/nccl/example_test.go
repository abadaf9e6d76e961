package nccl_test

import (
	"bytes"
	"fmt"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/hang/nccl"
	"github.com/nvnodetop/nvnodetop/test/ras"
)

// Rank 5 of 8 has not launched what the others wait for.
func ExampleJudge() {
	world := ras.Parallel(ras.Grid(2, 4), 4, 100)
	world.Of(1).Launch(1, 5)
	ask := func(at time.Duration) *nccl.Answer { // in a real job: "verbose status" on port 28028 of a node
		var out bytes.Buffer
		out.WriteString("SERVER PROTOCOL 2\nOK\nOK\n")
		_ = world.JSON(&out)
		a, err := nccl.Read(&out)
		if err != nil {
			fmt.Println(err)
		}
		a.At = time.Unix(0, 0).Add(at)
		return a
	}
	first, second := ask(0), ask(5*time.Second)
	verdict := nccl.Judge(first, second, nccl.NewRoster(nil).Match(second))
	fmt.Println(verdict.State, verdict.Causes[0].GPU)
	// Output: stuck {172.16.64.2 20001 1}
}
