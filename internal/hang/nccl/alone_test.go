package nccl_test

import (
	"os"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/hang/nccl"
)

// A training on one GPU moves though its communicator counts nothing: NCCL 2.28.9 on an H100 said this of it all the
// time.
func TestACommunicatorOfOneRankSaysNothing(t *testing.T) {
	read := func(at time.Duration) *nccl.Answer {
		f, err := os.Open("testdata/one-rank-2.28.9.txt")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		a, err := nccl.Read(f)
		if err != nil {
			t.Fatal(err)
		}
		a.At = time.Unix(1000, 0).Add(at)
		return a
	}
	if v := nccl.Judge(read(0), read(5*time.Second), nil); v.State != nccl.Unclear || v.Comms != 1 || v.Members != 1 {
		t.Errorf("%v: %+v", v.State, v)
	}
}
